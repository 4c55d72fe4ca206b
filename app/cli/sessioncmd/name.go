package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// Last returns the last session that a command used.
func Last(ctx context.Context, b *backend.Backend) (string, error) {
	list, err := b.Store.List(ctx)
	if err != nil {
		return "", err
	}
	var last transcript.Info
	for _, info := range list {
		if info.Source == cmdline.Source && !info.ReadOnly && info.Err == nil && (last.Name == "" || isLater(info, last)) {
			last = info
		}
	}
	if last.Name == "" {
		return "", cmdline.Problem("There is no session of the command line yet.",
			"Begin one with `mac-stats ask TEXT`, or name one: `mac-stats sessions list` shows them.")
	}
	return last.Name, nil
}

// isLater compares sessions by their last block, whose time is in seconds, and within the
// same second by when the file was written.
func isLater(x, y transcript.Info) bool {
	if c := x.Active.Compare(y.Active); c != 0 {
		return c > 0
	}
	fx, errX := os.Stat(x.Path)
	fy, errY := os.Stat(y.Path)
	return errX == nil && errY == nil && fx.ModTime().After(fy.ModTime())
}

// resolve returns the named session, or the last one.
func resolve(ctx context.Context, b *backend.Backend, args []string) (string, error) {
	if len(args) == 0 {
		return Last(ctx, b)
	}
	name, err := b.Store.Resolve(ctx, cmdline.Source, args[0])
	if errors.Is(err, session.ErrNotFound) {
		if gone, removed := goneSession(ctx, b, args[0]); gone != "" {
			err = fmt.Errorf("%w: the transcript of %s is gone, but what was said isn't; `mac-stats sessions restore %s` brings it back (%s missing)",
				session.ErrNotFound, gone, args[0], is(removed))
		}
	}
	return name, err
}

// withSession is WithBackend for a command that works on one session; see resolve for how
// args name it.
func withSession(ctx context.Context, c *cmdline.Line, args []string, do func(b *backend.Backend, session string) error) error {
	return c.WithBackend(ctx, func(b *backend.Backend) error {
		name, err := resolve(ctx, b, args)
		if err != nil {
			return err
		}
		ReportRemoved(ctx, c, b, name)
		return do(b, name)
	})
}

// onSession returns the run function of a command that works on one session; see resolve
// for how its arguments name it.
func onSession(c *cmdline.Line, do func(ctx context.Context, b *backend.Backend, session string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return withSession(cmd.Context(), c, args, func(b *backend.Backend, name string) error { return do(cmd.Context(), b, name) })
	}
}

// goneSession returns the session of this name if its transcript is missing altogether and
// can be restored; "" otherwise.
func goneSession(ctx context.Context, b *backend.Backend, name string) (string, session.Removed) {
	name = strings.ToLower(name)
	for _, gone := range []string{cmdline.Source + "-" + name, name} {
		if removed, err := b.Store.Removed(ctx, gone); err == nil && removed.Messages+removed.Others > 0 {
			return gone, removed
		}
	}
	return "", session.Removed{}
}

// is begins a sentence about removed messages: "2 messages are".
func is(r session.Removed) string {
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

// ReportRemoved reports what a save removed from a session, until the user decides about
// it.
func ReportRemoved(ctx context.Context, c *cmdline.Line, b *backend.Backend, session string) {
	removed, err := b.Store.Removed(ctx, session)
	if err != nil || removed.Messages+removed.Others == 0 {
		return // the next reader reports what can't be read
	}
	name := strings.TrimPrefix(session, cmdline.Source+"-")
	c.Note(fmt.Sprintf("mac-stats: %s no longer in the transcript of %s. Bring them back with `mac-stats sessions restore %s`, or accept their removal with `mac-stats sessions restore --keep-removed %s`.",
		is(removed), session, name, name))
}
