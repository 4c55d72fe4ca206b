//go:build !darwin && !windows

package tray

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/godbus/dbus/v5"

	"mac-stats/app/sessionbus"
)

// startsOnCaller: the bus may be slow.
const startsOnCaller = false

// The parts of the StatusNotifierItem protocol that show whether an icon will be visible.
const (
	watcherName  = "org.kde.StatusNotifierWatcher"
	watcherPath  = dbus.ObjectPath("/StatusNotifierWatcher")
	hostProperty = watcherName + ".IsStatusNotifierHostRegistered"
	hostCame     = "StatusNotifierHostRegistered"
	hostWent     = "StatusNotifierHostUnregistered"
)

const (
	busTimeout = 2 * time.Second
	// settle is how long a new watcher may take until its host is there.
	settle = time.Second
)

// Messages for people.
const (
	noBusAdvice = "There is no tray icon, because no D-Bus session is running. " +
		"Start mac-stats from a desktop session, or with `dbus-run-session mac-stats`."
	noHostAdvice = "There is no tray icon, because this desktop shows none. " +
		"On GNOME install the AppIndicator extension (package gnome-shell-extension-appindicator), " +
		"elsewhere add the system tray to the panel; the icon then appears by itself. " +
		"Until then this window is the way in, and closing it quits."
	busGoneAdvice = "The tray icon is gone, because the D-Bus session ended. Quit and start mac-stats again."
)

// watchHost follows the owner of the watcher's name on the session bus, over its own
// connection.
func watchHost(ctx context.Context, log *slog.Logger, report func(hostState)) {
	conn, err := sessionbus.Connect(ctx)
	if err != nil {
		log.Info("no session bus, so no tray icon", "error", err)
		report(hostState{why: noBusAdvice})
		return
	}
	defer func() { _ = conn.Close() }() // nothing is lost
	w := &watcher{conn: conn, report: report}
	if err := w.run(ctx); err != nil && ctx.Err() == nil {
		log.Warn("the tray host can't be watched", "error", err)
		report(hostState{why: busGoneAdvice})
	}
}

// watcher watches one bus.
type watcher struct {
	conn     *dbus.Conn
	report   func(hostState)
	reported hostState
}

func (w *watcher) run(ctx context.Context) error {
	signals := make(chan *dbus.Signal, 16)
	w.conn.Signal(signals)
	for _, match := range [][]dbus.MatchOption{
		{
			dbus.WithMatchSender("org.freedesktop.DBus"), dbus.WithMatchInterface("org.freedesktop.DBus"),
			dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, watcherName),
		},
		{dbus.WithMatchSender(watcherName), dbus.WithMatchInterface(watcherName), dbus.WithMatchMember(hostCame)},
		{dbus.WithMatchSender(watcherName), dbus.WithMatchInterface(watcherName), dbus.WithMatchMember(hostWent)},
	} {
		if err := w.conn.AddMatchSignalContext(ctx, match...); err != nil {
			return fmt.Errorf("watching for a tray host: %w", err)
		}
	}
	again := w.look(ctx, true)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s, open := <-signals:
			if !open || s == nil {
				return dbus.ErrClosed
			}
			again = w.look(ctx, true)
		case <-again:
			again = w.look(ctx, false)
		}
	}
}

// look asks the bus and reports changes. A missing host may be on its way (a panel that
// starts or restarts); then the state is pending, and the channel says when to look again.
func (w *watcher) look(ctx context.Context, patient bool) (again <-chan time.Time) {
	now := w.ask(ctx)
	if patient && !now.host {
		now.pending = true
		again = time.After(settle)
	}
	if ctx.Err() == nil && now != w.reported {
		w.reported = now
		w.report(now)
	}
	return again
}

// ask asks for the current state.
func (w *watcher) ask(ctx context.Context) hostState {
	ctx, cancel := context.WithTimeout(ctx, busTimeout)
	defer cancel()
	var owned bool
	err := w.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, watcherName).Store(&owned)
	if err != nil || !owned {
		return hostState{why: noHostAdvice}
	}
	var v dbus.Variant
	err = w.conn.Object(watcherName, watcherPath).
		CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, watcherName, "IsStatusNotifierHostRegistered").Store(&v)
	if hosted, ok := v.Value().(bool); err == nil && ok && !hosted {
		return hostState{watcher: true, why: noHostAdvice}
	}
	return hostState{watcher: true, host: true}
}
