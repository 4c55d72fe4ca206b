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
	began := time.Now()
	if _, err := hasTrayHost(ctx, map[string]string{"XDG_RUNTIME_DIR": dir}); err == nil || time.Since(began) > time.Minute {
		t.Errorf("a bus that hangs: %v after %v", err, time.Since(began))
	}
}
