package memorycmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/recall"
)

const (
	mostHits  = 1000
	mostQuery = 64 << 10 // the longest line of stdin, in bytes
)

// resultLine is a line of `memory search --json`.
type resultLine struct {
	Type string `json:"type"` // result
	backend.Found
}

// searchFlags holds the flags of memory search.
type searchFlags struct {
	limit    int
	session  string
	all      bool
	cold     bool
	strategy string
	beside   bool
}

func searchCommand(c *cmdline.Line) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use: "search QUERY | -", Short: "Search conversations and memory in your own words",
		Long: `search looks through all conversations and memory files: for words, names, error
codes, dates ("last week", "in May"), and for meaning where an embedding model is
installed. With - it answers each line of stdin, one after the other.

It doesn't read the files again; its last line says how far the index is behind
them. The app keeps the index up to date; without the app, "memory reindex" does.`,
		Example: `  mac-stats memory search "which port did we use for the proxy"
  mac-stats memory search --session notes --limit 3 ERR_TIMEOUT
  mac-stats memory search --json - < questions.txt`,
	}
	flags := cmd.Flags()
	flags.IntVar(&f.limit, "limit", 0, "maximum number of messages, each with its best passage; 0 uses recall.top_k")
	flags.StringVar(&f.session, "session", "", "only in this session")
	flags.BoolVar(&f.all, "all-sessions", false, "in all sessions and memory files (what it does without --session)")
	flags.BoolVar(&f.cold, "include-cold", false, "also in sessions that are older than recall.cold_after_days")
	flags.StringVar(&f.strategy, "strategy", "", "lexical (words), semantic (meaning) or hybrid; else recall.strategy")
	flags.BoolVar(&f.beside, "beside", false, "also show the first lines of the messages before and after each")
	c.WithJSON(cmd)
	c.CompleteFlag(cmd, "session", cmdline.SessionNames)
	c.CompleteFlag(cmd, "strategy", func(context.Context, *backend.Backend) []string { return strategies() })
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return searchMemory(c, cmd, args, f) }
	return cmd
}

func strategies() []string {
	return []string{string(recall.Hybrid), string(recall.Lexical), string(recall.Semantic)}
}

// checkSearch refuses contradictory flags before anything is opened.
func checkSearch(cmd *cobra.Command, args []string, f searchFlags) error {
	query := strings.Join(args, " ")
	switch {
	case strings.TrimSpace(query) == "":
		return cmdline.WrongUsage(cmd, "the query is empty")
	case !utf8.ValidString(query):
		return cmdline.WrongUsage(cmd, "the query is not UTF-8")
	case slices.Contains(args, "-") && len(args) > 1:
		return cmdline.WrongUsage(cmd, "give a query, or - for those on stdin")
	case f.limit < 0 || f.limit > mostHits:
		return cmdline.WrongUsage(cmd, fmt.Sprintf("--limit must be from 0 to %d", mostHits))
	case f.session != "" && f.all:
		return cmdline.WrongUsage(cmd, "--session and --all-sessions exclude each other")
	case f.strategy != "" && !slices.Contains(strategies(), f.strategy):
		return cmdline.WrongUsage(cmd, "--strategy is lexical, semantic or hybrid")
	}
	return nil
}

func searchMemory(c *cmdline.Line, cmd *cobra.Command, args []string, f searchFlags) error {
	if err := checkSearch(cmd, args, f); err != nil {
		return err
	}
	ctx := cmd.Context()
	return c.WithBackend(ctx, func(b *backend.Backend) error {
		q := recall.Query{Limit: f.limit, Cold: f.cold, Strategy: recall.Strategy(f.strategy), Beside: f.beside}
		if f.session != "" {
			name, err := b.Store.Resolve(ctx, cmdline.Source, f.session)
			if err != nil {
				return err
			}
			q.Scope.Session = name
		}
		if args[0] == "-" {
			return searchLines(ctx, c, b, q)
		}
		q.Text = strings.Join(args, " ")
		return searchOne(ctx, c, b, q)
	})
}

// searchLines answers each line of stdin as it arrives.
func searchLines(ctx context.Context, c *cmdline.Line, b *backend.Backend, q recall.Query) error {
	lines := bufio.NewScanner(c.Stdin)
	lines.Buffer(nil, mostQuery)
	for n := 1; lines.Scan(); n++ {
		if !utf8.Valid(lines.Bytes()) {
			return cmdline.Problem(fmt.Sprintf("Line %d of stdin is not UTF-8.", n), "Send text, one query a line.")
		}
		q.Text = strings.TrimSpace(lines.Text())
		if !c.Out.AsJSON {
			if err := c.Out.Text(fmt.Sprintf("# %s\n", words.OneLine(q.Text, 200))); err != nil {
				return err
			}
		}
		if err := searchOne(ctx, c, b, q); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return cmdline.Problem("A line of stdin is longer than "+words.Size(mostQuery)+".", "Send one query a line.")
	}
	return lines.Err()
}

func searchOne(ctx context.Context, c *cmdline.Line, b *backend.Backend, q recall.Query) error {
	found, state, err := b.Index.Find(ctx, q)
	if err != nil {
		return indexProblem(ctx, c, b, err)
	}
	if c.Out.AsJSON {
		return c.Out.JSON(resultLine{Type: "result", Found: found})
	}
	for _, h := range found.Hits {
		where, at := h.Session, ""
		if where == "" {
			where = h.Path
		}
		if t, err := time.Parse(time.RFC3339, h.Time); err == nil {
			at = words.When(t)
		}
		if h.Machine != "" {
			where += " on " + h.Machine
		}
		text := fmt.Sprintf("%s · %s · %s · %.2f\n", where, at, h.Kind, h.Score)
		if h.Before != "" {
			text += "  before: " + words.OneLine(h.Before, 300) + "\n"
		}
		text += "  " + words.OneLine(h.Text, 300) + "\n"
		if h.After != "" {
			text += "  after: " + words.OneLine(h.After, 300) + "\n"
		}
		if err := c.Out.Text(text); err != nil {
			return err
		}
	}
	end := "Index: " + found.State + "."
	if len(found.Hits) == 0 {
		end = "Nothing found. " + end
		if state.Cold > 0 {
			end += " --include-cold looks there too."
		}
	}
	if state.Behind > 0 && !state.Building && !c.AppWorks(ctx, b) {
		end += " `mac-stats memory reindex` brings it up to date."
	}
	return c.Out.Text(end + "\n")
}

// indexProblem explains what to do about an index that can't be used. It notifies the app of a
// damaged one.
func indexProblem(ctx context.Context, c *cmdline.Line, b *backend.Backend, err error) error {
	switch {
	case cmdline.IsStop(err):
		return err
	case errors.Is(err, recall.ErrDamaged) && c.AppWorks(ctx, b):
		c.Changed(b, "")
		return cmdline.Problem("The search index is damaged.", "The app is rebuilding it; try again in a moment.")
	case errors.Is(err, recall.ErrDamaged):
		return cmdline.Problem("The search index is damaged.", "Rebuild it with `mac-stats memory reindex`, or start the app, which does the same.")
	}
	return cmdline.Problem(words.Sentence(words.OneLine(err.Error(), 300)),
		"Check the cache folder's permissions and the free space, then `mac-stats memory reindex`; the index may be deleted at any time.")
}
