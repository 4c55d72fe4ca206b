package monitor

import (
	"context"
	"os"
	"path/filepath"

	"github.com/shirou/gopsutil/v4/common"
)

// host holds where the system's files are. The zero host is this machine.
type host struct {
	env    common.EnvMap // HOST_PROC, HOST_SYS, HOST_DEV and HOST_ROOT of another tree
	volume string        // a folder on the volume to report; "" means the home folder
}

// ctx makes gopsutil read from this host.
func (h host) ctx(ctx context.Context) context.Context {
	if h.env == nil {
		return ctx
	}
	return context.WithValue(ctx, common.EnvKey, h.env)
}

// sys returns a path below /sys.
func (h host) sys(parts ...string) string { return h.path(common.HostSysEnvKey, "/sys", parts) }

// proc returns a path below /proc.
func (h host) proc(parts ...string) string { return h.path(common.HostProcEnvKey, "/proc", parts) }

// dev returns a path below /dev.
func (h host) dev(parts ...string) string { return h.path(common.HostDevEnvKey, "/dev", parts) }

// root returns a path of the whole file tree, as a mount point.
func (h host) root(path string) string { return h.path(common.HostRootEnvKey, "/", []string{path}) }

func (h host) path(key common.EnvKeyType, root string, parts []string) string {
	if v := h.env[key]; v != "" {
		root = v
	} else if v := os.Getenv(string(key)); v != "" {
		root = v
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

// home returns a folder on the volume whose space is reported.
func (h host) home() (string, error) {
	if h.volume != "" {
		return h.volume, nil
	}
	return os.UserHomeDir()
}

// readersOf returns a host's readers.
func readersOf(h host, cfg Config) map[Metric]reader {
	return map[Metric]reader{
		CPU:         &cpuReader{host: h},
		Memory:      &memoryReader{host: h},
		Disk:        &diskReader{host: h},
		Network:     &networkReader{host: h},
		GPU:         newGPUReader(h, cfg.Logger),
		Temperature: &temperatureReader{host: h},
		Battery:     newBatteryReader(h),
		Processes:   &processReader{host: h},
	}
}
