package sessionbus

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"mac-stats/app/apptest"
)

func TestConnect(t *testing.T) {
	silent := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", silent)
	if err != nil {
		t.Skip("no Unix sockets here:", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	for name, tt := range map[string]struct {
		address string
		want    error
	}{
		"a bus that never answers": {"unix:path=" + silent, context.DeadlineExceeded},
		"a bus that is gone":       {"unix:path=" + silent + "-gone", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", tt.address)
			ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer stop()
			for _, connect := range []func() (*dbus.Conn, error){
				func() (*dbus.Conn, error) { return Connect(ctx) },
				func() (*dbus.Conn, error) { return ConnectTo(ctx, tt.address) },
			} {
				conn, err := connect()
				if err == nil {
					_ = conn.Close()
					t.Fatal("it is connected")
				}
				if tt.want != nil && !errors.Is(err, tt.want) {
					t.Error(err)
				}
			}
		})
	}
}

func TestConnectToARunningBus(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no session bus")
	}
	bus, err := apptest.StartBus()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	first, err := Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	second, err := ConnectTo(ctx, bus.Address)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := first.Names(), second.Names(); len(a) == 0 || len(b) == 0 || a[0] == b[0] {
		t.Errorf("the connections are called %q and %q", a, b)
	}
	stop()
	<-second.Context().Done()
	if err := first.Close(); err != nil {
		t.Error(err)
	}
}
