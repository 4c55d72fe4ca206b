//go:build nogui

package main

import (
	"context"
	"errors"

	"mac-stats/app/cli"
)

// errNoScreen is the error of a plain start in a build without a window system.
var errNoScreen = errors.New("this build has no window: start it with --headless, or use a command (mac-stats --help)")

func runApp(ctx context.Context, o cli.AppOptions) error {
	if !o.Headless {
		if there, err := raiseRunning(ctx); there || err != nil {
			return err
		}
		return errNoScreen
	}
	return runHeadless(ctx, o)
}
