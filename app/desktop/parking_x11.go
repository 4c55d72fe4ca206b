//go:build linux && cgo && !ci && (x11 || !wayland)

package desktop

/*
#cgo LDFLAGS: -lX11
#include <X11/Xlib.h>
*/
import "C"

import (
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/go-gl/glfw/v3.4/glfw"
	"golang.org/x/sys/unix"
)

// x11Parking waits for the X server's messages in Go's own poller instead of in C. A thread
// that waits in C keeps one of Go's processors for the first ten milliseconds, in which the
// runtime checks 60 times whether to take it away: that was three quarters of an open
// window's wake-ups.
//
// If the window system isn't X11, it is an eventParking.
type x11Parking struct {
	eventParking

	mu      sync.Mutex
	asked   bool            // whether connect ran; GLFW has no connection before the loop runs
	display *C.Display      // nil if not X11
	socket  *os.File        // another descriptor of the connection; its deadline ends a wait
	ready   syscall.RawConn // the socket's
}

func newParking() parking { return &x11Parking{} }

func (p *x11Parking) wait(d time.Duration) (event bool) {
	p.mu.Lock()
	first := !p.asked
	if first {
		p.asked = true
		p.connect()
	}
	if (first || p.socket != nil) && p.woken.Swap(false) { // woken before it knew where to wait
		p.mu.Unlock()
		return false
	}
	if p.socket == nil {
		p.mu.Unlock()
		return p.eventParking.wait(d)
	}
	_ = p.socket.SetReadDeadline(time.Now().Add(d)) // the socket supports deadlines
	p.mu.Unlock()

	// Messages other than events, such as answers to the graphics library, don't end a
	// wait.
	_ = p.ready.Read(func(fd uintptr) bool { // the only error is the deadline
		for event = C.XPending(p.display) > 0; !event && readable(fd); {
			event = C.XPending(p.display) > 0
		}
		return event
	})
	p.woken.Store(false)
	if event {
		glfw.PollEvents()
	}
	return event
}

func (p *x11Parking) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked && p.socket == nil {
		p.eventParking.wake()
		return
	}
	p.woken.Store(true)
	if p.socket != nil {
		_ = p.socket.SetReadDeadline(time.Unix(1, 0))
	}
}

// connect passes the connection to the X server to Go's poller. Called with mu held.
func (p *x11Parking) connect() {
	if glfw.GetPlatform() != glfw.PlatformX11 {
		return
	}
	display := (*C.Display)(unsafe.Pointer(glfw.GetX11Display()))
	fd, err := unix.FcntlInt(uintptr(C.XConnectionNumber(display)), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		slog.Debug("the connection to the X server can't be waited for", "error", err)
		return
	}
	socket := os.NewFile(uintptr(fd), "the X server") // Xlib made it non-blocking
	if err := socket.SetReadDeadline(time.Time{}); err != nil {
		slog.Debug("the connection to the X server can't be waited for", "error", err)
		socket.Close()
		return
	}
	ready, err := socket.SyscallConn()
	if err != nil {
		slog.Debug("the connection to the X server can't be waited for", "error", err)
		socket.Close()
		return
	}
	p.display, p.socket, p.ready = display, socket, ready
}

// readable reports whether there is unread data.
func readable(fd uintptr) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return err == nil && n > 0
}
