//go:build !linux && !darwin

package monitor

import (
	"context"
	"log/slog"
	"runtime"
)

// Child does nothing on this system, where no reading needs a process of its own.
func Child() {}

// newGPUReader has no sources on this system.
func newGPUReader(host, *slog.Logger) *gpuReader {
	none := func(context.Context) ([]GPUCard, error) {
		return nil, unavailableError("the GPU's load can't be read on " + runtime.GOOS)
	}
	return &gpuReader{sources: []gpuSource{none}}
}
