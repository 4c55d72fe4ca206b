package monitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/sensors"
)

// The bounds of a plausible temperature (°C); anything else is an unconnected input.
const (
	coldest = 1
	hottest = 130
)

// temperatureReader reads the hottest sensor.
type temperatureReader struct{ host host }

func (*temperatureReader) reset() {}

func (r *temperatureReader) read(ctx context.Context) (func(*Snapshot), error) {
	stats, err := sensors.TemperaturesWithContext(r.host.ctx(ctx))
	var warnings *sensors.Warnings // some could not be read; the others count
	if err != nil && !errors.As(err, &warnings) {
		return nil, fmt.Errorf("reading temperatures: %w", err)
	}
	reading, ok := hottestOf(stats)
	switch {
	case ok:
		return func(s *Snapshot) { s.Temperature = reading }, nil
	case err != nil:
		return nil, unavailableError("the sensors could not be read: " + oneLine(err.Error()))
	default:
		return nil, unavailableError("no temperature sensor")
	}
}

// isConstant reports whether a sensor of a Mac always has the same value: the calibration
// of the power management ("PMU tcal", 51.9 on every Apple Silicon), and a limit ("TR0Z").
func isConstant(name string) bool { return strings.HasSuffix(name, " tcal") || name == "TR0Z" }

// hottestOf picks the hottest plausible sensor: names differ between machines, so the
// maximum is the only honest headline.
func hottestOf(stats []sensors.TemperatureStat) (TemperatureReading, bool) {
	var all []Sensor
	for _, s := range stats {
		if s.Temperature < coldest || s.Temperature > hottest || isConstant(s.SensorKey) {
			continue
		}
		all = append(all, Sensor{Name: s.SensorKey, Celsius: s.Temperature})
	}
	if len(all) == 0 {
		return TemperatureReading{}, false
	}
	slices.SortStableFunc(all, func(a, b Sensor) int { return cmp.Compare(b.Celsius, a.Celsius) })
	return TemperatureReading{Sensor: all[0].Name, Celsius: all[0].Celsius, All: all}, true
}

// oneLine joins the lines of an error.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
