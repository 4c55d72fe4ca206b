// Package sessionbus connects to the running D-Bus session bus.
//
// It never starts a bus, because nobody else would be on it. Unlike the library, it doesn't
// wait forever for a dead one. The callers use the connection for notifications, for the
// tray's host, for the hotkey and for the file manager.
package sessionbus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/godbus/dbus/v5"
)

// loginTime is how long the bus may take to accept mac-stats.
const loginTime = 2 * time.Second

// Connect returns a new connection, which ends when ctx is done at the latest.
func Connect(ctx context.Context) (*dbus.Conn, error) {
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	return login(ctx, conn, err, os.Getenv("DBUS_SESSION_BUS_ADDRESS"))
}

// ConnectTo is Connect for the bus at an address.
func ConnectTo(ctx context.Context, address string) (*dbus.Conn, error) {
	conn, err := dbus.Dial(address, dbus.WithContext(ctx))
	return login(ctx, conn, err, address)
}

func login(ctx context.Context, conn *dbus.Conn, err error, address string) (*dbus.Conn, error) {
	if err != nil {
		return nil, fmt.Errorf("reach the session bus: %w", err)
	}
	done := make(chan error, 1)
	go func() {
		err := conn.Auth(nil)
		if err == nil {
			err = conn.Hello()
		}
		done <- err
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(loginTime):
		err = errors.New("it does not answer")
	}
	if err != nil {
		_ = conn.Close()             // nothing was sent over it
		err = cmp.Or(ctx.Err(), err) // which closed the connection
		return nil, fmt.Errorf("log in to the session bus at %s: %w", address, err)
	}
	return conn, nil
}
