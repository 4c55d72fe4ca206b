package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/app/transfer"
)

// importLine is a line of `sessions import --json`.
type importLine struct {
	Type          string                `json:"type"` // imported
	File          string                `json:"file"`
	DryRun        bool                  `json:"dry_run"`
	Conversations int                   `json:"conversations"` // new
	Continued     int                   `json:"continued"`     // conversations that were here and have new messages
	Messages      int                   `json:"messages"`      // new
	Present       int                   `json:"present"`       // conversations without anything new
	Deleted       int                   `json:"deleted"`       // conversations that were deleted here
	Busy          int                   `json:"busy"`          // conversations in which an answer is being written
	Empty         int                   `json:"empty"`         // conversations without messages
	Unreadable    int                   `json:"unreadable"`
	LeftOut       map[transfer.Left]int `json:"left_out,omitempty"` // of the messages: pictures, files, sounds, parts
	From          string                `json:"from"`               // RFC 3339
	To            string                `json:"to"`
}

func importCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "import PATH", Short: "Import conversations from ChatGPT, Claude and other assistants",
		Long: `import makes a transcript of each conversation in PATH, with its own dates, all its
branches, thoughts, documents, pictures and files. It reads the exports of ChatGPT and Claude
(the zip file, its folder, or the JSON in it), of Open WebUI and LibreChat (JSON), the folders
of Jan and LM Studio, the database of Ollama's app (db.sqlite) and that of llm (logs.db). What
can't be imported is named where it stood, and counted.

You can import again: what is here stays as it is, and only new conversations and new messages
are added. What you deleted or forgot here isn't brought back; for that, remove the file
session/.imported.jsonl in the data folder first. --dry-run counts and writes nothing.

Nothing is learnt from imported text without you. Memory search finds it as soon as
the index is up to date.`,
		Example: `  mac-stats sessions import --dry-run chatgpt-export.zip
  mac-stats sessions import chatgpt-export.zip
  mac-stats sessions import ~/.lmstudio/conversations`,
		Args: cmdline.Exactly(1, "one PATH"),
	}
	c.WithJSON(cmd)
	dry := cmd.Flags().Bool("dry-run", false, "count what would be imported and write nothing")
	cmd.RunE = c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
		got, err := importFile(ctx, c, b, args[0], *dry)
		if got.Conversations+got.Continued > 0 && !*dry {
			c.Changed(b, "")
		}
		if err != nil {
			return importProblem(c, args[0], got, err)
		}
		return c.Out.Print(got, importWords(got))
	})
	return cmd
}

// badShown is how many conversations that can't be read are named.
const badShown = 20

func importFile(ctx context.Context, c *cmdline.Line, b *backend.Backend, file string, dry bool) (importLine, error) {
	status, drawn, bad := &cmdline.Status{Line: c}, time.Time{}, 0
	got, err := b.Import(ctx, file, dry, backend.ImportWatch{
		Bad: func(place int, err error) {
			if bad++; bad <= badShown {
				status.Erase()
				c.Note(fmt.Sprintf("mac-stats: conversation %d can't be read: %v", place, err))
			}
		},
		Progress: func(read, of int64, conversations, fresh int) {
			if time.Since(drawn) >= 100*time.Millisecond {
				drawn = time.Now()
				status.Draw(fmt.Sprintf("%d %% read, %s, %d new", 100*read/max(of, 1), words.Count(conversations, "conversation"), fresh))
			}
		},
	})
	status.Erase()
	line := importLine{
		Type: "imported", File: file, DryRun: dry, Conversations: got.Conversations, Continued: got.Continued, Messages: got.Messages,
		Present: got.Present, Deleted: got.Deleted, Busy: got.Busy, Empty: got.Empty, Unreadable: got.Unreadable, LeftOut: got.LeftOut,
	}
	if !got.From.IsZero() {
		line.From, line.To = words.Stamp(got.From), words.Stamp(got.To)
	}
	return line, err
}

// importProblem explains what to do about a file that can't be imported, and what was imported of
// it.
func importProblem(c *cmdline.Line, file string, got importLine, err error) error {
	what := filepath.Base(file) + " can't be imported"
	if got.Conversations+got.Continued > 0 && !got.DryRun {
		what = filepath.Base(file) + " can't be imported whole, only its first " + words.Count(got.Conversations+got.Continued, "conversation")
	}
	switch {
	case errors.Is(err, backend.ErrMemoryOnly):
		return cmdline.Problem("Nothing is imported: transcripts are kept in memory only.",
			"Set session.in_memory_only = false first, or put config.toml right where it can't be read.")
	case errors.Is(err, transfer.ErrFormat):
		return cmdline.Problem(what+": "+words.OneLine(err.Error(), 300)+".", "`mac-stats sessions import --help` says what is read.")
	case errors.Is(err, transfer.ErrDamaged):
		return cmdline.Problem(what+": "+words.OneLine(err.Error(), 200)+".", "Download the export again; what is here already is not imported twice.")
	case errors.Is(err, context.Canceled) && !got.DryRun:
		c.Note("mac-stats: stopped. " + strings.TrimSpace(importWords(got)) + " Import the same file again to go on.")
	}
	return err
}

func importWords(got importLine) string {
	verb := "Imported"
	if got.DryRun {
		verb = "Would import"
	}
	text := fmt.Sprintf("%s %s with %s", verb, words.Count(got.Conversations, "conversation"), words.Count(got.Messages, "message"))
	if got.Continued > 0 {
		text = fmt.Sprintf("%s %s and the rest of %s, with %s", verb, words.Count(got.Conversations, "new conversation"), words.Count(got.Continued, "earlier one"), words.Count(got.Messages, "message"))
	}
	switch {
	case got.From == "":
	case got.From[:10] == got.To[:10]:
		text += ", of " + got.From[:10]
	default:
		text += fmt.Sprintf(", from %s to %s", got.From[:10], got.To[:10])
	}
	text += "."
	var left []string
	for _, n := range []struct {
		n    int
		what string
	}{
		{got.Present, "already here"}, {got.Deleted, "deleted here"}, {got.Busy, "in use (import again later)"}, {got.Empty, "without a message"}, {got.Unreadable, "unreadable"},
	} {
		if n.n > 0 {
			left = append(left, words.Thousands(n.n)+" "+n.what)
		}
	}
	if len(left) > 0 {
		text += " Left out: " + strings.Join(left, ", ") + "."
	}
	left = nil
	for _, n := range []struct {
		what transfer.Left
		one  string
	}{{transfer.LeftPictures, "picture"}, {transfer.LeftFiles, "file"}, {transfer.LeftSounds, "sound"}, {transfer.LeftOthers, "part"}} {
		if got.LeftOut[n.what] > 0 {
			left = append(left, words.Count(got.LeftOut[n.what], n.one))
		}
	}
	if len(left) > 0 {
		text += " Not imported, and named where they stood: " + strings.Join(left, ", ") + "."
	}
	if got.Conversations+got.Continued > 0 && !got.DryRun {
		text += " `mac-stats memory reindex` makes them searchable now; the app does it by itself."
	}
	return text + "\n"
}
