package monitor

import (
	"context"
	"fmt"
	"strings"
)

// battery is one of the machine's batteries.
type battery struct {
	name                  string
	percent               float64
	size                  float64 // its energy when full, in any unit that all share; 0 if unknown
	charging, discharging bool
	unread                bool // its charge isn't known
}

// batteryReader reads the charge of all batteries together.
type batteryReader struct{ host host }

func newBatteryReader(h host) *batteryReader { return &batteryReader{h} }

func (*batteryReader) reset() {}

func (r *batteryReader) read(context.Context) (func(*Snapshot), error) {
	all, mains, err := batteries(r.host)
	if err != nil {
		return nil, fmt.Errorf("reading the battery: %w", err)
	}
	var reading BatteryReading
	var good []battery
	var unread []string
	discharging, sized := false, true
	for _, b := range all {
		if b.unread {
			unread = append(unread, b.name)
			continue
		}
		good = append(good, b)
		sized = sized && b.size > 0
		reading.Charging = reading.Charging || b.charging
		discharging = discharging || b.discharging
	}
	switch {
	case len(all) == 0:
		return nil, unavailableError("no battery")
	case len(good) == 0:
		return nil, unavailableError("the battery doesn't report its charge")
	}
	var current, full float64
	for _, b := range good {
		size := b.size
		if !sized { // then all count the same
			size = 1
		}
		current, full = current+b.percent/100*size, full+size
	}
	reading.Percent, reading.Without = share(current, full), strings.Join(unread, ", ")
	// What supplies the machine tells it surely. A battery may also be emptied on mains.
	reading.OnBattery = discharging
	if mains != unknown {
		reading.OnBattery = mains == unplugged && !reading.Charging
	}
	return func(s *Snapshot) { s.Battery = reading }, nil
}

// mains is whether the machine is supplied from outside.
type mains int

const (
	unknown mains = iota
	unplugged
	plugged
)
