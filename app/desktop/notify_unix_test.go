//go:build !darwin && !windows

package desktop

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/apptest"
	"mac-stats/assets"
	"mac-stats/sessionmem/filetest"
)

// notifyDaemon shows notifications to a test.
type notifyDaemon struct {
	conn  *dbus.Conn
	shown chan receivedNote
	ids   uint32
}

type receivedNote struct {
	App, Title, Body string
	Replaces         uint32
	Actions          []string
}

// Notify is the method that desktops implement.
func (d *notifyDaemon) Notify(app string, replaces uint32, _, title, body string, actions []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	d.ids++
	d.shown <- receivedNote{app, title, body, replaces, actions}
	return d.ids, nil
}

func startNotifyDaemon(t *testing.T, address string) *notifyDaemon {
	t.Helper()
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	d := &notifyDaemon{conn: conn, shown: make(chan receivedNote, 4)}
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

// notifierOnABus returns a notifier on a bus of its own, and the bus's address.
func notifierOnABus(t *testing.T) (n *notifier, address string) {
	t.Helper()
	bus, err := apptest.StartBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	n = newNotifier(nil, nil)
	t.Cleanup(n.close)
	return n, bus.Address
}

func TestClickingANotificationCallsOnClick(t *testing.T) {
	n, address := notifierOnABus(t)
	if err := n.send(note{title: "mac-stats"}); err == nil {
		t.Error("no desktop shows it, and that is no error")
	}

	d := startNotifyDaemon(t, address)
	pressed := make(chan string, 4)
	for _, name := range []string{"one", "two"} {
		if err := n.send(note{title: "mac-stats", body: name + " <b> & more", clicked: func() { pressed <- name }}); err != nil {
			t.Fatal(err)
		}
	}
	var got []receivedNote
	for range 2 {
		got = append(got, <-d.shown)
	}
	actions := []string{"default", "Open"}
	want := []receivedNote{
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
}

// KDE keeps notes that have left the screen in a history, shows no note that replaces one of
// them, and says that a note has gone before it says that it was clicked.
func TestANotificationIsClickedAfterItLeftTheScreen(t *testing.T) {
	n, address := notifierOnABus(t)
	d := startNotifyDaemon(t, address)
	pressed := make(chan string, 4)
	for _, name := range []string{"one", "two", "three"} {
		if err := n.send(note{title: "mac-stats", clicked: func() { pressed <- name }}); err != nil {
			t.Fatal(err)
		}
		if shown := <-d.shown; shown.Replaces != 0 {
			t.Errorf("%s replaces %d, which isn't on the screen", name, shown.Replaces)
		}
		if err := d.conn.Emit(notifyPath, notifyGone, d.ids, uint32(1)); err != nil {
			t.Fatal(err)
		}
		filetest.Until(t, "it has heard that", func() bool {
			n.mu.Lock()
			defer n.mu.Unlock()
			return n.shown == 0
		})
	}
	for i, want := range []string{"one", "two", "three"} {
		d.press(t, uint32(i+1), "default")
		if got := <-pressed; got != want {
			t.Errorf("%s was opened instead of %s", got, want)
		}
	}
	if err := n.send(note{title: "mac-stats", clicked: func() { pressed <- "four" }}); err != nil {
		t.Fatal(err)
	}
	d.press(t, 1, "default") // once was enough
	d.press(t, 4, "default")
	if got := <-pressed; got != "four" {
		t.Errorf("%s was opened again", got)
	}
}

// A program that isn't installed has no icon by name.
func TestANotificationHasOurIcon(t *testing.T) {
	icon, err := assets.FS.ReadFile("icons/icon.png")
	if err != nil {
		t.Fatal(err)
	}
	n := newNotifier(nil, icon)
	p := n.picture()
	if n.picture() != p {
		t.Error("the icon is decoded for each note")
	}
	if n := testing.AllocsPerRun(1, func() { pictureOf(icon) }); n > 20_000 { // four thousand small pixels; of the large ones, none
		t.Errorf("decoding it takes %.0f allocations", n)
	}
	if p == nil || p.Width != iconEdge || p.Stride != 4*iconEdge || len(p.Pixels) != 4*iconEdge*iconEdge {
		t.Fatalf("the picture is %+v", p)
	}
	centre := p.Pixels[iconEdge/2*int(p.Stride)+iconEdge/2*4:][:4]
	if corner := p.Pixels[:4]; corner[3] != 0 || centre[3] != 0xff {
		t.Errorf("a corner is %v, the centre %v", corner, centre)
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
	n := newNotifier(nil, nil)
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
