//go:build !linux && !darwin

package monitor

import (
	"context"
	"log/slog"
	"runtime"
)

// newGPUReader has no sources on this system.
func newGPUReader(host, *slog.Logger) *gpuReader {
	none := func(context.Context) ([]GPUReading, error) {
		return nil, unavailableError("the GPU's load can't be read on " + runtime.GOOS)
	}
	return &gpuReader{sources: []gpuSource{none}}
}
