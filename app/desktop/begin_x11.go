//go:build linux && cgo && !ci && (x11 || !wayland)

package desktop

/*
#cgo LDFLAGS: -lX11
#include <X11/Xlib.h>

int screenEnded(Display *display);
*/
import "C"

import (
	"sync/atomic"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// running is the process's only desktop, for Xlib's callback.
var running atomic.Pointer[Desktop]

// begin starts watching for the end of the X server, which is how a session ends: Xlib then
// ends the process, whatever is unsaved, and often no signal comes first.
func (d *Desktop) begin() {
	if glfw.GetPlatform() == glfw.PlatformX11 {
		running.Store(d)
		C.XSetIOErrorHandler(C.XIOErrorHandler(C.screenEnded))
	}
}

// screenEnded runs on the UI goroutine, which is in a call of Xlib. When it returns, Xlib ends
// the process.
//
//export screenEnded
func screenEnded(*C.Display) C.int {
	running.Load().onTerminate()()
	return 0
}
