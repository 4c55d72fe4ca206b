package monitor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/distatus/battery"
)

// batteries reads this machine's batteries. It returns an error only if none could be read.
func batteries() ([]*battery.Battery, error) {
	all, err := battery.GetAll()
	var fatal battery.ErrFatal
	if errors.As(err, &fatal) && (errors.Is(fatal.Err, fs.ErrNotExist) || errors.Is(fatal.Err, battery.ErrNotFound)) {
		return nil, nil // without power supplies there is no battery
	}
	var errs battery.Errors
	if !errors.As(err, &errs) {
		return all, err
	}
	var good []*battery.Battery
	for i, b := range all {
		var partial battery.ErrPartial
		switch {
		case errs[i] == nil:
			good = append(good, b)
		case errors.As(errs[i], &partial) && partial.Full == nil && partial.Current == nil:
			good = append(good, b)
		}
	}
	if len(good) > 0 {
		return good, nil
	}
	return nil, err
}

// batteryReader reads the charge of all batteries together.
type batteryReader struct {
	all func() ([]*battery.Battery, error)
}

func (*batteryReader) reset() {}

func (r *batteryReader) read(context.Context) (func(*Snapshot), error) {
	all, err := r.all()
	if err != nil {
		return nil, fmt.Errorf("reading the battery: %w", err)
	}
	var current, full float64
	var reading BatteryReading
	for _, b := range all {
		current, full = current+b.Current, full+b.Full
		reading.Charging = reading.Charging || b.State.Raw == battery.Charging
		reading.OnBattery = reading.OnBattery || b.State.Raw == battery.Discharging || b.State.Raw == battery.Empty
	}
	switch {
	case len(all) == 0:
		return nil, unavailableError("no battery")
	case full <= 0:
		return nil, unavailableError("the battery does not report its capacity")
	}
	reading.Percent = share(current, full)
	return func(s *Snapshot) { s.Battery = reading }, nil
}
