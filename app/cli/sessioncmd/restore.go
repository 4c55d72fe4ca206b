package sessioncmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/sessionmem/session"
)

// restoreLine is the line of `sessions restore --json`.
type restoreLine struct {
	Type     string `json:"type"` // restore
	Name     string `json:"name"`
	Kept     bool   `json:"kept_removed"` // the removal was accepted
	Messages int    `json:"messages"`
	Others   int    `json:"others"` // summaries, tool results, resets and other notes
}

func restoreCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "restore [NAME]", Short: "Restore what a save removed from a transcript",
		Long: `restore puts back messages that are no longer in a transcript because an editor or a
sync program saved it without them, each in its old place. --keep-removed accepts the
removal instead, and mac-stats drops its copy. Until you decide, removed messages are
in no list, search or request; they are kept for 30 days.`,
		Args: cmdline.AtMost(1, "one NAME"),
	}
	cmd.ValidArgsFunction = c.CompleteFirst(cmdline.SessionNames)
	c.WithJSON(cmd)
	keep := cmd.Flags().Bool("keep-removed", false, "accept the removal")
	cmd.RunE = c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
		name, err := restorable(ctx, b, args)
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
		c.Changed(b, name)
		if c.Out.AsJSON {
			return c.Out.JSON(restoreLine{Type: "restore", Name: name, Kept: *keep, Messages: done.Messages, Others: done.Others})
		}
		switch {
		case done.Messages+done.Others == 0:
			return c.Out.Text("Nothing is missing from " + name + ".\n")
		case *keep:
			return c.Out.Text(fmt.Sprintf("%s: %s removed for good.\n", name, is(done)))
		}
		return c.Out.Text(fmt.Sprintf("%s: %s back in the transcript.\n", name, is(done)))
	})
	return cmd
}

// restorable returns the named session, even if its transcript is missing altogether.
func restorable(ctx context.Context, b *backend.Backend, args []string) (string, error) {
	name, err := resolve(ctx, b, args)
	if !errors.Is(err, session.ErrNotFound) || len(args) == 0 {
		return name, err
	}
	if gone, _ := goneSession(ctx, b, args[0]); gone != "" {
		return gone, nil
	}
	return "", err
}
