package memorycmd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/agents/ollama"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/sessioncmd"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/recall"
)

// indexLine is a line of `memory status --json` and `memory reindex --json`.
type indexLine struct {
	Type      string `json:"type"`  // index
	State     string `json:"state"` // in words, as in search answers
	Building  bool   `json:"building"`
	Done      int    `json:"done"` // progress of a build: files done
	Of        int    `json:"of"`   // and files in total
	Path      string `json:"path"`
	Files     int    `json:"files"`
	Behind    int    `json:"behind"` // files that changed since they were indexed
	Chunks    int    `json:"chunks"`
	Bytes     int64  `json:"bytes"`      // size of the index
	TextBytes int64  `json:"text_bytes"` // size of the text it covers
	Vectors   int    `json:"vectors"`
	Model     string `json:"model"`      // the model that made the vectors
	Synced    string `json:"synced"`     // RFC 3339
	Forgets   int    `json:"forgetting"` // forgettings that are not complete
	TookMS    int64  `json:"took_ms,omitempty"`
}

func statusCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "status", Short: "Show what the search index covers and how far it is behind", Args: cmdline.NoArgs,
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
			return printIndex(ctx, c, b, 0)
		}),
	})
}

func reindexCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "reindex", Short: "Rebuild the search index; returns when it is complete",
		Long: `reindex rebuilds the search index from the files, which it doesn't change. If an embedding
model is installed, it makes the missing vectors. It works whether the app runs or not, and
the old index answers searches meanwhile. If it is interrupted, the next run continues.`,
		Args: cmdline.NoArgs,
	}
	c.WithJSON(cmd)
	changed := cmd.Flags().Bool("changed", false, "only index what has changed")
	cmd.RunE = c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
		took, err := reindex(ctx, c, b, *changed)
		if err != nil {
			return indexProblem(ctx, c, b, err)
		}
		return printIndex(ctx, c, b, took)
	})
	return cmd
}

