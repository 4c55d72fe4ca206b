package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/sessionmem"
)

// compactionLine is the line of `sessions compact --json`.
type compactionLine struct {
	Type     string `json:"type"` // compaction
	Name     string `json:"name"`
	Messages int    `json:"messages"` // covered by the new Summary
	Recent   int    `json:"recent"`   // that stay word for word
	Summary  string `json:"summary"`  // its block id; "" where there was nothing to do
	By       string `json:"by"`       // the model
	Lessons  int    `json:"lessons"`  // remembered
	Proposed int    `json:"proposed"` // waiting in the inbox
	Refused  int    `json:"refused"`  // dropped: they may not be remembered
	Text     string `json:"text"`
}

func (c *commands) sessionsCompact() *cobra.Command {
	cmd := &cobra.Command{
		Use: "compact [NAME]", Short: "Summarise a session now; its transcript keeps everything",
		Long: "compact lets the small model summarise a session: later messages are sent with the\nSummary and the last messages word for word. Nothing in the transcript is changed.",
		Args: atMost(1, "one NAME"),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			name, err := c.resolve(cmd.Context(), b, args)
			if err != nil {
				return err
			}
			line, err := c.compactNow(cmd.Context(), b, name)
			if err != nil {
				return err
			}
			if *asJSON {
				return c.out.json(line)
			}
			return c.out.text(name + ": " + line.Text + ".\n")
		})
	})
	return cmd
}

// compactNow summarises a session as a request would, but for its being due.
func (c *commands) compactNow(ctx context.Context, b *backend.Backend, name string) (compactionLine, error) {
	snap, policy, err := b.Compaction.Snapshot(ctx, name, "")
	line := compactionLine{Type: "compaction", Name: name, Recent: len(snap.Messages), Text: "nothing to summarise"}
	if err != nil || snap.Covered(policy.KeepRecent) == 0 {
		return line, err
	}
	if c.p.StderrIsTerminal {
		c.note(fmt.Sprintf("compacting %d messages…", snap.Covered(policy.KeepRecent)))
	}
	done, err := b.Compaction.Compact(ctx, snap, policy.KeepRecent)
	switch {
	case errors.Is(err, sessionmem.ErrStale):
		return line, &plainError{"The conversation went on another way meanwhile.", "Run the command again."}
	case errors.Is(err, sessionmem.ErrCompacting):
		return line, &plainError{"Another process summarises this session now.", "Run the command again in a minute, if it is still needed."}
	case err != nil:
		return line, err
	}
	line.Messages, line.Recent, line.Summary, line.By = done.Messages, done.Recent, done.Summary.ID, done.Summary.By
	line.Lessons, line.Proposed, line.Refused = done.Lessons.Remembered(), len(done.Lessons.Proposed), done.Lessons.Refused
	line.Text = done.Words()
	c.poke(b, name)
	return line, nil
}
