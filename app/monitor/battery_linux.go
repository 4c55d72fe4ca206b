package monitor

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
)

// batteries reads this machine's batteries, and whether it is supplied from outside. Those of
// a mouse or a headset say so themselves (scope). The files are described in the kernel's
// documentation of the power supply class.
func batteries(h host) (all []battery, supplied mains, err error) {
	entries, err := os.ReadDir(h.sys("class", "power_supply"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unknown, err //nolint:wrapcheck // the caller says what it is about
	}
	for _, e := range entries {
		dir := h.sys("class", "power_supply", e.Name())
		kind := line(dir, "type")
		switch {
		case line(dir, "scope") == "Device" || line(dir, "present") == "0" || kind == "UPS":
		case kind == "Battery":
			all = append(all, readBattery(dir, e.Name()))
		default: // mains, USB, wireless charging
			switch line(dir, "online") {
			case "":
			case "0":
				supplied = max(supplied, unplugged)
			default: // 2 is a supply that can be programmed
				supplied = plugged
			}
		}
	}
	return all, supplied, nil
}

// readBattery reads one battery. Drivers report energy, charge, or only the percentage.
func readBattery(dir, name string) battery {
	status := line(dir, "status")
	b := battery{name: name, charging: status == "Charging", discharging: status == "Discharging" || status == "Empty"}
	for _, unit := range []string{"energy", "charge"} {
		full, now := number(dir, unit+"_full"), line(dir, unit+"_now")
		current, err := strconv.ParseUint(now, 10, 64)
		if full == 0 || err != nil {
			continue
		}
		b.percent, b.size = share(float64(current), float64(full)), float64(full)
		if unit == "charge" { // µAh, which is comparable with µWh only by the voltage
			volts := max(number(dir, "voltage_min_design"), number(dir, "voltage_now"))
			b.size *= float64(volts) / 1e6
		}
		return b
	}
	percent, err := strconv.ParseFloat(line(dir, "capacity"), 64)
	if err != nil || percent < 0 {
		b.unread = true
		return b
	}
	b.percent = min(percent, 100)
	return b
}
