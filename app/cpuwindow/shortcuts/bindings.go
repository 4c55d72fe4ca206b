package shortcuts

import (
	"runtime"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/config"
)

// Bindings is which shortcuts of a window do what.
type Bindings struct {
	canvas fyne.Canvas
	bound  map[desktop.CustomShortcut]func()
	of     config.Shortcuts // what they were bound by
}

// Bind gives the shortcuts of these actions to the screen; it reports whether they are
// others than before.
func (b *Bindings) Bind(canvas fyne.Canvas, actions []Action, now config.Config) bool {
	if b.bound != nil && now.Shortcuts == b.of {
		return false
	}
	for c := range b.bound {
		b.canvas.RemoveShortcut(&c)
	}
	b.canvas, b.of, b.bound = canvas, now.Shortcuts, map[desktop.CustomShortcut]func(){}
	for _, a := range actions {
		for _, s := range Of(now, a.Name) {
			for _, k := range Keys(s, runtime.GOOS) {
				if b.bound[k] == nil { // the first one keeps it: the settings tell of the conflict
					b.bound[k] = a.Run
				}
			}
		}
	}
	for c := range b.bound {
		canvas.AddShortcut(&c, func(s fyne.Shortcut) { b.Run(s) })
	}
	return true
}

// Run runs a shortcut; it reports whether it was one that is bound. Fyne gives shortcuts to
// the focused widget alone, so those hand them on.
func (b *Bindings) Run(s fyne.Shortcut) bool {
	c, ok := s.(*desktop.CustomShortcut)
	if !ok {
		return false
	}
	f := b.bound[*c]
	if f != nil {
		f()
	}
	return f != nil
}

// RunKey runs what a key without modifiers is bound to: F1 to F12. Fyne takes these
// for typing, and gives them to the focused widget.
func (b *Bindings) RunKey(k *fyne.KeyEvent) bool {
	return b.Run(&desktop.CustomShortcut{KeyName: k.Name})
}
