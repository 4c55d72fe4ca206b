package shortcuts

import (
	"runtime"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/config"
)

// Bindings binds the shortcuts of a window to actions.
type Bindings struct {
	canvas fyne.Canvas
	bound  map[desktop.CustomShortcut]func()
	of     config.Shortcuts // the settings they were bound from
}

// Bind registers the shortcuts of the actions with the canvas. It reports whether they changed.
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
				if b.bound[k] == nil { // the first action keeps it; the settings show the conflict
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

// Run runs the action of a shortcut. It reports whether the shortcut is bound. Fyne passes
// shortcuts only to the focused widget, so widgets pass them on to Run.
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

// RunKey runs the action of a key without modifiers: F1 to F12. Fyne treats these keys as typing
// and passes them to the focused widget.
func (b *Bindings) RunKey(k *fyne.KeyEvent) bool {
	return b.Run(&desktop.CustomShortcut{KeyName: k.Name})
}
