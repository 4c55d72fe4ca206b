package tray

import (
	"context"
	"log/slog"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// startsOnCaller: systray has its own thread.
const startsOnCaller = false

const (
	// lookEvery is how often we check for a taskbar. At login the app may be there first,
	// and an icon that is registered too early is lost.
	lookEvery = 500 * time.Millisecond
	// reportAfter is how long a taskbar may take before its absence is reported.
	reportAfter = 20 * time.Second
)

const noTaskbarAdvice = "There is no tray icon, because Windows shows no taskbar. Start Explorer; the icon then appears by itself. " +
	"Until then this window is the way in, and closing it quits."

var taskbarClass = windows.StringToUTF16Ptr("Shell_TrayWnd")

// watchHost waits for the taskbar. From then on systray follows it: it restores the icon
// when Explorer restarts.
func watchHost(ctx context.Context, _ *slog.Logger, report func(hostState)) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	late := time.After(reportAfter)
	for {
		if bar, _, _ := findWindow.Call(0, 0, uintptr(unsafe.Pointer(taskbarClass)), 0); bar != 0 {
			report(hostState{watcher: true, host: true})
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-late:
			report(hostState{why: noTaskbarAdvice})
		case <-look.C:
		}
	}
}
