package vitals

import (
	"fmt"

	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
)

// AlertWords returns the text of a desktop notification that warns about a reading.
func AlertWords(m monitor.Metric, s monitor.Snapshot) string {
	switch m {
	case monitor.Temperature:
		return i18n.With("This machine is hot: {{.Degrees}} °C at its hottest sensor ({{.Sensor}}).",
			i18n.Places{"Degrees": fmt.Sprintf("%.0f", s.Temperature.Celsius), "Sensor": s.Temperature.Sensor})
	case monitor.Disk:
		return i18n.With("The disk is nearly full: {{.Free}} of {{.Total}} are free on the volume of your home folder.",
			i18n.Places{"Free": i18n.Number(monitor.Bytes(s.Disk.Free)), "Total": i18n.Number(monitor.Bytes(s.Disk.Total))})
	case monitor.Battery:
		return i18n.With("The battery is low: {{.Percent}} % left.", i18n.Places{"Percent": fmt.Sprintf("%.0f", s.Battery.Percent)})
	}
	return string(m)
}
