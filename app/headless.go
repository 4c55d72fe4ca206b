package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"mac-stats/app/backend"
	"mac-stats/app/cli"
	"mac-stats/app/instance"
)

// runHeadless keeps the app's work going without a screen: the one instance of
// the data folder, its watchers and (later) Discord and the schedule.
func runHeadless(ctx context.Context, o cli.AppOptions) error {
	b, err := backend.Open(ctx, backend.Options{Demo: o.Demo, Watch: true, Version: buildVersion()})
	if err != nil {
		return err
	}
	listener, err := instance.Listen(b.Paths.Runtime, b.Paths.Home, func(r instance.Request) {
		if r.Op == instance.OpChanged {
			b.SessionsChanged(r.Session)
		}
	})
	if err != nil {
		return errors.Join(err, b.Close())
	}
	fmt.Fprintf(os.Stdout, "mac-stats runs without a screen on %s. Stop it with Ctrl-C.\n", b.Paths.Home)
	<-ctx.Done()
	return errors.Join(listener.Close(), b.Close())
}
