//go:build linux && cgo && !ci && (x11 || !wayland)

package desktop

/*
#include <stdlib.h>
#include <X11/Xlib.h>
*/
import "C"

import (
	"errors"
	"unsafe"
)

// openX11 opens a display as GLFW will, and returns an error if the X server refuses that,
// as it does without its cookie.
func openX11(display string) error {
	name := C.CString(display)
	defer C.free(unsafe.Pointer(name))
	conn := C.XOpenDisplay(name)
	if conn == nil {
		return errors.New("the X server refuses mac-stats: XAUTHORITY, or ~/.Xauthority, must name a file with its cookie")
	}
	C.XCloseDisplay(conn)
	return nil
}
