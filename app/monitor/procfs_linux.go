package monitor

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"
	"golang.org/x/sys/unix"
)

// What is read every second or two is read here and not by gopsutil, which opens files
// with the os package. That package hands each file of /proc and /sys to Go's poller,
// which finds it readable at once and wakes a thread for it.

// readKernelFile is os.ReadFile without the poller.
func readKernelFile(path string) ([]byte, error) {
	fd, err := ignoringEINTR(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = unix.Close(fd) }() // read only: nothing to lose
	data := make([]byte, 0, 4096)
	for {
		data = slices.Grow(data, 512)
		n, err := ignoringEINTR(func() (int, error) { return unix.Read(fd, data[len(data):cap(data)]) })
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if n == 0 {
			return data, nil
		}
		data = data[:len(data)+n]
	}
}

func ignoringEINTR(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// cpuTimes returns the times of each core, from /proc/stat. Their unit is a tick.
func cpuTimes(_ context.Context, h host) ([]cpu.TimesStat, error) {
	data, err := readKernelFile(h.proc("stat"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var times []cpu.TimesStat
	for line := range strings.Lines(string(data)) {
		name, rest, _ := strings.Cut(line, " ")
		n, ok := parseNumbers(strings.Fields(rest))
		if !strings.HasPrefix(name, "cpu") || name == "cpu" || !ok || len(n) < 7 {
			continue
		}
		t := cpu.TimesStat{
			CPU: name, User: float64(n[0]), Nice: float64(n[1]), System: float64(n[2]), Idle: float64(n[3]),
			Iowait: float64(n[4]), Irq: float64(n[5]), Softirq: float64(n[6]),
		}
		if len(n) > 7 {
			t.Steal = float64(n[7])
		}
		times = append(times, t)
	}
	return times, nil
}

// meminfo returns the numbers of /proc/meminfo in bytes.
func meminfo(h host) (map[string]uint64, error) {
	data, err := readKernelFile(h.proc("meminfo"))
	if err != nil {
		return nil, err
	}
	bytes := map[string]uint64{}
	for line := range strings.Lines(string(data)) {
		name, rest, _ := strings.Cut(line, ":")
		kilobytes, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		if err == nil {
			bytes[name] = kilobytes << 10
		}
	}
	return bytes, nil
}

// virtualMemory returns the total, available and cached memory. It asks gopsutil, which
// estimates, if the kernel doesn't report how much is available.
func virtualMemory(ctx context.Context, h host) (*mem.VirtualMemoryStat, error) {
	bytes, err := meminfo(h)
	if err != nil {
		return nil, err
	}
	vm := &mem.VirtualMemoryStat{
		Total: bytes["MemTotal"], Available: bytes["MemAvailable"], Cached: bytes["Cached"] + bytes["SReclaimable"],
	}
	if vm.Available == 0 {
		if vm, err = mem.VirtualMemoryWithContext(ctx); err != nil {
			return nil, err //nolint:wrapcheck // the caller says what it is about
		}
	}
	if limit, used, cached := groupMemory(h); limit > 0 && limit < vm.Total {
		vm.Used = min(used-min(cached, used), limit)
		vm.Total, vm.Available, vm.Cached = limit, limit-vm.Used, cached
	} else if cache := zfsCache(h); cache > 0 {
		vm.Available, vm.Cached = min(vm.Available+cache, vm.Total), min(vm.Cached+cache, vm.Total)
	}
	return vm, nil
}

// groupMemory returns the limit of the control group in which everything visible runs, as in a
// container, what it uses, and how much of that are cached files, which are released when
// needed. The limit is 0 if there is none. The group of a whole machine, the root of all, has
// no such files in version 2 of control groups, and no limit in version 1.
func groupMemory(h host) (limit, used, cached uint64) {
	dir, prefix := h.sys("fs", "cgroup"), ""
	limit, used = number(dir, "memory.max"), number(dir, "memory.current") // "max" is no number
	if limit == 0 {
		dir, prefix = filepath.Join(dir, "memory"), "total_" // with the groups inside
		limit, used = number(dir, "memory.limit_in_bytes"), number(dir, "memory.usage_in_bytes")
	}
	if limit == 0 || used == 0 { // a group uses something
		return 0, 0, 0
	}
	for row := range strings.Lines(line(dir, "memory.stat")) {
		name, value, _ := strings.Cut(strings.TrimSpace(row), " ")
		bytes, err := strconv.ParseUint(value, 10, 64)
		switch strings.TrimPrefix(name, prefix) {
		case "active_file", "inactive_file", "slab_reclaimable":
			if err == nil && strings.HasPrefix(name, prefix) {
				cached += bytes
			}
		}
	}
	return limit, used, cached
}

// swapMemory returns the size and the use of swap: of the control group in which everything
// visible runs, if its limit is lower.
func swapMemory(_ context.Context, h host) (*mem.SwapMemoryStat, error) {
	bytes, err := meminfo(h)
	if err != nil {
		return nil, err
	}
	swap := &mem.SwapMemoryStat{Total: bytes["SwapTotal"], Used: bytes["SwapTotal"] - min(bytes["SwapFree"], bytes["SwapTotal"])}
	limit, err := strconv.ParseUint(line(h.sys("fs", "cgroup", "memory.swap.max")), 10, 64)
	if err == nil && limit < swap.Total {
		swap.Total, swap.Used = limit, min(number(h.sys("fs", "cgroup", "memory.swap.current")), limit)
	}
	return swap, nil
}

// zfsCache returns how much memory the cache of ZFS (ARC) would release when needed: what it
// holds above its minimum. The kernel's numbers count it as used. Some containers have numbers
// of their own, mounted in place of the kernel's, which contain nothing of the machine's cache.
func zfsCache(h host) uint64 {
	least, size := uint64(0), uint64(0)
	for row := range strings.Lines(line(h.proc("spl", "kstat", "zfs", "arcstats"))) {
		f := strings.Fields(row) // name, type, value
		if len(f) != 3 {
			continue
		}
		v, err := strconv.ParseUint(f[2], 10, 64)
		switch {
		case err != nil:
		case f[0] == "c_min":
			least = v
		case f[0] == "size":
			size = v
		}
	}
	if size <= least || strings.Contains(line(h.proc("self", "mountinfo")), " /proc/meminfo ") {
		return 0
	}
	return size - least
}

// interfaces returns the bytes that every interface has received and sent, from
// /proc/net/dev.
func (r *networkReader) interfaces(context.Context) (counters, error) {
	data, err := readKernelFile(r.host.proc("net", "dev"))
	if err != nil {
		return nil, err
	}
	c := counters{}
	for line := range strings.Lines(string(data)) {
		at := strings.LastIndexByte(line, ':') // a name may hold one
		if n, ok := parseNumbers(strings.Fields(line[at+1:])); at > 0 && ok && len(n) > 8 {
			c[strings.TrimSpace(line[:at])] = [2]uint64{n[0], n[8]}
		}
	}
	return c, nil
}

// sector is the unit of /proc/diskstats in bytes, whatever the disk's own is.
const sector = 512

// transfers returns the bytes that every block device has read and written, from
// /proc/diskstats. Devices that were never used are left out.
func (r *diskReader) transfers(context.Context) (counters, error) {
	data, err := readKernelFile(r.host.proc("diskstats"))
	if err != nil {
		return nil, err
	}
	c := counters{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < 14 {
			continue
		}
		n, ok := parseNumbers(fields[3:14])
		if ok && slices.ContainsFunc(n, func(v uint64) bool { return v > 0 }) {
			c[fields[2]] = [2]uint64{n[2] * sector, n[6] * sector}
		}
	}
	return c, nil
}

// parseNumbers reports false if one of the fields isn't a number.
func parseNumbers(fields []string) (numbers []uint64, ok bool) {
	numbers = make([]uint64, len(fields))
	for i, f := range fields {
		var err error
		if numbers[i], err = strconv.ParseUint(f, 10, 64); err != nil {
			return nil, false
		}
	}
	return numbers, true
}
