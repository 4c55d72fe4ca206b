//go:build darwin && !cgo

package tray

// newShell makes a tray that shows nothing: on macOS systray needs cgo. This keeps the
// rest of the module buildable without it.
func newShell() shell { return noShell{} }

type noShell struct{}

func (noShell) start(look, []entry, func(), func(label)) {}
func (noShell) setIcon([]byte)                           {}
func (noShell) setTitle(string)                          {}
func (noShell) setTooltip(string)                        {}
func (noShell) setText(label, string)                    {}
func (noShell) setChecked(label, bool)                   {}
func (noShell) stop()                                    {}

// trayBuiltIn: this build has no icon.
const trayBuiltIn = false
