//go:build !darwin

package monitor

import "time"

// The intervals of metrics that are expensive to read.
const (
	batteryPace = 5 * time.Second
	gpuToolPace = 5 * time.Second
)
