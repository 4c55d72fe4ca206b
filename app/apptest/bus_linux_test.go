package apptest_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/godbus/dbus/v5"

	"mac-stats/app/apptest"
	"mac-stats/sessionmem/filetest"
)

// A desktop's portal that is installed on the machine is no part of a test.
func TestABusKnowsOnlyTheServicesOfItsTest(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	t.Setenv("XDG_DATA_DIRS", data)
	filetest.Write(t, filepath.Join(data, "dbus-1", "services", "portal.service"), "[D-BUS Service]\nName=org.freedesktop.portal.Desktop\nExec=/bin/false\n")
	bus, err := apptest.StartBus()
	filetest.Must(t, err)
	t.Cleanup(func() { filetest.Must(t, bus.Close()) })
	conn, err := dbus.Connect(bus.Address)
	filetest.Must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	var names []string
	filetest.Must(t, conn.BusObject().Call("org.freedesktop.DBus.ListActivatableNames", 0).Store(&names))
	if !slices.Equal(names, []string{"org.freedesktop.DBus"}) {
		t.Errorf("the bus starts %q", names)
	}
}
