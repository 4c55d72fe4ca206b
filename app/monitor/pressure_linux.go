package monitor

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// pressure returns in words how much programs wait for memory: the share of the last ten seconds, from
// the kernel's pressure stall information. In a container it is that of its programs.
func pressure(h host) (string, error) {
	data, err := readKernelFile(h.sys("fs", "cgroup", "memory.pressure"))
	if err != nil {
		data, err = readKernelFile(h.proc("pressure", "memory"))
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
		return "", unavailableError("not reported by this kernel")
	}
	if err != nil {
		return "", fmt.Errorf("reading the memory pressure: %w", err)
	}
	percent, err := parsePressure(string(data))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("waiting %.1f %% of the time", percent), nil
}

// parsePressure parses avg10 in the line "some" of /proc/pressure/memory.
func parsePressure(text string) (float64, error) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "some" {
			continue
		}
		value, ok := strings.CutPrefix(fields[1], "avg10=")
		v, err := strconv.ParseFloat(value, 64)
		if ok && err == nil && v >= 0 && v <= 100 {
			return v, nil
		}
	}
	return 0, unavailableError("this kernel tells it in a form not known")
}
