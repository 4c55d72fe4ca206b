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

// config.toml holds what the icon shows: the menu writes it there, and an edit changes the
// icon.

// displayOf returns what the settings let the icon show.
func displayOf(m config.MenuBar) tray.Display {
	return tray.Display{
		Graph: m.Graph, Numbers: m.Numbers,
		CPU: m.Shows("cpu"), Memory: m.Shows("memory"), Temperature: m.Shows("temperature"), Network: m.Shows("network"),
	}
}

// metricNames returns the metrics of a display as config.toml names them.
func metricNames(d tray.Display) string {
	var names []string
	for i, shown := range []bool{d.CPU, d.Memory, d.Temperature, d.Network} {
		if shown {
			names = append(names, config.MenuBarMetrics()[i])
		}
	}
	return strings.Join(names, ",")
}

// iconReading returns the part of a snapshot that the icon shows.
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

// sample makes the monitor sample what the icon and the menu's line show, and no more.
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

// onDisplay saves the choice made in the menu, on the tray's goroutine.
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

// onNotice updates the icon after an edit of config.toml, and shows a schedule's answer as
// a notification.
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
