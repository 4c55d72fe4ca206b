//go:build cgo && !ci

package desktop

import (
	"sync/atomic"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// parkFor is how long the loop is parked at a time. Events end the waiting at once, so
// nothing waits for this to pass.
const parkFor = 5 * time.Second

// eventParking waits where the window system's events come in, so that they are
// handled while the loop is parked: clicks on the menu-bar icon on macOS, broadcasts and
// the end of the session on Windows, the question of an X11 desktop whether we are
// alive.
//
// Fyne starts GLFW before its loop and ends it after, on the UI goroutine, and there
// is a turn only in between.
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
