package monitor

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/disk"
)

// findVolumes lists the file systems on disks of this machine, because asking for the space of
// a network volume may hang. It leaves out those that can't be written at all, such as images
// of packages, and those that can't be queried. A pool of ZFS is one volume.
func findVolumes(ctx context.Context, h host) []volume {
	mounted := line(h.proc("self", "mountinfo"))
	if mounted == "" {
		mounted = line(h.proc("1", "mountinfo"))
	}
	var all []volume
	pools := map[string]*volume{} // free and used space of all datasets
	seen := map[string]bool{}
	covered := coveredMounts(mounted)
	for row := range strings.Lines(mounted) {
		// The fields are ID, parent, device number, root, mount point, options, any number of
		// others, a hyphen, kind, source and options of the file system.
		before, after, _ := strings.Cut(row, " - ")
		mount, system := strings.Fields(before), strings.Fields(after)
		if len(mount) < 6 || len(system) < 3 || covered[mount[0]] {
			continue
		}
		id, root, path := mount[2], mount[3], unescapeMount(mount[4])
		kind, source, options := system[0], unescapeMount(system[1]), strings.Split(system[2], ",")
		if !isLocal(id, kind, source) || slices.Contains(options, "ro") {
			continue
		}
		info, err := os.Stat(h.root(path))
		if err != nil || !info.IsDir() { // a container has single files mounted
			continue
		}
		usage, err := disk.UsageWithContext(ctx, h.root(path))
		if err != nil || usage.Total == 0 {
			continue
		}
		v := volume{path: path, id: id, free: usage.Free, total: usage.Total}
		v.part = root != "/" && !slices.Contains(options, "subvol="+root) // a subvolume of btrfs is whole
		if pool, _, _ := strings.Cut(source, "/"); kind == "zfs" {
			v.id = "zfs " + pool
			if !seen[id] { // the datasets share what is free
				sum := pools[v.id]
				if sum == nil {
					sum = &volume{}
					pools[v.id] = sum
				}
				sum.free = max(sum.free, v.free)
				sum.total += v.total - min(v.free, v.total) // what is used, for now
			}
		} else {
			v.devices = h.devicesOf(id, source)
		}
		seen[id] = true
		all = append(all, v)
	}
	all = once(all)
	for i, v := range all {
		if sum := pools[v.id]; sum != nil {
			all[i].free, all[i].total = sum.free, sum.free+sum.total
		}
	}
	return all
}

// coveredMounts returns the IDs of mounts that can't be reached, because another one is on top:
// its parent has the same mount point.
func coveredMounts(mounted string) map[string]bool {
	points, covered := map[string]string{}, map[string]bool{}
	for range 2 { // a parent may come after its child
		for row := range strings.Lines(mounted) {
			if f := strings.Fields(row); len(f) > 4 {
				points[f[0]] = f[4]
				if points[f[1]] == f[4] && f[0] != f[1] {
					covered[f[1]] = true
				}
			}
		}
	}
	return covered
}

// isLocal reports whether a file system is on a disk of this machine: it has the number of a
// block device, or as one of several devices it has none (0:x) but names a device or is a
// pool. /dev/fuse is no disk.
func isLocal(id, kind, source string) bool {
	if !strings.HasPrefix(id, "0:") {
		return true
	}
	return kind == "zfs" || strings.HasPrefix(source, "/dev/") && source != "/dev/fuse"
}

// unescapeMount undoes the kernel's escapes of white space.
func unescapeMount(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// devicesOf returns the names of a file system's devices: by its number, or else by its
// source. One of btrfs may have several, and one of bcachefs names all.
func (h host) devicesOf(id, source string) []string {
	if device := linked(h.sys("dev", "block", id)); device != "" {
		return []string{filepath.Base(device)}
	}
	if first, others, several := strings.Cut(source, ":/dev/"); several {
		return append(h.devicesOf("", first), h.devicesOf("", "/dev/"+others)...)
	}
	device := source
	if real, err := filepath.EvalSymlinks(h.dev(strings.TrimPrefix(source, "/dev/"))); err == nil {
		device = real
	}
	device = filepath.Base(device)
	for _, member := range h.glob("fs", "btrfs", "*", "devices", device) {
		entries, err := os.ReadDir(filepath.Dir(member))
		if err != nil {
			continue // it has just gone
		}
		var all []string
		for _, e := range entries {
			all = append(all, e.Name())
		}
		return all
	}
	return []string{device}
}

// wholeDisks leaves the disks whose transfers count: whole devices, which are not made of
// others whose transfers already count.
func (r *diskReader) wholeDisks(c counters) {
	maps.DeleteFunc(c, func(name string, _ [2]uint64) bool {
		dir := r.host.sys("block", strings.ReplaceAll(name, "/", "!"))
		if !exists(dir) || exists(dir, "partition") || line(dir, "hidden") == "1" { // hidden: one of several ways to a disk
			return true
		}
		if parts, err := os.ReadDir(filepath.Join(dir, "slaves")); err == nil && len(parts) > 0 {
			return true
		}
		// Without hardware it is made of memory, a file or a pool, but for a disk over the network,
		// which has the process that connects it.
		return !exists(dir, "device") && !exists(dir, "pid") && !strings.HasPrefix(name, "nbd")
	})
}
