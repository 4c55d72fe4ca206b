package monitor

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// The bounds of a plausible temperature (°C). Unconnected inputs show what their chip can't
// measure: its least or largest number, such as -128, 127 or 255, or zero. No chip runs at
// 125 °C.
const (
	coldest = 1
	hottest = 125
)

// temperatureReader reads the hottest sensor.
type temperatureReader struct {
	host  host
	rests map[string]restingChip // by device; only on Linux
}

// restingChip holds the sensors of a chip that is left alone for a while, so that it may fall
// asleep.
type restingChip struct {
	until   time.Time
	sensors []Sensor
}

func (*temperatureReader) reset() {}

func (r *temperatureReader) read(ctx context.Context) (func(*Snapshot), error) {
	all, err := r.temperatures(r.host.ctx(ctx))
	all = plausible(all)
	switch {
	case len(all) > 0:
		reading := TemperatureReading{Sensor: all[0].Name, Celsius: all[0].Celsius, All: all}
		return func(s *Snapshot) { s.Temperature = reading }, nil
	case err != nil:
		return nil, unavailableError("the sensors could not be read: " + oneLine(err.Error()))
	default:
		return nil, unavailableError("no temperature sensor")
	}
}

// plausible returns the sensors that measure something, hottest first: names differ between
// machines, so the maximum is the only honest headline.
func plausible(all []Sensor) []Sensor {
	all = slices.DeleteFunc(all, func(s Sensor) bool {
		return s.Celsius < coldest || s.Celsius >= hottest || isConstant(s.Name)
	})
	slices.SortStableFunc(all, func(a, b Sensor) int { return cmp.Compare(b.Celsius, a.Celsius) })
	return all
}

// isConstant reports whether a sensor of a Mac always has the same value: the calibration
// of the power management ("PMU tcal", 51.9 on every Apple Silicon), and a limit ("TR0Z").
func isConstant(name string) bool {
	return strings.HasSuffix(name, " tcal") || strings.HasSuffix(name, "TR0Z")
}

// oneLine joins the lines of an error.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
