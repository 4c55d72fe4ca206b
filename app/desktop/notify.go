package desktop

import "log/slog"

// Notify shows a notification of the desktop and returns at once; where there is
// none that could show it, nothing else happens. onClick runs on
// the UI goroutine when the notification is pressed, where the system tells that (the
// freedesktop desktops do; macOS and Windows open the app alone). A later one takes
// the place of an earlier one that is still there.
//
// It costs nothing while nothing is shown, and does not wake the parked loop.
func (d *Desktop) Notify(title, body string, onClick func()) {
	go func() {
		if err := d.notifier.send(note{title: title, body: body, clicked: func() { d.Do(onClick) }}); err != nil {
			slog.Debug("a notification could not be shown", "error", err)
		}
	}()
}

// note is one notification.
type note struct {
	title, body string
	clicked     func()
}
