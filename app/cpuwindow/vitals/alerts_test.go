package vitals

import (
	"testing"

	"mac-stats/app/monitor"
)

func TestAlertWords(t *testing.T) {
	s := monitor.Snapshot{
		Temperature: monitor.TemperatureReading{Celsius: 96.4, Sensor: "coretemp"},
		Disk:        monitor.DiskReading{Free: 4e9, Total: 100e9},
		Battery:     monitor.BatteryReading{Percent: 5},
	}
	for m, want := range map[monitor.Metric]string{
		monitor.Temperature: "This machine is hot: 96 °C at its hottest sensor (coretemp).",
		monitor.Disk:        "The disk is nearly full: 4.0 GB of 100 GB are free on the volume of your home folder.",
		monitor.Battery:     "The battery is low: 5 % left.",
	} {
		if got := AlertWords(m, s); got != want {
			t.Errorf("%s: %q, want %q", m, got, want)
		}
	}
}
