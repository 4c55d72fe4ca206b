package monitor

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"
	"github.com/shirou/gopsutil/v4/net"
)

func TestKernelFilesAreReadAsGopsutilReadsThem(t *testing.T) {
	ctx := t.Context()
	want, got := map[string]any{}, map[string]any{}
	names := func(of map[string]any, what string, all []string, err error) {
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(all)
		of[what] = all
	}

	cores, err := cpu.TimesWithContext(ctx, true)
	names(want, "cores", namesOf(cores, func(c cpu.TimesStat) string { return c.CPU }), err)
	cores, err = cpuTimes(ctx, host{})
	names(got, "cores", namesOf(cores, func(c cpu.TimesStat) string { return c.CPU }), err)

	cards, err := net.IOCountersWithContext(ctx, true)
	names(want, "interfaces", namesOf(cards, func(c net.IOCountersStat) string { return c.Name }), err)
	c, err := (&networkReader{}).interfaces(ctx)
	names(got, "interfaces", slices.Collect(maps.Keys(c)), err)

	disks, err := disk.IOCountersWithContext(ctx)
	names(want, "disks", slices.Collect(maps.Keys(disks)), err)
	c, err = (&diskReader{}).transfers(ctx)
	names(got, "disks", slices.Collect(maps.Keys(c)), err)

	vm, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want["memory"] = vm.Total
	if vm, err = virtualMemory(ctx, host{}); err != nil {
		t.Fatal(err)
	}
	got["memory"] = vm.Total
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-gopsutil +ours):\n%s", diff)
	}
	if vm.Available == 0 || vm.Cached == 0 || vm.Available > vm.Total {
		t.Errorf("%+v", vm)
	}
}

func namesOf[T any](all []T, name func(T) string) (names []string) {
	for _, one := range all {
		names = append(names, name(one))
	}
	return names
}

func TestMemoryOfAKernelThatDoesNotReportWhatIsAvailable(t *testing.T) {
	tr := newTree(t, map[string]string{"proc/meminfo": "MemTotal: 1000 kB\nMemFree: 100 kB\nBuffers: 50 kB\nCached: 250 kB\nSReclaimable: 10 kB\n"})
	vm, err := virtualMemory(tr.host().ctx(t.Context()), tr.host())
	if err != nil || vm.Total != 1000<<10 || vm.Available == 0 {
		t.Errorf("%v, %+v", err, vm)
	}
}

func TestReadKernelFileReadsAllOfIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stat")
	for _, size := range []int{0, 1, 4095, 4096, 4097, 100_000} { // the statistics of a machine with many cores are long
		want := bytes.Repeat([]byte{'x'}, size)
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readKernelFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes of %d: %v", len(got), size, err)
		}
	}
	if _, err := readKernelFile(path + "x"); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}
