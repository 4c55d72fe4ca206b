//go:build !windows && !darwin

package desktop

import (
	"errors"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestDisplay(t *testing.T) {
	dir := t.TempDir()
	listen(t, "unix", filepath.Join(dir, "wayland-7"))
	x11 := listen(t, "unix", filepath.Join(dir, "x11:0"))
	remote := listenAbove6000(t)

	for _, c := range []struct {
		name     string
		env      map[string]string
		platform string // "" if there is no display
		missing  string // part of the error
	}{
		{"nothing is set", nil, "", "neither DISPLAY nor WAYLAND_DISPLAY is set"},
		{"a Wayland socket by name", map[string]string{"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": dir}, "wayland", ""},
		{"a Wayland socket by path", map[string]string{"WAYLAND_DISPLAY": filepath.Join(dir, "wayland-7")}, "wayland", ""},
		{"a Wayland socket handed over", map[string]string{"WAYLAND_SOCKET": "5"}, "wayland", ""},
		{"a Wayland name without a runtime folder", map[string]string{"WAYLAND_DISPLAY": "wayland-7"}, "", "XDG_RUNTIME_DIR is not set"},
		{"a dead Wayland socket", map[string]string{"WAYLAND_DISPLAY": "wayland-8", "XDG_RUNTIME_DIR": dir}, "", "WAYLAND_DISPLAY=wayland-8"},
		{"a dead Wayland socket beside a living X server", map[string]string{"WAYLAND_DISPLAY": "wayland-8", "XDG_RUNTIME_DIR": dir, "DISPLAY": remote}, "x11", ""},
		{"a Wayland desktop with an X server", map[string]string{"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": dir, "DISPLAY": remote}, "x11", ""},
		{"and Wayland is chosen", map[string]string{"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": dir, "DISPLAY": remote, "FYNE_PLATFORM": "wayland"}, "wayland", ""},
		{"and something else is chosen", map[string]string{"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": dir, "DISPLAY": remote, "FYNE_PLATFORM": "mir"}, "x11", ""},
		{"Wayland is chosen, and there is none", map[string]string{"DISPLAY": remote, "FYNE_PLATFORM": "wayland"}, "", "WAYLAND_DISPLAY is not set"},
		{"X11 is chosen, and there is none", map[string]string{"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": dir, "FYNE_PLATFORM": "x11"}, "", "DISPLAY is not set"},
		{"a Wayland desktop with a dead X server", map[string]string{"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": dir, "DISPLAY": ":59123"}, "wayland", ""},
		{"an X server by TCP", map[string]string{"DISPLAY": remote}, "x11", ""},
		{"an X server with a screen", map[string]string{"DISPLAY": remote + ".0"}, "x11", ""},
		{"an X server by the path of its socket", map[string]string{"DISPLAY": x11}, "x11", ""},
		{"a dead X server", map[string]string{"DISPLAY": ":59123"}, "", "DISPLAY=:59123"},
		{"not a display", map[string]string{"DISPLAY": "screen"}, "", "not of the form host:number"},
		{"not a number", map[string]string{"DISPLAY": ":one"}, "", `"one" is not a display number`},
		{"a number out of range", map[string]string{"DISPLAY": ":99999"}, "", "is not a display number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			platform, err := findDisplay(func(key string) string { return c.env[key] })
			switch {
			case c.platform != "" && (err != nil || platform != c.platform):
				t.Errorf("got %q, %v; want %q", platform, err, c.platform)
			case c.platform != "":
			case !errors.Is(err, ErrNoDisplay):
				t.Errorf("got %v, want ErrNoDisplay", err)
			case !strings.Contains(err.Error(), c.missing) || !strings.Contains(err.Error(), "--headless"):
				t.Errorf("%q does not say %q and --headless", err, c.missing)
			}
		})
	}
}

func TestParseDisplay(t *testing.T) {
	for _, c := range []struct {
		display, host string
		number        int
	}{
		{":0", "", 0},
		{":10.1", "", 10},
		{"unix:3", "unix", 3},
		{"host:2", "host", 2},
		{"tcp/host:2.0", "host", 2},
		{"[::1]:4", "::1", 4},
		{"::1:4", "::1", 4},
		{"/private/tmp/x/org.xquartz:0", "org.xquartz", 0},
	} {
		host, number, err := parseDisplay(c.display)
		if err != nil || host != c.host || number != c.number {
			t.Errorf("parseDisplay(%q) = %q, %d, %v; want %q, %d", c.display, host, number, err, c.host, c.number)
		}
	}
}

func FuzzParseDisplay(f *testing.F) {
	for _, s := range []string{":0", "host:1.2", "[::1]:3", "a/b/c:4", "::", ":", "", "x:-1", ":65536"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, display string) {
		_, number, err := parseDisplay(display)
		if err == nil && (number < 0 || 6000+number > 65535) {
			t.Errorf("%q has number %d", display, number)
		}
	})
}

// listen opens a socket that nobody reads from, and returns its address.
func listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// listenAbove6000 plays an X server on TCP and returns its DISPLAY.
func listenAbove6000(t *testing.T) string {
	t.Helper()
	for range 20 {
		address := listen(t, "tcp", "127.0.0.1:0")
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := strconv.Atoi(port); err == nil && n > 6000 {
			return "127.0.0.1:" + strconv.Itoa(n-6000)
		}
	}
	t.Fatal("no free port above 6000")
	return ""
}
