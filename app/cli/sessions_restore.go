package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/sessionmem"
)

// restoreLine is the line of `sessions restore --json`.
type restoreLine struct {
	Type     string `json:"type"` // restore
	Name     string `json:"name"`
	Kept     bool   `json:"kept_removed"` // the removal was agreed with
	Messages int    `json:"messages"`
	Others   int    `json:"others"` // summaries, results of tools, resets and other notes
}

func (c *commands) sessionsRestore() *cobra.Command {
	cmd := &cobra.Command{
		Use: "restore [NAME]", Short: "Put back what a save removed from a transcript",
		Long: `restore puts back what is no longer in a transcript because an editor or a sync
program saved it without: each message where it stood. --keep-removed accepts the
removal instead, and mac-stats lets go of it. Until you decide, removed messages
are in no list, no search and no request; they are kept for 30 days.`,
		Args: atMost(1, "one NAME"),
	}
	cmd.ValidArgsFunction = c.first(sessionNames)
	asJSON := jsonFlag(cmd)
	keep := cmd.Flags().Bool("keep-removed", false, "accept the removal")
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		return c.withBackend(ctx, func(b *backend.Backend) error {
			name, err := c.restorable(ctx, b, args)
			if err != nil {
				return err
			}
			decide := b.Store.Restore
			if *keep {
				decide = b.Store.KeepRemoved
			}
			done, err := decide(ctx, name)
			if err != nil {
				return err
			}
			c.poke(b, name)
			if *asJSON {
				return c.out.json(restoreLine{Type: "restore", Name: name, Kept: *keep, Messages: done.Messages, Others: done.Others})
			}
			switch {
			case done.Messages+done.Others == 0:
				return c.out.text("Nothing is missing from " + name + ".\n")
			case *keep:
				return c.out.text(fmt.Sprintf("%s: %s removed for good.\n", name, is(done)))
			}
			return c.out.text(fmt.Sprintf("%s: %s back in the transcript.\n", name, is(done)))
		})
	})
	return cmd
}

// restorable is the session that is named; its transcript may be gone altogether.
func (c *commands) restorable(ctx context.Context, b *backend.Backend, args []string) (string, error) {
	name, err := c.resolve(ctx, b, args)
	if !errors.Is(err, sessionmem.ErrNotFound) || len(args) == 0 {
		return name, err
	}
	if gone, _ := goneSession(ctx, b, args[0]); gone != "" {
		return gone, nil
	}
	return "", err
}

// goneSession is the session of a name whose transcript is gone altogether and can be
// restored; "" where there is none.
func goneSession(ctx context.Context, b *backend.Backend, name string) (string, sessionmem.Removed) {
	name = strings.ToLower(name)
	for _, gone := range []string{source + "-" + name, name} {
		if removed, err := b.Store.Removed(ctx, gone); err == nil && removed.Messages+removed.Others > 0 {
			return gone, removed
		}
	}
	return "", sessionmem.Removed{}
}

// is begins a sentence about what was removed: "2 messages are".
func is(r sessionmem.Removed) string {
	n, word := r.Messages, "message"
	if n == 0 {
		n, word = r.Others, "entry"
	}
	switch {
	case n == 1:
		return "1 " + word + " is"
	case word == "entry":
		word = "entrie"
	}
	return fmt.Sprintf("%d %ss are", n, word)
}

// tellRemoved says what a save removed from a session and is not decided about.
func (c *commands) tellRemoved(ctx context.Context, b *backend.Backend, session string) {
	removed, err := b.Store.Removed(ctx, session)
	if err != nil || removed.Messages+removed.Others == 0 {
		return // what can't be read is told of by what reads it next
	}
	name := strings.TrimPrefix(session, source+"-")
	c.note(fmt.Sprintf("mac-stats: %s no longer in the transcript of %s. Bring them back with `mac-stats sessions restore %s`, or accept their removal with `mac-stats sessions restore --keep-removed %s`.",
		is(removed), session, name, name))
}
