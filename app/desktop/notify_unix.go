//go:build !darwin && !windows

package desktop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
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
	clickTime  = 30 * time.Minute // to wait for a click on the last one
	clickable  = 50               // how many wait for a click
	iconEdge   = 64               // of a notification's picture, in pixels
)

// notifier shows notifications. It waits for clicks over a connection of its own, which it
// closes when nobody has been notified for a while. It never starts a bus.
//
// A note that is no longer on the screen may still be clicked, because desktops keep a
// history, and some report the end of a note before the click that ended it.
type notifier struct {
	picture func() *notePicture // the app's icon, decoded once; nil for none

	mu    sync.Mutex
	conn  *dbus.Conn  // nil while no note waits
	until time.Time   // when it ends
	shown uint32      // the note on the screen, which the next one replaces; 0 if none
	notes []shownNote // those that wait for a click, oldest first
	wait  sync.WaitGroup

	ctx context.Context // done when the app ends: a silent bus holds mu until then
	end context.CancelFunc
}

// shownNote is a note that waits for a click.
type shownNote struct {
	id      uint32
	clicked func()
}

func newNotifier(_ fyne.App, icon []byte) *notifier {
	n := &notifier{picture: sync.OnceValue(func() *notePicture { return pictureOf(icon) })}
	n.ctx, n.end = context.WithCancel(context.Background())
	return n
}

// send shows a note and waits for a click in the background.
func (n *notifier) send(m note) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conn == nil || !n.conn.Connected() {
		if err := n.connect(); err != nil {
			return err
		}
	}
	id, err := n.show(m)
	if err != nil {
		return err
	}
	n.forget(id)
	if n.shown != 0 {
		n.forget(n.shown) // replaced
	}
	if len(n.notes) == clickable {
		n.notes = n.notes[1:]
	}
	n.notes = append(n.notes, shownNote{id, m.clicked})
	n.shown = id
	n.until = time.Now().Add(clickTime)
	return nil
}

// connect connects to the session bus and listens there.
func (n *notifier) connect() error {
	conn, err := sessionbus.Connect(n.ctx)
	if err != nil {
		return err
	}
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	ctx, stop := context.WithTimeout(n.ctx, notifyTime)
	defer stop()
	for _, member := range []string{"ActionInvoked", "NotificationClosed"} {
		if err := conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface(notifyName), dbus.WithMatchMember(member)); err != nil {
			return errors.Join(fmt.Errorf("listening for a press: %w", err), conn.Close())
		}
	}
	n.conn, n.shown, n.notes = conn, 0, nil
	n.until = time.Now().Add(clickTime)
	n.wait.Go(func() { n.listen(conn, signals) })
	return nil
}

// show asks the desktop to show a note and returns its number.
func (n *notifier) show(m note) (id uint32, err error) {
	ctx, stop := context.WithTimeout(n.ctx, notifyTime)
	defer stop()
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant(appName), "category": dbus.MakeVariant("im.received")}
	if picture := n.picture(); picture != nil {
		hints["image-data"] = dbus.MakeVariant(picture)
	}
	call := n.conn.Object(notifyName, notifyPath).CallWithContext(ctx, notifyName+".Notify", 0,
		appName, n.shown, "", m.title, plainBody(m.body), []string{openAction, "Open"}, hints, int32(-1))
	if err := call.Store(&id); err != nil {
		return 0, fmt.Errorf("showing a notification: %w", err)
	}
	return id, nil
}

// notePicture is a picture as desktops read it in a notification.
type notePicture struct {
	Width, Height, Stride int32
	Alpha                 bool
	Bits, Channels        int32
	Pixels                []byte
}

// pictureOf returns the app's icon, a PNG, or nil. It is sent as pixels, because a program
// that isn't installed has no icon by name.
func pictureOf(data []byte) *notePicture {
	icon, err := png.Decode(bytes.NewReader(data))
	if err != nil || icon.Bounds().Dx() < iconEdge || icon.Bounds().Dx() != icon.Bounds().Dy() {
		return nil
	}
	large := image.NewRGBA(icon.Bounds()) // premultiplied, so that the means are right
	draw.Draw(large, large.Rect, icon, icon.Bounds().Min, draw.Src)
	small := image.NewNRGBA(image.Rect(0, 0, iconEdge, iconEdge))
	step := large.Rect.Dx() / iconEdge // a whole number: the icon has 1024 pixels
	for at := range iconEdge * iconEdge {
		var sum [4]int
		for i := range step * step {
			pixel := large.Pix[(at/iconEdge*step+i/step)*large.Stride+(at%iconEdge*step+i%step)*4:]
			for c := range sum {
				sum[c] += int(pixel[c])
			}
		}
		for c := range sum {
			sum[c] /= step * step
		}
		small.Set(at%iconEdge, at/iconEdge, color.RGBA{uint8(sum[0]), uint8(sum[1]), uint8(sum[2]), uint8(sum[3])})
	}
	return &notePicture{iconEdge, iconEdge, int32(small.Stride), true, 8, 4, small.Pix}
}

// listen handles clicks until the connection ends, which it does itself when no note came
// for clickTime.
func (n *notifier) listen(conn *dbus.Conn, signals <-chan *dbus.Signal) {
	defer func() { _ = conn.Close() }() // nothing is lost
	idle := time.NewTimer(clickTime)
	defer idle.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-idle.C:
			n.mu.Lock()
			left := time.Until(n.until)
			if left <= 0 && n.conn == conn {
				n.conn = nil
			}
			n.mu.Unlock()
			if left <= 0 {
				return
			}
			idle.Reset(left)
		case s, ok := <-signals:
			if !ok {
				return
			}
			if clicked := n.handle(s); clicked != nil {
				clicked()
			}
		}
	}
}

// handle reads a signal of the desktop and returns what a click does, or nil.
func (n *notifier) handle(s *dbus.Signal) (clicked func()) {
	if len(s.Body) < 2 {
		return nil
	}
	id, ok := s.Body[0].(uint32)
	if !ok {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case s.Name == notifyGone && id == n.shown:
		n.shown = 0
	case s.Name == notifyClick && s.Body[1] == openAction:
		return n.forget(id)
	}
	return nil
}

// forget ends the wait for a click on a note and returns what that would have done, or nil.
func (n *notifier) forget(id uint32) (clicked func()) {
	n.notes = slices.DeleteFunc(n.notes, func(w shownNote) bool {
		if w.id == id {
			clicked = w.clicked
		}
		return w.id == id
	})
	return clicked
}

// close stops waiting.
func (n *notifier) close() {
	n.end()
	n.wait.Wait()
}

// plainBody returns text as a notification's body, escaped because some desktops read
// markup.
func plainBody(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
