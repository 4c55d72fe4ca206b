//go:build darwin && !cgo

package tray

// newShell returns a tray that shows nothing, because systray needs cgo on macOS. With it
// the rest of the module builds without cgo.
func newShell() shell { return noShell{} }

type noShell struct{}

func (noShell) start(look, []entry, func(), func(label)) error { return nil }
func (noShell) setIcon([]byte)                                 {}
func (noShell) setTitle(string)                                {}
func (noShell) setTooltip(string)                              {}
func (noShell) setText(label, string)                          {}
func (noShell) setChecked(label, bool)                         {}
func (noShell) stop()                                          {}

// trayBuiltIn reports that this build has no icon.
const trayBuiltIn = false
