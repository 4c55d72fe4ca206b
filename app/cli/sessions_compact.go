package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
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
	return c.compacting(&cobra.Command{
		Use: "compact [NAME]", Short: "Summarise a session now; its transcript keeps everything",
		Long: "compact lets the small model summarise a session: later messages are sent with the\nSummary and the last messages word for word. Nothing in the transcript is changed.",
	}, nil)
}

func (c *commands) memorySummarize() *cobra.Command {
	return c.compacting(&cobra.Command{
		Use: "summarize [SESSION]", Short: "Summarise a session now, and take the Summary into the search index",
		Long: "summarize does what `sessions compact` does. Without a SESSION the last one of the\ncommand line is meant.",
	}, c.indexNow)
}

// indexNow brings the index up to date. What was done before it stands in any case:
// the app, or reindex, takes it up later.
func (c *commands) indexNow(ctx context.Context, b *backend.Backend) {
	if _, err := c.reindex(ctx, b, true); err != nil && ctx.Err() == nil {
		c.note("mac-stats: the search index was not brought up to date: " + c.indexProblem(ctx, b, err).Error())
	}
}

// compacting makes a command of one that summarises a session and then does what is
// to be done, nil for nothing.
func (c *commands) compacting(cmd *cobra.Command, then func(context.Context, *backend.Backend)) *cobra.Command {
	cmd.Args = atMost(1, "one NAME")
	cmd.ValidArgsFunction = c.first(sessionNames)
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		return c.withSession(cmd.Context(), args, func(b *backend.Backend, name string) error {
			line, err := c.compactNow(cmd.Context(), b, name)
			if err != nil {
				return err
			}
			if then != nil {
				then(cmd.Context(), b)
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
	line := compactionLine{Type: "compaction", Name: name, Text: "nothing to summarise"}
	done, err := b.Summarize(ctx, name, func(messages int) {
		if c.p.StderrIsTerminal {
			c.note(fmt.Sprintf("compacting %d messages…", messages))
		}
	})
	switch {
	case errors.Is(err, sessionmem.ErrStale):
		return line, &plainError{"The conversation went on another way meanwhile.", "Run the command again."}
	case errors.Is(err, compact.ErrBusy):
		return line, &plainError{"Another process summarises this session now.", "Run the command again in a minute, if it is still needed."}
	case err != nil:
		return line, err
	}
	if line.Recent = done.Recent; done.Summary.ID == "" {
		return line, nil
	}
	line.Messages, line.Recent, line.Summary, line.By = done.Messages, done.Recent, done.Summary.ID, done.Summary.By
	line.Lessons, line.Proposed, line.Refused = done.Lessons.Remembered(), len(done.Lessons.Proposed), done.Lessons.Refused
	line.Text = done.Words()
	c.poke(b, name)
	return line, nil
}
