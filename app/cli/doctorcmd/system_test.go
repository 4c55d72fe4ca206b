package doctorcmd

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"mac-stats/app/apptest"
)

func TestAFolderThatCantBeWritten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 && runtime.GOOS == "linux" {
		dir = "/proc/self/task" // even root can't write here
	}
	if c := checkWritable(dir); c.OK || c.Name != "folder" || !strings.Contains(c.Fix, dir) {
		t.Errorf("got %+v", c)
	}
}

func TestADisplay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // other systems have their own display
	}
	dir := t.TempDir()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, "wayland-7"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tests := []struct {
		name  string
		env   map[string]string
		there bool
		bad   bool
	}{
		{"none", map[string]string{}, false, false},
		{"a desktop session without one", map[string]string{"XDG_SESSION_TYPE": "wayland"}, false, true},
		{"Wayland", map[string]string{"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": dir}, true, false},
		{"Wayland that is gone", map[string]string{"WAYLAND_DISPLAY": "wayland-8", "XDG_RUNTIME_DIR": dir}, false, true},
		{"X11 that is gone", map[string]string{"DISPLAY": ":4711.0"}, false, true},
		{"X11 of another machine", map[string]string{"DISPLAY": "box:0"}, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, there, err := findDisplay(t.Context(), tt.env)
			if there != tt.there || (err != nil) != tt.bad || err == nil && found == "" {
				t.Errorf("found %q, %v, %v", found, there, err)
			}
		})
	}
}

func TestTheTrayHostProbeHasATimeLimit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // other systems always have one
	}
	dir := t.TempDir()
	if _, err := hasTrayHost(t.Context(), map[string]string{}); !errors.Is(err, ErrNoBus) {
		t.Errorf("without a bus: %v", err)
	}
	if _, err := hasTrayHost(t.Context(), map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=" + dir + "/none"}); err == nil {
		t.Error("a bus that is not there")
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, "bus")) // never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := hasTrayHost(ctx, map[string]string{"XDG_RUNTIME_DIR": dir}); err == nil {
		t.Error("a bus that hangs")
	}
}

func TestATrayHostIsFoundOnTheBus(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // other systems always have one
	}
	bus, err := apptest.StartBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	probes := systemProbes([]string{"DBUS_SESSION_BUS_ADDRESS=" + bus.Address})
	if host, err := probes.TrayHost(t.Context()); host || err != nil {
		t.Errorf("on an empty bus: %v, %v", host, err)
	}
	conn, err := dbus.Connect(bus.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := conn.RequestName(watcher, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	if host, err := probes.TrayHost(t.Context()); !host || err != nil {
		t.Errorf("with a host: %v, %v", host, err)
	}
	if found, there, err := probes.Display(t.Context()); there || err != nil || found == "" {
		t.Errorf("the display: %q, %v, %v", found, there, err)
	}
}

func TestFreeSpaceOfARealDisk(t *testing.T) {
	t.Parallel()
	free := systemProbes(nil).Free
	if n, err := free(t.TempDir()); err != nil || n == 0 {
		t.Errorf("%d bytes are free, %v", n, err)
	}
	if _, err := free(filepath.Join(t.TempDir(), "gone")); err == nil {
		t.Error("a folder that isn't there has free space")
	}
	if runtime.GOOS == "linux" {
		if _, err := free("/proc"); !errors.Is(err, ErrNoDisk) {
			t.Errorf("/proc: %v", err)
		}
	}
	dir := t.TempDir()
	if got := existing(filepath.Join(dir, "a", "b")); got != dir {
		t.Errorf("the nearest folder is %s", got)
	}
}

func TestPermissionsThatAreTooWide(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // there are none
	}
	home := t.TempDir()
	session := filepath.Join(home, "session")
	if err := errors.Join(os.Chmod(home, 0o700), os.Mkdir(session, 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		if err := os.WriteFile(filepath.Join(session, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := checkPermissions(home)
	if want := "others may read " + filepath.Join(session, "a") + ", " + filepath.Join(session, "b") + ", " + filepath.Join(session, "c") + " and 2 more"; got.OK || got.Found != want {
		t.Errorf("found %+v", got)
	}
}
