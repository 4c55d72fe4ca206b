package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/agents/ollama"
	"mac-stats/app/backend"
	"mac-stats/sessionmem/recall"
)

// indexLine is a line of `memory status --json` and `memory reindex --json`.
type indexLine struct {
	Type      string `json:"type"`  // index
	State     string `json:"state"` // in words, as searches say it
	Building  bool   `json:"building"`
	Done      int    `json:"done"` // of the building: files done,
	Of        int    `json:"of"`   // and files to do
	Path      string `json:"path"`
	Files     int    `json:"files"`
	Behind    int    `json:"behind"` // files that changed since they were indexed
	Chunks    int    `json:"chunks"`
	Bytes     int64  `json:"bytes"`      // of the index
	TextBytes int64  `json:"text_bytes"` // of what it covers
	Vectors   int    `json:"vectors"`
	Model     string `json:"model"`      // that made them
	Synced    string `json:"synced"`     // RFC 3339
	Forgets   int    `json:"forgetting"` // forgettings that are not complete yet
	TookMS    int64  `json:"took_ms,omitempty"`
}

func (c *commands) memoryStatus() *cobra.Command {
	cmd := &cobra.Command{Use: "status", Short: "Say what the search index covers, and how far it is behind", Args: exact(0, "no arguments")}
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			return c.printIndex(cmd.Context(), b, 0, *asJSON)
		})
	})
	return cmd
}

func (c *commands) memoryReindex() *cobra.Command {
	cmd := &cobra.Command{
		Use: "reindex", Short: "Build the search index anew; returns when it is complete",
		Long: `reindex builds the search index from the files, which stay as they are, and where an
embedding model is installed it makes the vectors that are missing. It works with the app
running or not; searches are answered by the old index meanwhile. Interrupted, it goes on
where it was at the next run.`,
		Args: exact(0, "no arguments"),
	}
	asJSON := jsonFlag(cmd)
	changed := cmd.Flags().Bool("changed", false, "only take up what has changed")
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			took, err := c.reindex(cmd.Context(), b, *changed)
			if err != nil {
				return c.indexProblem(cmd.Context(), b, err)
			}
			return c.printIndex(cmd.Context(), b, took, *asJSON)
		})
	})
	return cmd
}

// reindex builds the index and shows how far it is where people look.
func (c *commands) reindex(ctx context.Context, b *backend.Backend, changed bool) (time.Duration, error) {
	index, err := b.Recall()
	if err != nil {
		return 0, err
	}
	var bar *progressLine
	if c.p.StderrIsTerminal {
		bar = &progressLine{c: c}
		stop := b.OnIndexing(bar.show)
		defer func() { stop(); bar.erase() }()
	}
	work := index.Rebuild
	if changed {
		work = index.Sync
	}
	report, err := work(ctx)
	if err == nil {
		var progress func(made, of int, left time.Duration)
		if bar != nil {
			progress = bar.vectors
		}
		err = c.makeVectors(ctx, index, progress)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return report.Took, err
}

// makeVectors makes the vectors that are missing. A server that can't is no fault of the
// index, which finds by words.
func (c *commands) makeVectors(ctx context.Context, index *recall.Index, progress func(made, of int, left time.Duration)) error {
	err := index.MakeVectors(ctx, progress)
	switch {
	case err == nil, errors.Is(err, recall.ErrNoModel):
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	c.toStderr("The vectors could not all be made: " + oneLine(err.Error(), 300) + ". Searches go by words; the next reindex goes on with them.\n")
	return nil
}

// progressLine is the line on a terminal that says how far an indexing is.
type progressLine struct {
	c *commands

	mu    sync.Mutex
	drawn time.Time
	ended bool
}

func (l *progressLine) show(p recall.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || time.Since(l.drawn) < 100*time.Millisecond {
		return
	}
	l.drawn = time.Now()
	what := "indexing"
	if p.Elsewhere {
		what = "waiting for another mac-stats that is indexing"
	}
	l.c.toStderr(fmt.Sprintf("\r\x1b[K%s: %d %%, %s of %s, %s", what, 100*p.Files/max(p.Of, 1), thousands(p.Files), count(p.Of, "file"), count(p.Chunks, "passage")))
}

// vectors tells how far the making of vectors is.
func (l *progressLine) vectors(made, of int, left time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || time.Since(l.drawn) < 100*time.Millisecond {
		return
	}
	l.drawn = time.Now()
	line := fmt.Sprintf("\r\x1b[Kby meaning: %d %%, %s of %s", 100*made/max(of, 1), thousands(made), count(of, "passage"))
	if left > 0 {
		line += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	l.c.toStderr(line)
}

func (l *progressLine) erase() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if !l.drawn.IsZero() {
		l.c.toStderr("\r\x1b[K")
	}
}

func (c *commands) printIndex(ctx context.Context, b *backend.Backend, took time.Duration, asJSON bool) error {
	index, err := b.Recall()
	if err != nil {
		return c.indexProblem(ctx, b, err)
	}
	s, err := index.Status(ctx)
	if err != nil {
		return c.indexProblem(ctx, b, err)
	}
	forgets := len(b.Store.Forgotten().Unfinished())
	if asJSON {
		return c.out.json(indexLine{
			Forgets: forgets,
			Type:    "index", State: s.String(), Building: s.Building, Done: s.Done, Of: s.Of, Path: s.Path, Files: s.Files, Behind: s.Behind, Chunks: s.Chunks,
			Bytes: s.Bytes, TextBytes: s.TextBytes, Vectors: s.VectorCount, Model: s.Model, Synced: stamp(s.LastSync), TookMS: took.Milliseconds(),
		})
	}
	text := fmt.Sprintf("%s of %s, %s\n", count(s.Chunks, "passage"), count(s.Files, "file"), s.String())
	if s.Bytes > 0 {
		text += fmt.Sprintf("  %s: %s for %s of text\n", s.Path, size(s.Bytes), size(s.TextBytes))
	}
	text += "  " + vectorWords(ctx, b, s) + "\n"
	if server := backendWords(ctx, b); server != "" {
		text += "  " + server + "\n"
	}
	if took > 0 {
		text += fmt.Sprintf("  built in %.1f s\n", took.Seconds())
	}
	if forgets > 0 {
		text += "  " + count(forgets, "forgetting is", "forgettings are") + " not complete yet: the app tries again by itself\n"
	}
	switch {
	case s.Unfinished:
		text += "  an indexing anew was stopped; `mac-stats memory reindex` goes on with it\n"
	case s.Behind > 0 && !s.Building && !c.appRuns(ctx, b):
		text += "  `mac-stats memory reindex` brings it up to date.\n"
	}
	return c.out.text(text)
}

// vectorWords say whether a search by meaning is possible, and what is missing.
func vectorWords(ctx context.Context, b *backend.Backend, s recall.Status) string {
	if s.VectorCount > 0 {
		return fmt.Sprintf("by meaning: %s of %s (%s)", count(s.VectorCount, "vector"), s.Model, s.Vectors)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	model, err := b.EmbedModel(ctx)
	switch {
	case err == nil:
		return "by meaning: not yet; the app makes vectors with " + model.Name + " in the background, `mac-stats memory reindex` makes them now"
	case errors.Is(err, ollama.ErrNoModel), errors.Is(err, ollama.ErrModelMissing):
		return "by words alone: no embedding model is installed; `mac-stats models pull nomic-embed-text` gets one"
	}
	return "by words alone: the Ollama server can't be asked for an embedding model"
}
