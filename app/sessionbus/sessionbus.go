// Package sessionbus connects to the D-Bus session bus that there is.
//
// It never starts a bus: that would be one nobody else is on. It doesn't wait for ever for
// one that is dead, which the library would. What is said over the bus is the callers'
// part: notifications, the watch of the tray's host, and the file manager.
package sessionbus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/godbus/dbus/v5"
)

// loginTime is how long a bus may take to let mac-stats in.
const loginTime = 2 * time.Second

// Connect gives a connection of the caller's own, which ends with ctx at the latest.
func Connect(ctx context.Context) (*dbus.Conn, error) {
	conn, err := dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
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
		_ = conn.Close() // nothing was said over it
		return nil, fmt.Errorf("log in to the session bus at %s: %w", os.Getenv("DBUS_SESSION_BUS_ADDRESS"), err)
	}
	return conn, nil
}
