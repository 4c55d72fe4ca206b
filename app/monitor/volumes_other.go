//go:build !linux

package monitor

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/disk"
)

// findVolumes lists the volumes mounted from disks of this machine, because asking for the
// space of a network volume may hang. It leaves out those that can't be queried.
func findVolumes(ctx context.Context, _ host) []volume {
	mounted := mountedHere(ctx)
	var all []volume
	for _, p := range mounted {
		if slices.Contains(p.Opts, "bind") || strings.HasPrefix(p.Mountpoint, "/System/Volumes/") { // where nobody stores things
			continue
		}
		usage, err := disk.UsageWithContext(ctx, p.Mountpoint)
		if err != nil || usage.Total == 0 {
			continue
		}
		device := p.Device
		if real, err := filepath.EvalSymlinks(device); err == nil {
			device = real
		}
		device = filepath.Base(device)
		all = append(all, volume{path: p.Mountpoint, id: device, devices: []string{device}, free: usage.Free, total: usage.Total})
	}
	return once(all)
}

// wholeDisks leaves the disks whose transfers count; these systems report no others.
func (r *diskReader) wholeDisks(counters) {}
