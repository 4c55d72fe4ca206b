//go:build e2e

package e2etest

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// dragVersion is the XDND version that we use.
const dragVersion = 5

// drag is the source of a drag in the XDND protocol (freedesktop.org), as a file manager
// is.
type drag struct {
	conn   *xgb.Conn
	window xproto.Window
	root   xproto.Window
	atoms  map[string]xproto.Atom
	uris   string // text/uri-list
}

// startDrag starts dragging files on a display.
func startDrag(display string, paths ...string) (*drag, error) {
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		return nil, fmt.Errorf("connect to display %s: %w", display, err)
	}
	d := &drag{conn: conn, root: xproto.Setup(conn).DefaultScreen(conn).Root, atoms: map[string]xproto.Atom{}}
	for _, p := range paths {
		d.uris += (&url.URL{Scheme: "file", Path: p}).String() + "\r\n"
	}
	if err := d.open(); err != nil {
		conn.Close()
		return nil, err
	}
	return d, nil
}

// open creates the window and takes the selection that the target will request.
func (d *drag) open() error {
	for _, name := range []string{
		"XdndAware", "XdndSelection", "XdndEnter", "XdndPosition", "XdndStatus", "XdndDrop", "XdndFinished", "XdndActionCopy", "text/uri-list", "text/plain",
	} {
		reply, err := xproto.InternAtom(d.conn, false, uint16(len(name)), name).Reply()
		if err != nil {
			return fmt.Errorf("name %s: %w", name, err)
		}
		d.atoms[name] = reply.Atom
	}
	var err error
	if d.window, err = xproto.NewWindowId(d.conn); err != nil {
		return fmt.Errorf("make a window: %w", err)
	}
	if err := xproto.CreateWindowChecked(d.conn, 0, d.window, d.root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0, 0, nil).Check(); err != nil {
		return fmt.Errorf("make a window: %w", err)
	}
	if err := xproto.SetSelectionOwnerChecked(d.conn, d.window, d.atoms["XdndSelection"], xproto.TimeCurrentTime).Check(); err != nil {
		return fmt.Errorf("take the selection: %w", err)
	}
	return nil
}

// onto drags the files over a window to a place on the screen and drops them. It returns
// when the target confirms.
func (d *drag) onto(target xproto.Window, x, y int) error {
	defer d.conn.Close()
	aware, err := xproto.GetProperty(d.conn, false, target, d.atoms["XdndAware"], xproto.AtomAtom, 0, 1).Reply()
	if err != nil || aware.ValueLen == 0 || xgb.Get32(aware.Value) < dragVersion {
		return fmt.Errorf("the window takes no drops of version %d: %+v, %w", dragVersion, aware, err)
	}
	self := uint32(d.window)
	if err := d.tell(target, "XdndEnter", self, dragVersion<<24, uint32(d.atoms["text/plain"]), uint32(d.atoms["text/uri-list"]), 0); err != nil {
		return err
	}
	if err := d.tell(target, "XdndPosition", self, 0, uint32(x)<<16|uint32(y), xproto.TimeCurrentTime, uint32(d.atoms["XdndActionCopy"])); err != nil {
		return err
	}
	if err := d.await("XdndStatus"); err != nil {
		return err
	}
	if err := d.tell(target, "XdndDrop", self, 0, xproto.TimeCurrentTime, 0, 0); err != nil {
		return err
	}
	return d.await("XdndFinished")
}

// tell sends a message of the protocol.
func (d *drag) tell(target xproto.Window, name string, data ...uint32) error {
	message := xproto.ClientMessageEvent{Format: 32, Window: target, Type: d.atoms[name], Data: xproto.ClientMessageDataUnionData32New(data)}
	if err := xproto.SendEventChecked(d.conn, false, target, 0, string(message.Bytes())).Check(); err != nil {
		return fmt.Errorf("send %s: %w", name, err)
	}
	return nil
}

// await waits for the target to accept, and passes on the files' addresses on request.
func (d *drag) await(name string) error {
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		event, err := d.conn.PollForEvent()
		if err != nil {
			return fmt.Errorf("wait for %s: %w", name, err)
		}
		switch event := event.(type) {
		case nil:
			time.Sleep(10 * time.Millisecond)
		case xproto.SelectionRequestEvent:
			if err := d.hand(event); err != nil {
				return err
			}
		case xproto.ClientMessageEvent:
			if event.Type != d.atoms[name] {
				continue
			}
			if event.Data.Data32[1] == 0 { // GLFW writes the number of bytes it received
				return fmt.Errorf("%s is a no", name)
			}
			return nil
		}
	}
	return fmt.Errorf("no %s came", name)
}

// hand sends the addresses to the requester.
func (d *drag) hand(ask xproto.SelectionRequestEvent) error {
	if ask.Target != d.atoms["text/uri-list"] {
		return fmt.Errorf("asked for another form than text/uri-list: %d", ask.Target)
	}
	if err := xproto.ChangePropertyChecked(d.conn, xproto.PropModeReplace, ask.Requestor, ask.Property, ask.Target, 8, uint32(len(d.uris)), []byte(d.uris)).Check(); err != nil {
		return fmt.Errorf("hand out %s: %w", strings.TrimSpace(d.uris), err)
	}
	done := xproto.SelectionNotifyEvent{Time: ask.Time, Requestor: ask.Requestor, Selection: ask.Selection, Target: ask.Target, Property: ask.Property}
	if err := xproto.SendEventChecked(d.conn, false, ask.Requestor, 0, string(done.Bytes())).Check(); err != nil {
		return fmt.Errorf("say that the files are there: %w", err)
	}
	return nil
}