// reindex builds the index and shows its progress on a terminal.
func reindex(ctx context.Context, c *cmdline.Line, b *backend.Backend, changed bool) (time.Duration, error) {
	index, err := b.Index.Recall()
	if err != nil {
		return 0, err
	}
	bar := &progressLine{line: &cmdline.Status{Line: c}}
	defer bar.end()
	defer b.Index.OnIndexing(bar.indexing)()
	work := index.Rebuild
	if changed {
		work = index.Sync
	}
	report, err := work(ctx)
	if err == nil {
		err = makeVectors(ctx, c, index, bar.vectors)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return report.Took, err
}

// makeVectors makes the missing vectors. A server that can't make them is no error, because
// the index still searches by words.
func makeVectors(ctx context.Context, c *cmdline.Line, index *recall.Index, progress func(made, of int, left time.Duration)) error {
	err := index.MakeVectors(ctx, progress)
	switch {
	case err == nil, errors.Is(err, recall.ErrNoModel):
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	c.ToStderr("The vectors could not all be made: " + words.OneLine(err.Error(), 300) + ". Searches go by words; the next reindex goes on with them.\n")
	return nil
}

// progressLine is the progress line of an indexing on a terminal.
type progressLine struct {
	line *cmdline.Status

	mu    sync.Mutex
	last  time.Time // time of the last drawing
	ended bool
}

func (l *progressLine) indexing(p recall.Progress) {
	if p.Waits {
		l.draw("waiting for another mac-stats that is indexing")
		return
	}
	l.draw(fmt.Sprintf("indexing: %d %%, %s of %s, %s", 100*p.Files/max(p.Of, 1), words.Thousands(p.Files), words.Count(p.Of, "file"), words.Count(p.Chunks, "passage")))
}

func (l *progressLine) vectors(made, of int, left time.Duration) {
	text := fmt.Sprintf("by meaning: %d %%, %s of %s", 100*made/max(of, 1), words.Thousands(made), words.Count(of, "passage"))
	if left > 0 {
		text += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	l.draw(text)
}

// draw shows the text, at most ten times a second and not after the end.
func (l *progressLine) draw(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || time.Since(l.last) < 100*time.Millisecond {
		return
	}
	l.last = time.Now()
	l.line.Draw(text)
}

func (l *progressLine) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.line.Erase()
}

func printIndex(ctx context.Context, c *cmdline.Line, b *backend.Backend, took time.Duration) error {
	index, err := b.Index.Recall()
	if err != nil {
		return indexProblem(ctx, c, b, err)
	}
	s, err := index.Status(ctx)
	if err != nil {
		return indexProblem(ctx, c, b, err)
	}
	forgets := len(b.Store.Forgotten().Unfinished())
	if c.Out.AsJSON {
		return c.Out.JSON(indexLine{
			Forgets: forgets,
			Type:    "index", State: s.String(), Building: s.Building, Done: s.Done, Of: s.Of, Path: s.Path, Files: s.Files, Behind: s.Behind, Chunks: s.Chunks,
			Bytes: s.Bytes, TextBytes: s.TextBytes, Vectors: s.VectorCount, Model: s.Model, Synced: words.Stamp(s.LastSync), TookMS: took.Milliseconds(),
		})
	}
	text := fmt.Sprintf("%s of %s, %s\n", words.Count(s.Chunks, "passage"), words.Count(s.Files, "file"), s.String())
	if s.Bytes > 0 {
		text += fmt.Sprintf("  %s: %s for %s of text\n", s.Path, words.Size(s.Bytes), words.Size(s.TextBytes))
	}
	text += "  " + vectorWords(ctx, b, s) + "\n"
	if server := backendWords(ctx, b); server != "" {
		text += "  " + server + "\n"
	}
	if took > 0 {
		text += fmt.Sprintf("  built in %.1f s\n", took.Seconds())
	}
	if forgets > 0 {
		text += "  " + words.Count(forgets, "forgetting is", "forgettings are") + " not complete yet: the app tries again by itself\n"
	}
	switch {
	case s.Unfinished:
		text += "  an indexing anew was stopped; `mac-stats memory reindex` goes on with it\n"
	case s.Behind > 0 && !s.Building && !c.AppWorks(ctx, b):
		text += "  `mac-stats memory reindex` brings it up to date.\n"
	}
	return c.Out.Text(text)
}

// vectorWords reports in words whether search by meaning works and what is missing for it.
func vectorWords(ctx context.Context, b *backend.Backend, s recall.Status) string {
	if s.VectorCount > 0 {
		return fmt.Sprintf("by meaning: %s of %s (%s)", words.Count(s.VectorCount, "vector"), s.Model, s.Vectors)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	model, err := b.Index.EmbedModel(ctx)
	switch {
	case err == nil:
		return "by meaning: not yet; the app makes vectors with " + model.Name + " in the background, `mac-stats memory reindex` makes them now"
	case errors.Is(err, ollama.ErrNoModel), errors.Is(err, ollama.ErrModelMissing):
		return "by words alone: no embedding model is installed; `mac-stats models pull nomic-embed-text` gets one"
	}
	return "by words alone: the Ollama server can't be asked for an embedding model"
}

func summarizeCommand(c *cmdline.Line) *cobra.Command {
	return sessioncmd.Summarizing(c, &cobra.Command{
		Use: "summarize [SESSION]", Short: "Summarise a session now and add the Summary to the search index",
		Long: "summarize does what `sessions compact` does. Without a SESSION it uses the last one of\nthe command line.",
	}, func(ctx context.Context, b *backend.Backend) {
		// The Summary is written in any case: the app or reindex indexes it later.
		if _, err := reindex(ctx, c, b, true); err != nil && ctx.Err() == nil {
			c.Note("mac-stats: the search index was not brought up to date: " + indexProblem(ctx, c, b, err).Error())
		}
	})
}
