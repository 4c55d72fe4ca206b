package monitor

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/disk"
)

// volume is a mounted volume with its device's name in the transfer counters.
type volume struct {
	path, device string
	free, total  uint64
}

// findVolumes lists the volumes mounted from disks of this machine, because asking for the
// space of a network volume may hang. It leaves out those that can't be queried.
func findVolumes(ctx context.Context) []volume {
	mounted := mountedHere(ctx)
	var all []volume
	for _, p := range mounted {
		if slices.Contains(p.Opts, "bind") || systemVolume(p.Mountpoint) {
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
		all = append(all, volume{path: p.Mountpoint, device: filepath.Base(device), free: usage.Free, total: usage.Total})
	}
	return once(all)
}

// systemVolume reports whether a volume is the system's own, where nobody stores things.
func systemVolume(path string) bool {
	return strings.HasPrefix(path, "/System/Volumes/") || strings.HasPrefix(path, "/snap/") || strings.HasPrefix(path, "/boot/efi")
}

// once keeps one mount point per device, the one with the shortest path.
func once(all []volume) []volume {
	slices.SortStableFunc(all, func(a, b volume) int {
		return cmp.Or(cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.path, b.path))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(v volume) bool {
		again := seen[v.device]
		seen[v.device] = true
		return again
	})
}

// lookAtVolumes measures the transfers of the volumes' devices.
func (r *diskReader) lookAtVolumes(all counters) {
	c := counters{}
	names := slices.Collect(maps.Keys(all))
	for _, v := range r.volumes {
		if n, ok := all[countedDevice(v.device, names)]; ok {
			c[v.device] = n
		}
	}
	r.parts.next(time.Now(), c)
}

// macDisk matches a macOS volume and its whole disk: a partition ("disk0s2"), or a snapshot
// of a volume ("disk3s1s1").
var macDisk = regexp.MustCompile(`^(disk\d+)(?:s\d+)+$`)

// countedDevice returns the device, among those with counters, that counts a volume's
// transfers; "" if unknown. macOS counts whole disks and mounts APFS volumes from a
// synthesised disk: if a single disk is counted, it is that one.
func countedDevice(device string, counted []string) string {
	whole := macDisk.FindStringSubmatch(device)
	switch {
	case slices.Contains(counted, device):
		return device
	case whole == nil:
		return ""
	case slices.Contains(counted, whole[1]):
		return whole[1]
	case len(counted) == 1:
		return counted[0]
	}
	return ""
}

// volumeReadings returns the current state of the volumes.
func (r *diskReader) volumeReadings() []Volume {
	out := make([]Volume, 0, len(r.volumes))
	for _, v := range r.volumes {
		reading := Volume{Path: v.path, Free: v.free, Total: v.total}
		if each, ok := r.parts.each[v.device]; ok {
			reading.ReadRate, reading.WriteRate = each[0], each[1]
		} else {
			reading.RateNA = "no transfers reported for this volume"
		}
		out = append(out, reading)
	}
	return out
}
