//go:build !linux

package monitor

import (
	"context"

	"github.com/shirou/gopsutil/v4/sensors"
)

// temperatures reads all sensors. The error says why some are missing.
func (r *temperatureReader) temperatures(ctx context.Context) ([]Sensor, error) {
	stats, err := sensors.TemperaturesWithContext(ctx)
	all := make([]Sensor, len(stats))
	for i, s := range stats {
		all[i] = Sensor{Name: s.SensorKey, Celsius: s.Temperature}
	}
	return all, err //nolint:wrapcheck // the caller says what it is about
}
