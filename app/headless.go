package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"mac-stats/app/backend"
	"mac-stats/app/cli"
	"mac-stats/app/config"
	"mac-stats/app/instance"
)

// runHeadless runs the app without a screen: the single instance for the data folder, its
// watchers and Discord.
func runHeadless(ctx context.Context, o cli.AppOptions) error {
	b, err := backend.Open(ctx, backend.Options{Demo: o.Demo, Watch: true, Version: buildVersion()})
	if err != nil {
		return err
	}
	listener, err := instance.ListenWindowless(b.Paths.Runtime, b.Paths.Home, func(r instance.Request) {
		if r.Op == instance.OpChanged {
			b.ChangedElsewhere(r.Session, r.Asked)
		}
	})
	if errors.Is(err, instance.ErrRunning) {
		err = fmt.Errorf("another %w on %s: use that one, or set MAC_STATS_HOME to another folder", err, b.Paths.Home)
	}
	if err != nil {
		return errors.Join(err, b.Close())
	}
	local := serveAPI(b)
	printNotices(b)
	defer b.OnNotice(func(n backend.Notice) {
		if n.Kind == backend.NoticeDiscord || n.Kind == backend.NoticeBadTimes && n.Text != "" {
			fmt.Fprintln(os.Stderr, noticeLine(n))
		}
	})()
	fmt.Fprintf(os.Stdout, "mac-stats runs without a screen on %s. Stop it with Ctrl-C.\n", b.Paths.Home)
	<-ctx.Done()
	return errors.Join(local.Close(), listener.Close(), b.Close())
}

// printNotices prints what the user should know at startup: invalid settings, a folder that
// can't be written.
func printNotices(b *backend.Backend) {
	for _, n := range b.Notices() {
		fmt.Fprintln(os.Stderr, noticeLine(n))
	}
}

// noticeLine returns a notice as one line with its next step.
func noticeLine(n backend.Notice) string {
	return strings.TrimSpace("mac-stats: " + strings.TrimSuffix(n.Text, ".") + ". " + n.Next)
}

// raiseRunning asks a running app to show its window and reports whether there is one. It returns
// an error if the app runs without a window.
func raiseRunning(ctx context.Context) (bool, error) {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return false, nil //nolint:nilerr // opening reports this, with the next step
	}
	allowForeground()
	request := instance.Request{Op: instance.OpShow, Token: os.Getenv("XDG_ACTIVATION_TOKEN")}
	err = instance.Send(ctx, paths.Runtime, paths.Home, request)
	if errors.Is(err, instance.ErrNoWindow) {
		return false, fmt.Errorf("%w (--headless) on %s: stop it first, or use a command beside it (`mac-stats ask`), or set MAC_STATS_HOME to another folder", err, paths.Home)
	}
	if err != nil {
		return false, nil //nolint:nilerr // no app is running
	}
	fmt.Fprintln(os.Stdout, "mac-stats is already running; its window is shown.")
	return true, nil
}
