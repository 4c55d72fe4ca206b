package monitor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// temperatures reads the sensors of all chips, or the thermal zones where no chip has one. The
// error says why some are missing. The files are described in the kernel's documentation of
// hwmon.
func (r *temperatureReader) temperatures(context.Context) (all []Sensor, err error) {
	h := r.host
	var faults []error
	chips := h.glob("class", "hwmon", "hwmon*")
	named := map[string]int{}
	for _, chip := range chips {
		named[chipName(chip)]++
	}
	for _, chip := range chips {
		name := chipName(chip)
		device := filepath.Join(chip, "device")
		if isAsleep(device) {
			continue // reading it would wake it
		}
		if rest := r.rests[chip]; time.Now().Before(rest.until) {
			all = append(all, rest.sensors...)
			continue
		}
		if named[name] > 1 { // such as two disks: by their device
			if target := linked(device); target != "" {
				kind := name
				if name = filepath.Base(target); !strings.HasPrefix(name, kind) { // nvme0 says it already
					name = kind + " " + name
				}
			}
		}
		sensors, err := readChip(chip, name)
		all, faults = append(all, sensors...), append(faults, err)
		if exists(device, "drm") { // each reading keeps a graphics card awake
			if until := restUntil([]string{device}, nil); !until.IsZero() {
				if r.rests == nil {
					r.rests = map[string]restingChip{}
				}
				r.rests[chip] = restingChip{until, sensors}
			}
		}
	}
	if all = plausible(all); len(all) > 0 {
		return all, errors.Join(faults...)
	}
	for _, zone := range h.glob("class", "thermal", "thermal_zone*") {
		celsius, err := readCelsius(filepath.Join(zone, "temp"))
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, Sensor{Name: line(zone, "type"), Celsius: celsius})
	}
	return all, errors.Join(faults...)
}

// chipName returns a chip's name; drivers of old kernels put all files into the device's folder.
func chipName(chip string) string {
	if name := line(chip, "name"); name != "" {
		return name
	}
	return line(chip, "device", "name")
}

// readChip reads the inputs of one chip but those that measure nothing: switched off, with a
// fault, or far beyond the limit that the driver gives. The error says which could not be read.
func readChip(chip, name string) ([]Sensor, error) {
	inputs, _ := filepath.Glob(filepath.Join(chip, "temp*_input")) // a malformed pattern: none
	if len(inputs) == 0 {
		inputs, _ = filepath.Glob(filepath.Join(chip, "device", "temp*_input"))
	}
	var all []Sensor
	var faults []error
	for _, path := range inputs {
		input := strings.TrimSuffix(path, "_input")
		if line(input+"_fault") == "1" || line(input+"_enable") == "0" {
			continue
		}
		celsius, err := readCelsius(path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if !withinLimits(celsius, input) {
			continue
		}
		all = append(all, Sensor{Name: strings.TrimSpace(name + " " + line(input+"_label")), Celsius: celsius})
	}
	// AMD's Tctl is Tdie with an offset, for fans.
	if slices.ContainsFunc(all, func(s Sensor) bool { return s.Name == name+" Tdie" }) {
		all = slices.DeleteFunc(all, func(s Sensor) bool { return s.Name == name+" Tctl" })
	}
	return all, errors.Join(faults...)
}

const (
	// beyondLimit is how far (°C) a temperature may be above its own limit: hot hardware
	// slows down or switches off near it, while an unconnected input shows anything.
	beyondLimit = 30
	// leastLimit is the least plausible limit (°C); some firmware gives nonsense.
	leastLimit = 40
)

// withinLimits compares a temperature with the lowest limit of its input.
func withinLimits(celsius float64, input string) bool {
	for _, limit := range []string{"_max", "_crit"} {
		highest, err := readCelsius(input + limit)
		if err == nil && highest >= leastLimit && celsius >= highest+beyondLimit {
			return false
		}
	}
	return true
}

// readCelsius reads a file with thousandths of a degree.
func readCelsius(path string) (float64, error) {
	data, err := readKernelFile(path)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number: %.40q", path, data)
	}
	return float64(v) / 1000, nil
}
