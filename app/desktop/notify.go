package desktop

import "log/slog"

// Notify shows a desktop notification and returns at once; if the desktop can't show one,
// nothing happens. onClick runs on the UI goroutine when the notification is clicked, on
// systems that report it (freedesktop desktops do, also from their history; macOS and Windows
// only open the app). A new notification replaces one that is still on the screen.
//
// Without a notification it costs nothing, and it doesn't wake the parked loop.
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
