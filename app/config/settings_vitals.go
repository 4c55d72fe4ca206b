package config

import (
	"slices"
	"strings"
	"time"
)

func alertSettings() []Setting {
	off := map[string]int{"off": 0}
	return []Setting{
		named("alerts.hot", "off", "Notify when the hottest sensor stays above this (°C) for 20 s.",
			whole(func(c *Config) *int { return &c.Alerts.Hot }, 40, 120, off)),
		named("alerts.disk_free", "off", "Notify when the disk of your home folder has less free space than this (%).",
			whole(func(c *Config) *int { return &c.Alerts.DiskFree }, 1, 50, off)),
		named("alerts.battery", "off", "Notify when the battery falls below this charge (%).",
			whole(func(c *Config) *int { return &c.Alerts.Battery }, 1, 90, off)),
		named("alerts.every", "30m", "The shortest time between two notifications of the same kind. The value must also have been well within its limit in between.",
			span(func(c *Config) *time.Duration { return &c.Alerts.Every }, time.Minute, 7*day, nil)).expert(),
	}
}

// MenuBarMetrics returns the metrics that menubar.metrics may name, in display order.
func MenuBarMetrics() []string { return []string{"cpu", "memory", "temperature", "network"} }

func menuBarSettings() []Setting {
	return []Setting{
		named("menubar.graph", "true", "Show a bar for each metric in the menu bar's icon (a ring on macOS).",
			boolean(func(c *Config) *bool { return &c.MenuBar.Graph })),
		named("menubar.numbers", "true", "Show the metrics as numbers: in the icon, on macOS beside it.",
			boolean(func(c *Config) *bool { return &c.MenuBar.Numbers })),
		named("menubar.metrics", "cpu", "Which metrics the icon shows. The temperature is the hottest sensor's, in °C. The network's figure is in megabytes per second, up and down together.",
			words(func(c *Config) *string { return &c.MenuBar.Metrics }, "one or more of "+strings.Join(MenuBarMetrics(), ", ")+", separated by commas", menuBarMetrics)),
	}
}

func menuBarMetrics(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		if !slices.Contains(MenuBarMetrics(), strings.TrimSpace(name)) {
			return errNotAllowed
		}
	}
	return nil
}

// Shows reports whether the icon shows a metric.
func (m MenuBar) Shows(metric string) bool {
	for name := range strings.SplitSeq(m.Metrics, ",") {
		if strings.TrimSpace(name) == metric {
			return true
		}
	}
	return false
}
