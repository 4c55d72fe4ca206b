package sessionbus

import (
	"context"
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// deafPort returns a port of 127.0.0.1 that neither accepts nor refuses a connection: its
// queue is full.
func deafPort(t *testing.T) int {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	port := name.(*syscall.SockaddrInet4).Port
	for range 20 {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 100*time.Millisecond)
		if err != nil {
			return port
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	t.Skip("the queue never fills")
	return 0
}

func TestABusThatCannotBeDialed(t *testing.T) {
	address := "tcp:host=127.0.0.1,port=" + strconv.Itoa(deafPort(t))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	for name, connect := range map[string]func(context.Context) (*dbus.Conn, error){
		"Connect":   Connect,
		"ConnectTo": func(ctx context.Context) (*dbus.Conn, error) { return ConnectTo(ctx, address) },
	} {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer stop()
		if _, err := connect(ctx); !errors.Is(err, context.DeadlineExceeded) { // the system gives up after minutes, with another error
			t.Errorf("%s: %v", name, err)
		}
	}
}
