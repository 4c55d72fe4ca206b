package monitor

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"time"
)

// volume is a mounted file system with the names of its devices in the transfer counters.
type volume struct {
	path        string
	id          string // what distinguishes the file system from others
	part        bool   // only a part of it is mounted here
	devices     []string
	free, total uint64
}

// once keeps one mount point per file system: one with all of it, and the shortest path.
func once(all []volume) []volume {
	slices.SortStableFunc(all, func(a, b volume) int {
		if a.part != b.part {
			return map[bool]int{false: -1, true: 1}[a.part]
		}
		return cmp.Or(cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.path, b.path))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(v volume) bool {
		again := seen[v.id]
		seen[v.id] = true
		return again
	})
}

// lookAtVolumes measures the transfers of the volumes' devices.
func (r *diskReader) lookAtVolumes(all counters) {
	c := counters{}
	names := slices.Collect(maps.Keys(all))
	for _, v := range r.volumes {
		for _, device := range v.devices {
			if n, ok := all[countedDevice(device, names)]; ok {
				c[device] = n
			}
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
		reading := Volume{Path: v.path, Free: v.free, Total: v.total, RateNA: "no transfers reported for this volume"}
		for _, device := range v.devices {
			if each, ok := r.parts.each[device]; ok {
				reading.RateNA = ""
				reading.ReadRate, reading.WriteRate = reading.ReadRate+each[0], reading.WriteRate+each[1]
			}
		}
		out = append(out, reading)
	}
	return out
}
