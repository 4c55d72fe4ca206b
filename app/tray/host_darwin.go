package tray

import (
	"context"
	"log/slog"
)

// startsOnCaller: the icon is registered on Start's goroutine, which must be the UI
// goroutine.
const startsOnCaller = true

// watchHost reports that there is a host: the menu bar always exists. (macOS can be told to
// hide an icon, and doesn't report it.)
func watchHost(_ context.Context, _ *slog.Logger, report func(hostState)) {
	if !trayBuiltIn {
		report(hostState{why: "This mac-stats was built without cgo, which the menu-bar icon needs: build it with CGO_ENABLED=1."})
		return
	}
	report(hostState{watcher: true, host: true})
}
