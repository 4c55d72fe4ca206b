package monitor

import (
	"context"
	"log/slog"
)

// Child does nothing on this system, where no reading needs a process of its own.
func Child() {}

// newGPUReader reads the I/O registry with ioreg, which needs no privileges and no cgo. Not
// tried on a Mac.
func newGPUReader(host, *slog.Logger) *gpuReader {
	ioreg := func(ctx context.Context) ([]GPUCard, error) {
		out, err := run(ctx, "ioreg", "-r", "-d", "1", "-c", "IOAccelerator")
		if err != nil {
			return nil, err
		}
		return parseIOReg(out), nil
	}
	return &gpuReader{sources: []gpuSource{atMost(gpuToolPace, ioreg)}}
}
