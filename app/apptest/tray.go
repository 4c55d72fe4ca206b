package apptest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

// The protocol's names (freedesktop.org, StatusNotifierItem).
const (
	watcherName = "org.kde.StatusNotifierWatcher"
	watcherPath = dbus.ObjectPath("/StatusNotifierWatcher")
	itemName    = "org.kde.StatusNotifierItem"
	menuName    = "com.canonical.dbusmenu"
)

// callTimeout is the time limit of a call to the icon's process.
const callTimeout = 5 * time.Second

// Bus is a private session bus.
type Bus struct {
	// Address is the DBUS_SESSION_BUS_ADDRESS for the program under test.
	Address string
	folder  string
	cmd     *exec.Cmd
}

// busConfig is the configuration of a bus on which nothing is started: it names no folder of
// services. The system's own configuration would start the portals, keyrings and daemons of
// the desktop that is installed on this machine as soon as somebody asks for them.
const busConfig = `<busconfig>
  <type>session</type>
  <listen>unix:path=%s</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

// StartBus starts dbus-daemon with a bus that only the test's own programs are on. Close ends
// it.
func StartBus() (*Bus, error) {
	path, err := exec.LookPath("dbus-daemon")
	if err != nil {
		return nil, fmt.Errorf("the tests of the session bus need dbus-daemon (Debian: apt install dbus-daemon): %w", err)
	}
	folder, err := os.MkdirTemp("", "bus") // short, because a socket's path must be
	if err != nil {
		return nil, fmt.Errorf("starting a session bus: %w", err)
	}
	b := &Bus{folder: folder}
	if err := b.start(path); err != nil {
		_ = os.RemoveAll(folder) // the first error is the one to return
		return nil, fmt.Errorf("starting a session bus: %w", err)
	}
	return b, nil
}

func (b *Bus) start(path string) error {
	config := filepath.Join(b.folder, "bus.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, busConfig, filepath.Join(b.folder, "socket")), 0o600); err != nil {
		return err
	}
	b.cmd = exec.CommandContext(context.Background(), path, "--config-file="+config, "--nofork", "--nopidfile", "--print-address=1")
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := b.cmd.Start(); err != nil {
		return err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = b.cmd.Process.Kill() // it printed no address, so it is useless whether or not it dies
		return fmt.Errorf("it printed no address: %w", err)
	}
	b.Address = strings.TrimSpace(address)
	return nil
}

// Close ends the bus.
func (b *Bus) Close() error {
	if err := b.cmd.Process.Kill(); err != nil {
		return fmt.Errorf("ending the session bus: %w", err)
	}
	_ = b.cmd.Wait() // it reports the signal
	return os.RemoveAll(b.folder)
}

// TrayHost is a tray without a screen: a StatusNotifierWatcher that is also its host. It sees
// what a panel would see of a tray icon and clicks what a person would click.
type TrayHost struct {
	conn *dbus.Conn

	mu    sync.Mutex
	items []registration
	came  chan struct{} // closed and replaced whenever an item registers
	icons int           // NewIcon signals

	layouts, properties int // signals of changed menus and of changed items of a menu
}

// registration is a registered icon.
type registration struct {
	owner string // its unique name on the bus
	path  dbus.ObjectPath
}

// StartTrayHost starts the tray host on a bus.
func StartTrayHost(address string) (*TrayHost, error) {
	conn, err := dbus.Connect(address)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	h := &TrayHost{conn: conn, came: make(chan struct{})}
	if err := h.serve(); err != nil {
		_ = conn.Close() // the first error is the one to return
		return nil, err
	}
	return h, nil
}

func (h *TrayHost) serve() error {
	if err := h.conn.Export(methods{h}, watcherPath, watcherName); err != nil {
		return fmt.Errorf("exporting the watcher: %w", err)
	}
	_, err := prop.Export(h.conn, watcherPath, prop.Map{watcherName: {
		"IsStatusNotifierHostRegistered": {Value: true, Emit: prop.EmitTrue},
		"ProtocolVersion":                {Value: int32(0), Emit: prop.EmitTrue},
		"RegisteredStatusNotifierItems":  {Value: []string{}, Emit: prop.EmitTrue},
	}})
	if err != nil {
		return fmt.Errorf("exporting the watcher's properties: %w", err)
	}
	err = errors.Join(h.conn.AddMatchSignal(dbus.WithMatchInterface(itemName), dbus.WithMatchMember("NewIcon")),
		h.conn.AddMatchSignal(dbus.WithMatchInterface(menuName)))
	if err != nil {
		return fmt.Errorf("watching icons: %w", err)
	}
	signals := make(chan *dbus.Signal, 64)
	h.conn.Signal(signals)
	go h.count(signals)
	reply, err := h.conn.RequestName(watcherName, dbus.NameFlagDoNotQueue)
	if err != nil {
		return fmt.Errorf("becoming the tray host: %w", err)
	}
	if reply != dbus.RequestNameReplyPrimaryOwner {
		return fmt.Errorf("another tray host is on this bus")
	}
	return nil
}

// count counts the icons' changes until the connection ends.
func (h *TrayHost) count(signals <-chan *dbus.Signal) {
	for s := range signals {
		h.mu.Lock()
		switch s.Name {
		case itemName + ".NewIcon":
			h.icons++
		case menuName + ".LayoutUpdated":
			h.layouts++
		case menuName + ".ItemsPropertiesUpdated":
			h.properties++
		}
		h.mu.Unlock()
	}
}

// methods are the methods that icons call.
type methods struct{ host *TrayHost }

// RegisterStatusNotifierItem is called by an icon with its path or its name.
func (m methods) RegisterStatusNotifierItem(sender dbus.Sender, service string) *dbus.Error {
	r := registration{owner: string(sender), path: "/StatusNotifierItem"}
	if strings.HasPrefix(service, "/") {
		r.path = dbus.ObjectPath(service)
	}
	m.host.mu.Lock()
	defer m.host.mu.Unlock()
	m.host.items = append(m.host.items, r)
	close(m.host.came)
	m.host.came = make(chan struct{})
	return nil
}

// RegisterStatusNotifierHost would be called by other hosts; there are none.
func (m methods) RegisterStatusNotifierHost(string) *dbus.Error { return nil }

// Close removes the host, as when a panel ends.
func (h *TrayHost) Close() error { return h.conn.Close() }

// Item waits for an icon to register and returns the newest one.
func (h *TrayHost) Item(ctx context.Context) (*Item, error) {
	for {
		h.mu.Lock()
		came, items := h.came, slices.Clone(h.items)
		h.mu.Unlock()
		if len(items) > 0 {
			r := items[len(items)-1]
			return &Item{conn: h.conn, object: h.conn.Object(r.owner, r.path), owner: r.owner}, nil
		}
		select {
		case <-came:
		case <-ctx.Done():
			return nil, fmt.Errorf("no icon registered: %w", ctx.Err())
		}
	}
}

// Registrations returns how many times an icon registered.
func (h *TrayHost) Registrations() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.items)
}

// MenuChanges returns how many times a menu signalled a new layout, which a panel draws
// anew, and how many times new properties of an item.
func (h *TrayHost) MenuChanges() (layouts, properties int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.layouts, h.properties
}

// IconChanges returns how many times an icon signalled a new picture.
func (h *TrayHost) IconChanges() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.icons
}
