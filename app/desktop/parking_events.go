//go:build cgo && !ci

package desktop

import (
	"sync/atomic"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// parkFor is how long the loop is parked at a time. Events end the wait at once, so nothing
// depends on it.
const parkFor = 5 * time.Second

// eventParking waits for the window system's events, so that they are handled while the
// loop is parked: clicks on the menu-bar icon on macOS, broadcasts and the end of the
// session on Windows, an X11 desktop's question whether we are alive.
//
// Fyne starts GLFW before its loop and ends it afterwards, on the UI goroutine; turns only
// run in between.
type eventParking struct{ woken atomic.Bool }

func (p *eventParking) wait(d time.Duration) (event bool) {
	began := time.Now()
	glfw.WaitEventsTimeout(d.Seconds())
	early := time.Since(began) < d
	return !p.woken.Swap(false) && early
}

func (p *eventParking) wake() {
	p.woken.Store(true)
	glfw.PostEmptyEvent()
}
