package monitor

import "time"

// The intervals of metrics that are read by running another program.
const (
	batteryPace = 30 * time.Second
	gpuToolPace = 5 * time.Second
)
