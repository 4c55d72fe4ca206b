//go:build !darwin

package monitor

import "time"

// Paces of what is dear to read, or is read through another program.
const (
	batteryPace = 5 * time.Second
	gpuToolPace = 5 * time.Second
)
