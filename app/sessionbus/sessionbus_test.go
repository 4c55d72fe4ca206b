package sessionbus

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"
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
			conn, err := Connect(ctx)
			if err == nil {
				_ = conn.Close()
				t.Fatal("it is connected")
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Error(err)
			}
		})
	}
}
