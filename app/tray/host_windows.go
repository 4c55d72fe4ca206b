package tray

import (
	"context"
	"log/slog"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// startsOnCaller: systray has a thread of its own.
const startsOnCaller = false

// looksFirst: there is no icon before the registration that could show anything.
const looksFirst = false

const (
	// lookEvery is how often we look whether there is a taskbar: at login the app may be
	// there first, and an icon that is registered too early is lost.
	lookEvery = 500 * time.Millisecond
	// tellAfter is how long a taskbar may take until people are told there is none.
	tellAfter = 20 * time.Second
)

const noTaskbarAdvice = "There is no tray icon, because Windows shows no taskbar. Start Explorer; the icon then appears by itself. " +
	"Until then this window is the way in, and closing it quits."

var taskbarClass = windows.StringToUTF16Ptr("Shell_TrayWnd")

// watchHost waits for the taskbar. From then on systray follows it: it puts the icon
// back where Explorer was started anew.
func watchHost(ctx context.Context, _ *slog.Logger, tell func(hostState)) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	late := time.After(tellAfter)
	for {
		if bar, _, _ := findWindow.Call(0, 0, uintptr(unsafe.Pointer(taskbarClass)), 0); bar != 0 {
			tell(hostState{watcher: true, host: true})
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-late:
			tell(hostState{why: noTaskbarAdvice})
		case <-look.C:
		}
	}
}
