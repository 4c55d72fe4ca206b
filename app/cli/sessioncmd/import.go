package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/app/transfer"
)

// importLine is a line of `sessions import --json`.
type importLine struct {
	Type          string `json:"type"` // imported
	File          string `json:"file"`
	DryRun        bool   `json:"dry_run"`
	Conversations int    `json:"conversations"` // new
	Messages      int    `json:"messages"`      // in the new conversations
	Present       int    `json:"present"`       // conversations that exist already
	Empty         int    `json:"empty"`         // conversations without messages
	Unreadable    int    `json:"unreadable"`
	From          string `json:"from"` // RFC 3339
	To            string `json:"to"`
}

func importCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Import conversations from ChatGPT's or Claude's export",
		Long: `import reads the zip file you get from ChatGPT or Claude as your export (or its
conversations.json) and makes a transcript of each conversation, with its own date.
Conversations that are already here stay as they are, so you can import the same file
again. --dry-run counts and writes nothing.

Nothing is learnt from imported text without you. Memory search finds it as soon as
the index is up to date.`,
		Example: `  mac-stats sessions import --dry-run chatgpt-export.zip
  mac-stats sessions import chatgpt-export.zip`,
		Args: cmdline.Exactly(1, "one FILE"),
	}
	c.WithJSON(cmd)
	dry := cmd.Flags().Bool("dry-run", false, "count what would be imported and write nothing")
	cmd.RunE = c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
		got, err := importFile(ctx, c, b, args[0], *dry)
		if err != nil {
			return importProblem(args[0], got, err)
		}
		if got.Conversations > 0 && !*dry {
			c.Changed(b, "")
		}
		return c.Out.Print(got, importWords(got))
	})
	return cmd
}

func importFile(ctx context.Context, c *cmdline.Line, b *backend.Backend, file string, dry bool) (importLine, error) {
	got, err := b.Import(ctx, file, dry, func(place int, err error) {
		c.Note(fmt.Sprintf("mac-stats: conversation %d can't be read: %v", place, err))
	})
	line := importLine{
		Type: "imported", File: file, DryRun: dry, Conversations: got.Conversations, Messages: got.Messages,
		Present: got.Present, Empty: got.Empty, Unreadable: got.Unreadable,
	}
	if got.Conversations > 0 {
		line.From, line.To = words.Stamp(got.From), words.Stamp(got.To)
	}
	return line, err
}

// importProblem explains what to do about a file that can't be imported.
func importProblem(file string, got importLine, err error) error {
	what := filepath.Base(file) + " can't be imported"
	switch {
	case errors.Is(err, backend.ErrMemoryOnly):
		return cmdline.Problem("Nothing is imported: transcripts are kept in memory only.",
			"Set session.in_memory_only = false first, or put config.toml right where it can't be read.")
	case errors.Is(err, transfer.ErrFormat):
		return cmdline.Problem(what+": "+err.Error()+".", "Give the zip file that ChatGPT or Claude sent you, or its conversations.json.")
	case errors.Is(err, transfer.ErrDamaged):
		if got.Conversations > 0 && !got.DryRun {
			what = filepath.Base(file) + " can't be imported whole, only its first " + words.Count(got.Conversations, "conversation")
		}
		return cmdline.Problem(what+": "+words.OneLine(err.Error(), 200)+".", "Download the export again; what is here already is not imported twice.")
	}
	return err
}

func importWords(got importLine) string {
	verb := "Imported"
	if got.DryRun {
		verb = "Would import"
	}
	text := fmt.Sprintf("%s %s with %s", verb, words.Count(got.Conversations, "conversation"), words.Count(got.Messages, "message"))
	switch {
	case got.Conversations > 0 && got.From[:10] == got.To[:10]:
		text += ", of " + got.From[:10]
	case got.Conversations > 0:
		text += fmt.Sprintf(", from %s to %s", got.From[:10], got.To[:10])
	}
	text += "."
	var left []string
	for _, n := range []struct {
		n    int
		what string
	}{{got.Present, "already here"}, {got.Empty, "without a message"}, {got.Unreadable, "unreadable"}} {
		if n.n > 0 {
			left = append(left, fmt.Sprintf("%d %s", n.n, n.what))
		}
	}
	if len(left) > 0 {
		text += " Left out: " + strings.Join(left, ", ") + "."
	}
	if got.Conversations > 0 && !got.DryRun {
		text += " `mac-stats memory reindex` makes them searchable now; the app does it by itself."
	}
	return text + "\n"
}
