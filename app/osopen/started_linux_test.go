package osopen

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"mac-stats/app/apptest"
)

// desk makes xdg-open a program that records what it is asked to open, and returns the
// record.
func desk(t *testing.T) (opened func() string) {
	t.Helper()
	bin := t.TempDir()
	record := filepath.Join(t.TempDir(), "opened")
	script := "#!/bin/sh\nprintf %s \"$*\" >'" + record + ".new' && mv '" + record + ".new' '" + record + "'\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+bin+"/no-bus")
	return func() string {
		for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(2 * time.Millisecond) {
			if data, err := os.ReadFile(record); err == nil {
				return string(data)
			}
		}
		return "nothing"
	}
}

func TestOpenPassesTheTargetWithoutAShell(t *testing.T) {
	opened := desk(t)
	target := "https://example.org/?a=$(id)&b=`id`; c"
	if err := Open(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if got := opened(); got != target {
		t.Errorf("xdg-open was asked for %q", got)
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := Open(t.Context(), "x"); err == nil || err.Error() != `start xdg-open: exec: "xdg-open": executable file not found in $PATH` {
		t.Error(err)
	}
}

func TestRevealOpensTheFolderWithoutAFileManager(t *testing.T) {
	opened := desk(t)
	file := filepath.Join(t.TempDir(), "a b.md")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Reveal(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if got := opened(); got != filepath.Dir(file) {
		t.Errorf("xdg-open was asked for %q", got)
	}
}

// fileManager records what it is asked to select.
type fileManager struct{ shown chan []string }

// ShowItems is the method that desktops implement.
func (m fileManager) ShowItems(uris []string, _ string) *dbus.Error {
	m.shown <- uris
	return nil
}

func TestRevealSelectsTheFileInTheFileManager(t *testing.T) {
	desk(t)
	bus, err := apptest.StartBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	conn, err := dbus.Connect(bus.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	m := fileManager{make(chan []string, 1)}
	if err := conn.Export(m, "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName("org.freedesktop.FileManager1", dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a b#c.md")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Reveal(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	uris := <-m.shown
	if u, err := url.Parse(uris[0]); err != nil || len(uris) != 1 || u.Scheme != "file" || u.Path != file {
		t.Errorf("selected %q (%v)", uris, err)
	}
}
