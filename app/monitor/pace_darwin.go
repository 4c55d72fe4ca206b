package monitor

import "time"

// Paces of what is read through another program here.
const (
	batteryPace = 30 * time.Second
	gpuToolPace = 5 * time.Second
)
