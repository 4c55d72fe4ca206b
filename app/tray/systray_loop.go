//go:build !windows && (!darwin || cgo)

package tray

import "fyne.io/systray"

// native is what the shell knows of the system's own.
type native struct{} //nolint:unused // see systrayShell

// runSystray registers the icon and gives what takes it away. On macOS the caller's
// loop handles its events; on D-Bus it has goroutines of its own.
func runSystray(ready func()) (end func()) {
	start, end := systray.RunWithExternalLoop(ready, nil)
	start()
	return end
}

func (s *systrayShell) setIcon(data []byte) { systray.SetTemplateIcon(data, data) }
