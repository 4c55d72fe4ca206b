package cpuwindow

import (
	"fmt"

	"mac-stats/app/monitor"
)

// AlertWords is what a warning of the desktop says of a reading.
func AlertWords(m monitor.Metric, s monitor.Snapshot) string {
	switch m {
	case monitor.Temperature:
		return trWith("This machine is hot: {{.Degrees}} °C at its hottest sensor ({{.Sensor}}).",
			places{"Degrees": fmt.Sprintf("%.0f", s.Temperature.Celsius), "Sensor": s.Temperature.Sensor})
	case monitor.Disk:
		return trWith("The disk is nearly full: {{.Free}} of {{.Total}} are free on the volume of your home folder.",
			places{"Free": monitor.Bytes(s.Disk.Free), "Total": monitor.Bytes(s.Disk.Total)})
	case monitor.Battery:
		return trWith("The battery is low: {{.Percent}} % are left.", places{"Percent": fmt.Sprintf("%.0f", s.Battery.Percent)})
	}
	return string(m)
}
