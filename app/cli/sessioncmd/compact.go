package sessioncmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/session"
)

// compactionLine is the line of `sessions compact --json`.
type compactionLine struct {
	Type     string `json:"type"` // compaction
	Name     string `json:"name"`
	Messages int    `json:"messages"` // how many the new Summary covers
	Recent   int    `json:"recent"`   // how many stay in full
	Summary  string `json:"summary"`  // its block ID; "" if there was nothing to summarise
	By       string `json:"by"`       // the model
	Lessons  int    `json:"lessons"`  // remembered
	Proposed int    `json:"proposed"` // waiting in the inbox
	Refused  int    `json:"refused"`  // dropped because they may not be remembered
	Text     string `json:"text"`
}

func compactCommand(c *cmdline.Line) *cobra.Command {
	return Summarizing(c, &cobra.Command{
		Use: "compact [NAME]", Short: "Summarise a session now; its transcript keeps everything",
		Long: "compact lets the small model summarise a session. Later messages are sent with the\nSummary and with the last messages word for word. The transcript doesn't change.",
	}, nil)
}

// Summarizing makes cmd summarise a session and then call then, which may be nil.
func Summarizing(c *cmdline.Line, cmd *cobra.Command, then func(context.Context, *backend.Backend)) *cobra.Command {
	cmd.Args = cmdline.AtMost(1, "one NAME")
	cmd.ValidArgsFunction = c.CompleteFirst(cmdline.SessionNames)
	c.WithJSON(cmd)
	cmd.RunE = onSession(c, func(ctx context.Context, b *backend.Backend, name string) error {
		line, err := compactNow(ctx, c, b, name)
		if err != nil {
			return err
		}
		if then != nil {
			then(ctx, b)
		}
		return c.Out.Print(line, name+": "+line.Text+".\n")
	})
	return cmd
}

// compactNow summarises a session even if it isn't due.
func compactNow(ctx context.Context, c *cmdline.Line, b *backend.Backend, name string) (compactionLine, error) {
	line := compactionLine{Type: "compaction", Name: name, Text: "nothing to summarise"}
	done, err := b.Compaction.Summarize(ctx, name, func(messages int) {
		if c.StderrIsTerminal {
			c.Note(fmt.Sprintf("compacting %d messages…", messages))
		}
	})
	switch {
	case errors.Is(err, session.ErrStale):
		return line, cmdline.Problem("The conversation has changed in the meantime.", "Run the command again.")
	case errors.Is(err, compact.ErrBusy):
		return line, cmdline.Problem("Another process is summarising this session.", "Run the command again in a minute, if it is still needed.")
	case err != nil:
		return line, err
	}
	if line.Recent = done.Recent; done.Summary.ID == "" {
		return line, nil
	}
	line.Messages, line.Recent, line.Summary, line.By = done.Messages, done.Recent, done.Summary.ID, done.Summary.By
	line.Lessons, line.Proposed, line.Refused = done.Lessons.Remembered(), len(done.Lessons.Proposed), done.Lessons.Refused
	line.Text = done.Words()
	c.Changed(b, name)
	return line, nil
}
