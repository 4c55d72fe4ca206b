//go:build !cgo

package monitor

// nvml is not in builds without the C library, which stay one file that runs anywhere;
// they ask NVIDIA's tool instead.
type nvml struct{}

func openNVML() (*nvml, error) { return nil, errNoNVML }

func (*nvml) read() ([]GPUCard, error) { return nil, errNoNVML }

func (*nvml) err(err error) error { return err }
