package monitor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shirou/gopsutil/v4/common"
)

// tree is a machine's /proc and /sys in a folder.
type tree struct {
	t    *testing.T
	root string
}

func newTree(t *testing.T, files map[string]string) tree {
	tr := tree{t: t, root: t.TempDir()}
	for _, dir := range []string{"proc", "sys"} {
		if err := os.MkdirAll(filepath.Join(tr.root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		tr.write(name, content)
	}
	return tr
}

func (tr tree) write(name, content string) {
	tr.t.Helper()
	if link, isLink := strings.CutPrefix(name, "link "); isLink {
		tr.link(link, content)
		return
	}
	path := filepath.Join(tr.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tr.t.Fatal(err)
	}
}

// link makes a symbolic link, to a place in the tree unless target is absolute.
func (tr tree) link(name, target string) {
	tr.t.Helper()
	path := filepath.Join(tr.root, name)
	if !filepath.IsAbs(target) {
		target = filepath.Join(tr.root, target)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil && !os.IsExist(err) {
		tr.t.Fatal(err)
	}
}

func (tr tree) host() host {
	return host{volume: tr.root, env: common.EnvMap{
		common.HostRootEnvKey: filepath.Join(tr.root, "root"),
		common.HostProcEnvKey: filepath.Join(tr.root, "proc"),
		common.HostSysEnvKey:  filepath.Join(tr.root, "sys"),
		common.HostDevEnvKey:  filepath.Join(tr.root, "dev"),
	}}
}

// readings reads twice, with a change and some time in between, and returns the snapshot.
func readings(t *testing.T, r reader, change func(), elapsed time.Duration) (Snapshot, error) {
	t.Helper()
	var s Snapshot
	var err error
	synctest.Test(t, func(t *testing.T) {
		if apply, first := r.read(t.Context()); first == nil {
			apply(&s)
		}
		time.Sleep(elapsed)
		change()
		var apply func(*Snapshot)
		if apply, err = r.read(t.Context()); err == nil {
			apply(&s)
		}
	})
	return s, err
}

// within compares floating point numbers to a thousandth.
var within = cmpopts.EquateApprox(0, 1e-3)

func stat(cores ...string) string {
	var b strings.Builder
	b.WriteString("cpu  0 0 0 0 0 0 0 0 0 0\n")
	for i, c := range cores {
		fmt.Fprintf(&b, "cpu%d %s\n", i, c)
	}
	return b.String() + "intr 1\nctxt 1\nbtime 1700000000\n"
}

func TestCPU(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after string
		percent       float64
		cores         []float64
		again         bool // whether a second look is needed
	}{
		{
			"one core busy, one idle",
			stat("100 0 100 1000 0 0 0 0 0 0", "100 0 100 1000 0 0 0 0 0 0"),
			stat("150 0 150 1000 0 0 0 0 0 0", "100 0 100 1100 0 0 0 0 0 0"),
			50,
			[]float64{100, 0},
			false,
		},
		{
			"waiting for a disk and guests are not counted twice",
			stat("100 0 0 1000 100 0 0 0 50 0"), stat("125 0 0 1050 125 0 0 0 75 0"),
			25,
			[]float64{25},
			false,
		},
		{
			"iowait shrinks a little, as the kernel allows",
			stat("100 0 0 1000 100 0 0 0 0 0"), stat("150 0 0 1060 90 0 0 0 0 0"),
			50,
			[]float64{50},
			false,
		},
		{
			"a counter goes backwards on one core",
			stat("500 0 0 1000 0 0 0 0 0 0", "100 0 0 1000 0 0 0 0 0 0"),
			stat("10 0 0 20 0 0 0 0 0 0", "150 0 0 1050 0 0 0 0 0 0"),
			50,
			[]float64{0, 50},
			false,
		},
		{
			"no tick since", stat("1 0 0 1 0 0 0 0 0 0"), stat("1 0 0 1 0 0 0 0 0 0"),
			0, nil, true,
		},
		{
			"a core came: it counts from the next look on", stat("1 0 0 1 0 0 0 0 0 0"), stat("5 0 0 5 0 0 0 0 0 0", "1 0 0 1 0 0 0 0 0 0"),
			50,
			[]float64{50, 0},
			false,
		},
		{
			"a core was switched off, and another one on",
			"cpu0 100 0 0 100 0 0 0 0 0 0\ncpu1 500 0 0 100 0 0 0 0 0 0\ncpu3 900 0 0 0 0 0 0 0 0 0\n",
			"cpu0 100 0 0 200 0 0 0 0 0 0\ncpu2 7000 0 0 100 0 0 0 0 0 0\ncpu3 1000 0 0 0 0 0 0 0 0 0\n",
			50,
			[]float64{0, 0, 100},
			false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTree(t, map[string]string{"proc/stat": c.before, "proc/loadavg": "0.52 0.40 0.31 1/200 4321\n"})
			s, err := readings(t, &cpuReader{host: tr.host()}, func() { tr.write("proc/stat", c.after) }, time.Second)
			if c.again {
				if !errors.Is(err, errNotYet) {
					t.Errorf("got %v, want another look", err)
				}
				return
			}
			want := CPUReading{Percent: c.percent, Cores: c.cores, Load1: 0.52, Load5: 0.4, Load15: 0.31}
			if diff := cmp.Diff(want, s.CPU, within); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestMemory(t *testing.T) {
	tr := newTree(t, map[string]string{
		"proc/meminfo": "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\nBuffers: 50 kB\nCached: 250 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n",
		"proc/vmstat":  "pswpin 0\npswpout 0\n",
	})
	apply, err := (&memoryReader{host: tr.host()}).read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var s Snapshot
	apply(&s)
	if s.Memory.Used != 600<<10 || s.Memory.Total != 1000<<10 || s.Memory.Available != 400<<10 || s.Memory.Percent() != 60 {
		t.Errorf("%+v", s.Memory)
	}
}

func netDev(rows map[string][2]uint64) string {
	text := "Inter-| Receive | Transmit\n face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed\n"
	for name, n := range rows {
		text += fmt.Sprintf("%6s: %d 0 0 0 0 0 0 0 %d 0 0 0 0 0 0 0\n", name, n[0], n[1])
	}
	return text
}

func TestNetwork(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after map[string][2]uint64
		elapsed       time.Duration
		want          NetworkReading
		err           error
	}{
		{
			"rates of what leaves the machine",
			map[string][2]uint64{"lo": {0, 0}, "eth0": {1000, 100}, "docker0": {5, 5}},
			map[string][2]uint64{"lo": {9e9, 9e9}, "eth0": {3000, 500}, "docker0": {9e9, 9e9}},
			2 * time.Second,
			NetworkReading{Interfaces: []string{"eth0"}, Down: 1000, Up: 200},
			nil,
		},
		{
			"a counter wraps", map[string][2]uint64{"eth0": {1<<32 - 10, 100}}, map[string][2]uint64{"eth0": {500, 300}}, time.Second, NetworkReading{Interfaces: []string{"eth0"}, Up: 200}, nil,
		},
		{
			"an interface comes with a large counter", map[string][2]uint64{"eth0": {0, 0}}, map[string][2]uint64{"eth0": {10, 20}, "wlan0": {1 << 40, 1 << 40}}, time.Second, NetworkReading{Interfaces: []string{"eth0", "wlan0"}, Down: 10, Up: 20}, nil,
		},
		{
			"an interface goes", map[string][2]uint64{"eth0": {0, 0}, "wlan0": {1 << 40, 1 << 40}}, map[string][2]uint64{"eth0": {10, 20}}, time.Second, NetworkReading{Interfaces: []string{"eth0"}, Down: 10, Up: 20}, nil,
		},
		{
			"too soon", map[string][2]uint64{"eth0": {0, 0}}, map[string][2]uint64{"eth0": {1 << 40, 0}}, time.Millisecond, NetworkReading{}, errNotYet,
		},
		{
			"none but loopback", map[string][2]uint64{"lo": {0, 0}}, map[string][2]uint64{"lo": {1, 1}}, time.Second, NetworkReading{}, unavailableError("no network interface"),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTree(t, files(nets("lo", "docker0", "eth0 device", "wlan0 device"), map[string]string{"proc/net/dev": netDev(c.before)}))
			s, err := readings(t, &networkReader{host: tr.host()}, func() { tr.write("proc/net/dev", netDev(c.after)) }, c.elapsed)
			if diff := cmp.Diff(c.want, s.Network, within); !errors.Is(err, c.err) || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// expect checks a reading, or the reason why there is none.
func expect[T any](t *testing.T, err error, na string, want, got T) {
	t.Helper()
	var unavailable unavailableError
	if na != "" {
		if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), na) {
			t.Errorf("got %v, want n/a because of %q", err, na)
		}
		return
	}
	if diff := cmp.Diff(want, got, within); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func procStat(pid int, name string, ticks, started, pages int64) string {
	return fmt.Sprintf("%d (%s) S 1 1 1 0 -1 4194304 0 0 0 0 %d %d 0 0 20 0 1 0 %d 1000000 %d 18446744073709551615\n",
		pid, name, ticks/2, ticks-ticks/2, started, pages)
}

func TestProcesses(t *testing.T) {
	tr := newTree(t, map[string]string{
		"proc/1/stat":    procStat(1, "init", 1000, 1, 10),
		"proc/20/stat":   procStat(20, "a (b) c", 100, 5, 300),
		"proc/30/stat":   procStat(30, "reused", 90000, 6, 20),
		"proc/40/stat":   "garbage",
		"proc/self/stat": procStat(99, "self", 1, 1, 1),
	})
	s, err := readings(t, &processReader{host: tr.host()}, func() {
		tr.write("proc/20/stat", procStat(20, "a (b) c", 300, 5, 300)) // 2 s of CPU in 2 s
		tr.write("proc/30/stat", procStat(30, "another", 50, 900, 20)) // a new process with this PID
	}, 2*time.Second)
	page := uint64(os.Getpagesize())
	want := []Process{
		{PID: 20, Since: 5, Name: "a (b) c", CPU: 100, Memory: 300 * page},
		{PID: 30, Since: 900, Name: "another", CPU: 25, Memory: 20 * page},
		{PID: 1, Since: 1, Name: "init", CPU: 0, Memory: 10 * page},
	}
	if diff := cmp.Diff(want, s.Processes.Top, within); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(want, s.Processes.ByMemory, within); diff != "" || s.Processes.Count != 3 {
		t.Errorf("by memory, of %d (-want +got):\n%s", s.Processes.Count, diff)
	}
}

func FuzzParseStat(f *testing.F) {
	for _, s := range []string{procStat(1, "init", 10, 1, 10), procStat(7, ") (", 1, 1, 1), "", "()", "1 ) (", "1 (x)", "1 (x) S -1"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if u, err := parseStat(data); err == nil && (u.started < 0 || u.cpu < -1<<62) {
			t.Errorf("%q gives %+v", data, u)
		}
	})
}

// This reads the real machine: whatever it has, each value is plausible or missing with a
// reason.
func TestThisMachine(t *testing.T) {
	s := New(Config{Sensors: true, MarkerDir: t.TempDir()}).Sample(context.Background())
	t.Log("\n" + s.Report("") + "\n" + s.Line())
	for _, metric := range []Metric{CPU, Memory, Disk, Processes} {
		if why := s.na(metric); why != "" {
			t.Errorf("%s is n/a: %s", metric, why)
		}
	}
	for _, metric := range Metrics() {
		if v, ok := s.headline(metric); ok && (v < 0 || v != v || v > 1e12) {
			t.Errorf("%s is %v", metric, v)
		}
		if s.na(metric) == notSampled || s.na(metric) == errNotYet.Error() {
			t.Errorf("%s is %q after Sample", metric, s.na(metric))
		}
	}
}

func BenchmarkTick(b *testing.B) {
	for metric, r := range readersOf(host{}, Config{}.withDefaults()) {
		b.Run(string(metric), func(b *testing.B) {
			for b.Loop() {
				_, _ = r.read(b.Context()) // a missing value is fine too
			}
		})
	}
}
