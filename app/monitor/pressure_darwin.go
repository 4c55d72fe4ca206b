package monitor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// pressure returns the system's level of memory pressure in words.
func pressure(host) (string, error) {
	level, err := unix.SysctlUint32("kern.memorystatus_vm_pressure_level")
	if err != nil {
		return "", fmt.Errorf("reading the memory pressure: %w", err)
	}
	switch level {
	case 1:
		return "normal", nil
	case 2:
		return "raised", nil
	case 4:
		return "critical", nil
	}
	return "", unavailableError("a level that is not known")
}
