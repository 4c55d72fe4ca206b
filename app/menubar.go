//go:build !nogui

package main

import (
	"cmp"
	"strconv"
	"strings"

	"mac-stats/app/backend"
	"mac-stats/app/config"
	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
	"mac-stats/app/tray"
)

// What the icon shows is kept in config.toml: the menu writes it there, and an edited
// file changes the icon.

// displayOf is what the settings let the icon show.
func displayOf(m config.MenuBar) tray.Display {
	return tray.Display{
		Graph: m.Graph, Numbers: m.Numbers,
		CPU: m.Shows("cpu"), Memory: m.Shows("memory"), Temperature: m.Shows("temperature"), Network: m.Shows("network"),
	}
}

// metricNames are the metrics of a display as config.toml names them.
func metricNames(d tray.Display) string {
	var names []string
	for i, shown := range []bool{d.CPU, d.Memory, d.Temperature, d.Network} {
		if shown {
			names = append(names, config.MenuBarMetrics()[i])
		}
	}
	return strings.Join(names, ",")
}

// iconReading is what the icon shows of a snapshot.
func iconReading(s monitor.Snapshot) tray.Reading {
	r := tray.Unknown()
	if s.Paused {
		return r
	}
	if s.CPU.NA == "" {
		r.CPU = s.CPU.Percent
	}
	if s.Memory.NA == "" {
		r.Memory = s.Memory.Percent()
	}
	if s.Temperature.NA == "" {
		r.Temperature = s.Temperature.Celsius
	}
	if s.Network.NA == "" {
		r.Network = s.Network.Down + s.Network.Up
	}
	return r
}

// sample asks for what the icon and the menu's line show, and no more.
func (a *app) sample(d tray.Display) {
	metrics := []monitor.Metric{monitor.CPU, monitor.Memory, monitor.Disk}
	if d.Temperature {
		metrics = append(metrics, monitor.Temperature)
	}
	if d.Network {
		metrics = append(metrics, monitor.Network)
	}
	stop := a.backend.Monitor.Show(false, metrics...)
	a.display.Store(&d)
	if before := a.sampled.Swap(&stop); before != nil {
		(*before)()
	}
}

// onDisplay keeps what was chosen in the menu, on the tray's goroutine.
func (a *app) onDisplay(d tray.Display) {
	a.sample(d)
	for key, value := range map[string]string{
		"menubar.graph": strconv.FormatBool(d.Graph), "menubar.numbers": strconv.FormatBool(d.Numbers), "menubar.metrics": metricNames(d),
	} {
		if err := a.backend.Set(key, value); err != nil {
			a.backend.Logger.Warn("what the icon shows is not kept", "key", key, "error", err)
		}
	}
}

// onNotice hears of an edited config.toml: the icon may show something else. What a
// schedule answered is a notification.
func (a *app) onNotice(n backend.Notice) {
	if n.Kind == backend.NoticeSchedule && n.Text != "" {
		a.desktop.Notify(cmp.Or(n.Title, i18n.T("Heartbeat")), n.Text, func() {
			a.showThen(func() { a.window.OpenSession(n.Session) })
		})
	}
	if n.Kind != backend.NoticeReload {
		return
	}
	d := displayOf(a.backend.Config().MenuBar)
	if now := a.display.Load(); now == nil || *now != d {
		a.sample(d)
		a.tray.SetDisplay(d)
	}
}
