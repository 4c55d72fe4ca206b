//go:build !darwin && !windows

package desktop

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/apptest"
)

// notifyDaemon shows notifications to a test.
type notifyDaemon struct {
	conn  *dbus.Conn
	shown chan shownNote
	ids   uint32
}

type shownNote struct {
	App, Title, Body string
	Replaces         uint32
	Actions          []string
}

// Notify is the method that desktops implement.
func (d *notifyDaemon) Notify(app string, replaces uint32, _, title, body string, actions []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	d.ids++
	d.shown <- shownNote{app, title, body, replaces, actions}
	return d.ids, nil
}

func startNotifyDaemon(t *testing.T, address string) *notifyDaemon {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	d := &notifyDaemon{conn: conn, shown: make(chan shownNote, 4)}
	if err := conn.Export(d, notifyPath, notifyName); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(notifyName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *notifyDaemon) press(t *testing.T, id uint32, action string) {
	t.Helper()
	if err := d.conn.Emit(notifyPath, notifyClick, id, action); err != nil {
		t.Fatal(err)
	}
}

func TestClickingANotificationCallsOnClick(t *testing.T) {
	bus, err := apptest.StartBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	n := newNotifier(nil)
	t.Cleanup(n.close)
	if err := n.send(note{title: "mac-stats"}); err == nil {
		t.Error("no desktop shows it, and that is no error")
	}

	d := startNotifyDaemon(t, bus.Address)
	pressed := make(chan string, 4)
	for _, name := range []string{"one", "two"} {
		if err := n.send(note{title: "mac-stats", body: name + " <b> & more", clicked: func() { pressed <- name }}); err != nil {
			t.Fatal(err)
		}
	}
	var got []shownNote
	for range 2 {
		got = append(got, <-d.shown)
	}
	actions := []string{"default", "Open"}
	want := []shownNote{
		{appName, "mac-stats", "one &lt;b&gt; &amp; more", 0, actions},
		{appName, "mac-stats", "two &lt;b&gt; &amp; more", 1, actions},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	d.press(t, 1, "default") // it was replaced
	d.press(t, 2, "other")
	d.press(t, 2, "default")
	if name := <-pressed; name != "two" {
		t.Errorf("%s was opened", name)
	}

	if err := n.send(note{title: "mac-stats", clicked: func() { pressed <- "three" }}); err != nil {
		t.Fatal(err)
	}
	if err := d.conn.Emit(notifyPath, notifyGone, uint32(3), uint32(2)); err != nil {
		t.Fatal(err)
	}
	n.wait.Wait() // nothing waits for it any more
	if len(pressed) != 0 {
		t.Errorf("%s was opened", <-pressed)
	}
}

// Quitting doesn't wait for a bus that accepts connections and never answers.
func TestASilentBusDelaysNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // only for the test
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+path)
	n := newNotifier(nil)
	sent, closed := make(chan error, 1), make(chan struct{})
	go func() { sent <- n.send(note{title: "a note"}) }()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }() // only for the test
	go func() { n.close(); close(closed) }()
	if err := <-sent; err == nil {
		t.Error("a note on a silent bus was shown")
	}
	<-closed
}
