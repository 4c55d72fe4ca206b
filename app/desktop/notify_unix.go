//go:build !darwin && !windows

package desktop

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"github.com/godbus/dbus/v5"

	"mac-stats/app/sessionbus"
)

// The desktop notifications of freedesktop.org.
const (
	notifyName  = "org.freedesktop.Notifications"
	notifyPath  = dbus.ObjectPath("/org/freedesktop/Notifications")
	notifyClick = notifyName + ".ActionInvoked"
	notifyGone  = notifyName + ".NotificationClosed"
	openAction  = "default" // name of a click on the notification itself

	notifyTime = 3 * time.Second  // to show it
	clickTime  = 30 * time.Minute // to wait for a click
)

// notifier shows notifications one after another. It waits for a click on at most one, over
// its own connection, which it then closes. It never starts a bus.
type notifier struct {
	mu   sync.Mutex
	last uint32             // the one that the next replaces
	stop context.CancelFunc // ends the wait for the last one; nil if there is none
	wait sync.WaitGroup

	ctx context.Context // done when the app ends: a silent bus holds mu until then
	end context.CancelFunc
}

func newNotifier(fyne.App) *notifier {
	n := &notifier{}
	n.ctx, n.end = context.WithCancel(context.Background())
	return n
}

// send shows a note and waits for a click in the background.
func (n *notifier) send(m note) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stop != nil {
		n.stop()
		n.wait.Wait()
		n.stop = nil
	}
	ctx, stop := context.WithTimeout(n.ctx, clickTime)
	conn, err := sessionbus.Connect(ctx)
	if err != nil {
		stop()
		return err
	}
	signals := make(chan *dbus.Signal, 8)
	conn.Signal(signals)
	id, err := n.show(ctx, conn, m)
	if err != nil {
		stop()
		_ = conn.Close() // nothing was shown
		return err
	}
	n.last, n.stop = id, stop
	n.wait.Go(func() {
		defer stop()
		defer func() { _ = conn.Close() }() // nothing is lost
		awaitClick(ctx, signals, id, m.clicked)
	})
	return nil
}

// show asks the desktop to show a note and returns its number.
func (n *notifier) show(ctx context.Context, conn *dbus.Conn, m note) (id uint32, err error) {
	ctx, stop := context.WithTimeout(ctx, notifyTime)
	defer stop()
	for _, member := range []string{"ActionInvoked", "NotificationClosed"} {
		if err := conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface(notifyName), dbus.WithMatchMember(member)); err != nil {
			return 0, fmt.Errorf("listening for a press: %w", err)
		}
	}
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant(appName), "category": dbus.MakeVariant("im.received")}
	call := conn.Object(notifyName, notifyPath).CallWithContext(ctx, notifyName+".Notify", 0,
		appName, n.last, "", m.title, plainBody(m.body), []string{openAction, "Open"}, hints, int32(-1))
	if err := call.Store(&id); err != nil {
		return 0, fmt.Errorf("showing a notification: %w", err)
	}
	return id, nil
}

// awaitClick waits until the note is clicked or closed.
func awaitClick(ctx context.Context, signals <-chan *dbus.Signal, id uint32, clicked func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case s, ok := <-signals:
			if !ok {
				return
			}
			if len(s.Body) < 2 || s.Body[0] != id {
				continue
			}
			if s.Name == notifyClick && s.Body[1] == openAction {
				clicked()
				return
			}
			if s.Name == notifyGone {
				return
			}
		}
	}
}

// close stops waiting.
func (n *notifier) close() {
	n.end()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stop != nil {
		n.stop()
		n.wait.Wait()
		n.stop = nil
	}
}

// plainBody returns text as a notification's body, escaped because some desktops read
// markup.
func plainBody(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
