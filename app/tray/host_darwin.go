package tray

import (
	"context"
	"log/slog"
)

// startsOnCaller: the icon is registered on the goroutine of Start, which must be the
// UI goroutine.
const startsOnCaller = true

// looksFirst: there is no icon before the registration that could show anything.
const looksFirst = false

// watchHost has nothing to watch: the menu bar is always there. (macOS can be told to
// hide an icon, and doesn't tell us.)
func watchHost(_ context.Context, _ *slog.Logger, tell func(hostState)) {
	if !trayBuiltIn {
		tell(hostState{why: "This mac-stats was built without cgo, which the menu-bar icon needs: build it with CGO_ENABLED=1."})
		return
	}
	tell(hostState{watcher: true, host: true})
}
