package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Host is the window that widgets are in: what they can't do with a key, they hand to
// it. All but Do is called on the UI goroutine.
type Host interface {
	Do(f func())                      // runs f on the UI goroutine, later
	RunKey(k *fyne.KeyEvent) bool     // a key without modifiers; reports whether it is bound
	RunShortcut(s fyne.Shortcut) bool // the same for a shortcut
	Typed(r rune)                     // a letter where nothing takes text
	Escape()
	Reveal(o fyne.CanvasObject) // scrolls what has the focus into sight
	Remeasure(r Row)            // a row has another height
}

// NewRoot is the content of a window, by which everything in it finds its host.
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

// HostOf is the window an object is in.
func HostOf(o fyne.CanvasObject) Host {
	if c := fyne.CurrentApp().Driver().CanvasForObject(o); c != nil {
		if content, ok := c.Content().(*fyne.Container); ok {
			if root, ok := content.Layout.(*rootLayout); ok {
				return root.host
			}
		}
	}
	return nowhere{}
}

// nowhere is the host of what is in no window of ours.
type nowhere struct{}

func (nowhere) Do(f func())                    { f() }
func (nowhere) RunKey(*fyne.KeyEvent) bool     { return false }
func (nowhere) RunShortcut(fyne.Shortcut) bool { return false }
func (nowhere) Typed(rune)                     {}
func (nowhere) Escape()                        {}
func (nowhere) Reveal(fyne.CanvasObject)       {}
func (nowhere) Remeasure(Row)                  {}

// Pressed handles the keys of anything that can be pressed.
func Pressed(o fyne.CanvasObject, ev *fyne.KeyEvent, press func()) {
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		AfterLetter(o, ev, press)
	case fyne.KeyEscape:
		HostOf(o).Escape()
	default:
		HostOf(o).RunKey(ev)
	}
}

// AfterLetter does what a key is for. Space is a letter too, which comes right behind
// the key, to what has the focus then: a field that the key opens must not get it.
func AfterLetter(o fyne.CanvasObject, ev *fyne.KeyEvent, do func()) {
	if ev.Name == fyne.KeySpace {
		HostOf(o).Do(do)
		return
	}
	do()
}

// Row is one thing in the chat column. The viewport asks for its height at a
// width and shows it only while it is in sight.
type Row interface {
	fyne.CanvasObject
	Measure(width float32) float32
}
