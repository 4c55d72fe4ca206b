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

// x11Parking waits for what the X server sends in Go's own poller rather than in C. A
// thread that waits in C keeps one of Go's processors for the first ten milliseconds, in
// which the runtime looks 60 times whether to take it away: of all that woke the
// processor for an open window, that was three quarters.
//
// Where the window system isn't X11, it is an eventParking.
type x11Parking struct {
	eventParking

	mu      sync.Mutex
	asked   bool            // for the connection; GLFW has none before the loop runs
	display *C.Display      // nil: not X11
	socket  *os.File        // the connection, another descriptor of the same; its deadline ends a wait
	ready   syscall.RawConn // of the socket
}

func newParking() parking { return &x11Parking{} }

func (p *x11Parking) wait(d time.Duration) (event bool) {
	p.mu.Lock()
	first := !p.asked
	if first {
		p.asked = true
		p.connect()
	}
	if (first || p.socket != nil) && p.woken.Swap(false) { // before it knew where it is waited
		p.mu.Unlock()
		return false
	}
	if p.socket == nil {
		p.mu.Unlock()
		return p.eventParking.wait(d)
	}
	_ = p.socket.SetReadDeadline(time.Now().Add(d)) // it was made to take one
	p.mu.Unlock()

	// What else arrives than events, such as answers to the graphics library, ends no wait.
	_ = p.ready.Read(func(fd uintptr) bool { // the only error is that the time is over
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

// connect hands the connection to the X server to Go's poller. Called with mu held.
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
	socket := os.NewFile(uintptr(fd), "the X server") // non-blocking, as Xlib made it
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

// readable tells whether something has arrived that nobody has read.
func readable(fd uintptr) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return err == nil && n > 0
}
