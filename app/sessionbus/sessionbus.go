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
	return connect(ctx, os.Getenv("DBUS_SESSION_BUS_ADDRESS"), func(ctx context.Context) (*dbus.Conn, error) {
		return dbus.SessionBusPrivateNoAutoStartup(dbus.WithContext(ctx))
	})
}

// ConnectTo is Connect for the bus at an address.
func ConnectTo(ctx context.Context, address string) (*dbus.Conn, error) {
	return connect(ctx, address, func(ctx context.Context) (*dbus.Conn, error) {
		return dbus.Dial(address, dbus.WithContext(ctx))
	})
}

func connect(ctx context.Context, address string, dial func(context.Context) (*dbus.Conn, error)) (*dbus.Conn, error) {
	whole := ctx
	ctx, stop := context.WithCancel(whole) // ends a connection that is made too late
	limit := time.AfterFunc(loginTime, stop)
	type result struct {
		conn *dbus.Conn
		err  error
	}
	done := make(chan result, 1)
	go func() { // the library takes no deadline
		conn, err := login(ctx, dial)
		done <- result{conn, err}
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
	}
	inTime := limit.Stop()
	if inTime && r.conn != nil && r.err == nil {
		context.AfterFunc(r.conn.Context(), stop) // releases ctx
		return r.conn, nil
	}
	stop()
	if !inTime {
		r.err = errors.New("it does not answer")
	}
	return nil, fmt.Errorf("log in to the session bus at %s: %w", address, cmp.Or(whole.Err(), r.err))
}

func login(ctx context.Context, dial func(context.Context) (*dbus.Conn, error)) (*dbus.Conn, error) {
	conn, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	if err := conn.Auth(nil); err != nil {
		return nil, err // the connection ends with ctx
	}
	return conn, conn.Hello()
}
