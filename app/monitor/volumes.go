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

// volume is a mounted volume and the name its device has among the transfer counters.
type volume struct {
	path, device string
	free, total  uint64
}

// findVolumes lists what is mounted from disks of this machine: asking for the space of
// one on the network may hang. What can't be asked is left out.
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

// systemVolume tells the volumes of the system's own that nobody stores things on.
func systemVolume(path string) bool {
	return strings.HasPrefix(path, "/System/Volumes/") || strings.HasPrefix(path, "/snap/") || strings.HasPrefix(path, "/boot/efi")
}

// once leaves one place of each device, the one with the shortest path.
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
func (r *diskReader) lookAtVolumes(stats map[string]disk.IOCountersStat) {
	c := counters{}
	names := slices.Collect(maps.Keys(stats))
	for _, v := range r.volumes {
		if s, ok := stats[countedDevice(v.device, names)]; ok {
			c[v.device] = [2]uint64{s.ReadBytes, s.WriteBytes}
		}
	}
	r.parts.next(time.Now(), c)
}

// macDisk is a volume of macOS, and the whole disk it is on: a partition ("disk0s2"), or
// a snapshot of a volume ("disk3s1s1").
var macDisk = regexp.MustCompile(`^(disk\d+)(?:s\d+)+$`)

// countedDevice is the device among those with counters that a volume's transfers are
// counted for; "" where that can't be told. macOS counts for whole disks, and mounts
// volumes of APFS from a disk that is only thought: with one disk counted it is that.
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

// volumeReadings is what is known of the volumes now.
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
