//go:build cgo

package tray

import "fyne.io/systray"

// native is the shell's system-specific state.
type native struct{} //nolint:unused // see systrayShell

// runSystray registers the icon and returns a function that removes it. The caller's loop
// handles its events.
func runSystray(ready func()) (end func()) {
	start, end := systray.RunWithExternalLoop(ready, nil)
	start()
	return end
}

func (s *systrayShell) setIcon(data []byte) { systray.SetTemplateIcon(data, data) }
