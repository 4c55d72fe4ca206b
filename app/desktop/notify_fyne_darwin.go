//go:build darwin && (!cgo || ci)

package desktop

import "fyne.io/fyne/v2"

// notifier shows notifications with Fyne, which doesn't report clicks.
type notifier struct{ app fyne.App }

func newNotifier(a fyne.App, _ []byte) *notifier { return &notifier{app: a} }

func (n *notifier) send(m note) error {
	n.app.SendNotification(fyne.NewNotification(m.title, m.body))
	return nil
}

func (n *notifier) close() {}
