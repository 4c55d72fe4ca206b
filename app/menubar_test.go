//go:build !nogui

package main

import (
	"testing"

	"mac-stats/app/config"
	"mac-stats/app/monitor"
	"mac-stats/app/tray"
)

func TestTheIconsDisplayIsSavedInTheConfig(t *testing.T) {
	for _, metrics := range []string{"cpu", "memory,network", "cpu,memory,temperature,network"} {
		d := displayOf(config.MenuBar{Graph: true, Metrics: metrics})
		if got := metricNames(d); got != metrics || !d.Graph || d.Numbers {
			t.Errorf("%s becomes %s in %+v", metrics, got, d)
		}
	}
}

func TestTheIconShowsOnlyAvailableMetrics(t *testing.T) {
	s := monitor.Snapshot{
		CPU: monitor.CPUReading{Percent: 12}, Memory: monitor.MemoryReading{Used: 1, Total: 4},
		Temperature: monitor.TemperatureReading{NA: "no sensor"}, Network: monitor.NetworkReading{Down: 1, Up: 2},
	}
	if got, want := iconReading(s), (tray.Reading{CPU: 12, Memory: 25, Temperature: -1, Network: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.Paused = true
	if got := iconReading(s); got != tray.Unknown() {
		t.Errorf("paused, it shows %+v", got)
	}
}
