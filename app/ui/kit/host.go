package kit

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Host is the window that widgets are in. Widgets pass the keys that they can't use to it.
// Except for Do, its methods are called on the UI goroutine.
type Host interface {
	Do(f func())                      // runs f on the UI goroutine, later
	RunKey(k *fyne.KeyEvent) bool     // a key without modifiers; reports whether the key is bound
	RunShortcut(s fyne.Shortcut) bool // the same for a shortcut
	Typed(r rune)                     // a character typed where nothing takes text
	Escape()
	Reveal(o fyne.CanvasObject) // scrolls the focused object into view
	Remeasure(r Row)            // called when a row's height changed
}

// Window is what the parts of a window need from it. Do and Context may be called on any
// goroutine.
type Window interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // is cancelled when the window closes
	Canvas() fyne.Canvas
}

// NewRoot returns the content of a window, by which everything in it finds its host.
func NewRoot(h Host, l fyne.Layout, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&rootLayout{l, h}, objects...)
}

type rootLayout struct {
	inner fyne.Layout
	host  Host
}

// MinSize implements fyne.Layout.
func (l *rootLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return l.inner.MinSize(o) }

// Layout implements fyne.Layout.
func (l *rootLayout) Layout(o []fyne.CanvasObject, s fyne.Size) { l.inner.Layout(o, s) }

// HostOf returns the window that an object is in.
func HostOf(o fyne.CanvasObject) Host {
	if c := fyne.CurrentApp().Driver().CanvasForObject(o); c != nil {
		if content, ok := c.Content().(*fyne.Container); ok {
			if root, ok := content.Layout.(*rootLayout); ok {
				return root.host
			}
		}
	}
	return noHost{}
}

// noHost is the host of objects that are in none of our windows.
type noHost struct{}

func (noHost) Do(f func())                    { f() }
func (noHost) RunKey(*fyne.KeyEvent) bool     { return false }
func (noHost) RunShortcut(fyne.Shortcut) bool { return false }
func (noHost) Typed(rune)                     {}
func (noHost) Escape()                        {}
func (noHost) Reveal(fyne.CanvasObject)       {}
func (noHost) Remeasure(Row)                  {}

// HandlePress calls press for the keys that press a widget.
func HandlePress(o fyne.CanvasObject, ev *fyne.KeyEvent, press func()) {
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		AfterLetter(o, ev, press)
	case fyne.KeyEscape:
		HostOf(o).Escape()
	default:
		HostOf(o).RunKey(ev)
	}
}

// AfterLetter calls do for a key. For Space it waits: Space is also a character, delivered
// after the key to whatever has the focus then, and a field that do opens must not get it.
func AfterLetter(o fyne.CanvasObject, ev *fyne.KeyEvent, do func()) {
	if ev.Name == fyne.KeySpace {
		HostOf(o).Do(do)
		return
	}
	do()
}

// Row is an item of a column. The viewport asks for its height at a width and shows it only
// while it is visible.
type Row interface {
	fyne.CanvasObject
	Measure(width float32) float32
}
