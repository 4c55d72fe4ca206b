package monitor

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// card returns the files of a graphics card: its device folder lies among the bus's, as in
// a real machine, and the card links to it.
func card(n int, address, driver, busy, power string) map[string]string {
	dir := "sys/bus/pci/devices/" + address + "/"
	files := map[string]string{
		dir + "vendor": "0x1002\n", dir + "class": "0x030000\n", dir + "uevent": "DRIVER=" + driver + "\nPCI_ID=1\n",
		fmt.Sprintf("link sys/class/drm/card%d/device", n): "sys/bus/pci/devices/" + address,
	}
	if busy != "" {
		files[dir+"gpu_busy_percent"] = busy
	}
	if power != "" {
		files[dir+"power/runtime_status"] = power + "\n"
	}
	return files
}

// files joins the files of several devices.
func files(all ...map[string]string) map[string]string {
	joined := map[string]string{}
	for _, one := range all {
		maps.Copy(joined, one)
	}
	return joined
}

// client returns the files of a process that has a card open.
func client(pid, fd int, name, fdinfo string) map[string]string {
	dir := fmt.Sprintf("proc/%d/", pid)
	return map[string]string{
		dir + "comm":                         name + "\n",
		fmt.Sprintf("link %sfd/%d", dir, fd): "/dev/dri/renderD128",
		fmt.Sprintf("%sfdinfo/%d", dir, fd):  "pos:\t0\nflags:\t02100002\n" + fdinfo,
	}
}

func gpuReading(t *testing.T, tr tree, change func(), elapsed time.Duration) (GPUReading, error) {
	t.Helper()
	s, err := readings(t, newGPUReader(tr.host(), slog.New(slog.DiscardHandler)), change, elapsed)
	return s.GPU, err
}

func TestGPU(t *testing.T) {
	const one, two = "0000:00:02.0", "0000:03:00.0"
	idle, busy := card(0, one, "i915", "", "active"), card(1, two, "amdgpu", "73\n", "active")
	for _, c := range []struct {
		name  string
		files map[string]string
		want  GPUReading
		na    string
	}{
		{"amdgpu", card(0, one, "amdgpu", "42\n", "active"), GPUReading{Name: "amdgpu", Percent: 42, Cards: []GPUCard{{Name: "amdgpu", Percent: 42}}}, ""},
		{"idle is 0, not n/a", card(0, one, "amdgpu", "0\n", ""), GPUReading{Name: "amdgpu", Cards: []GPUCard{{Name: "amdgpu"}}}, ""},
		{
			"the busiest of two, one of which doesn't report its load", files(idle, busy),
			GPUReading{Name: "amdgpu", Percent: 73, Cards: []GPUCard{{Name: "amdgpu", Percent: 73}, {Name: "i915", PercentNA: "the driver i915 doesn't report the GPU's load"}}},
			"",
		},
		{
			"memory, temperature and power",
			files(card(0, two, "amdgpu", "5\n", ""), map[string]string{
				"sys/bus/pci/devices/" + two + "/mem_info_vram_used":          "1073741824\n",
				"sys/bus/pci/devices/" + two + "/mem_info_vram_total":         "17163091968\n",
				"sys/bus/pci/devices/" + two + "/product_name":                "Instinct MI210\n",
				"sys/bus/pci/devices/" + two + "/hwmon/hwmon3/temp1_input":    "61000\n",
				"sys/bus/pci/devices/" + two + "/hwmon/hwmon3/power1_average": "35000000\n",
				"sys/bus/pci/devices/" + two + "/drm/card0/card0-DP-1/status": "disconnected\n",
				"sys/class/drm/card0-DP-1/status":                             "disconnected\n",
				"sys/bus/pci/devices/" + two + "/hwmon/hwmon3/temp2_input":    "75000\n",
				"sys/bus/pci/devices/" + two + "/gpu_metrics":                 "\x00\x01",
			}),
			GPUReading{Name: "Instinct MI210", Percent: 5, Cards: []GPUCard{{
				Name: "Instinct MI210", Percent: 5, MemoryUsed: 1 << 30, MemoryTotal: 17163091968, Celsius: 61, Watts: 35,
			}}},
			"",
		},
		{"a driver that doesn't report it", card(0, one, "i915", "", "active"), GPUReading{}, "the driver i915 doesn't report"},
		{"a sleeping card is left asleep", card(0, one, "amdgpu", "99\n", "suspended"), GPUReading{}, "asleep"},
		{"no number", card(0, one, "amdgpu", "busy\n", ""), GPUReading{}, "not a number"},
		{"a connector is no card", map[string]string{"sys/class/drm/card0-HDMI-A-1/device/gpu_busy_percent": "50\n"}, GPUReading{}, "no readable GPU"},
		{"none", nil, GPUReading{}, "no readable GPU"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := gpuReading(t, newTree(t, c.files), func() {}, 2*time.Second)
			expect(t, err, c.na, c.want, got)
		})
	}
}

// TestGPUPrograms: who uses a card, as the kernel counts it, and how busy they keep one
// whose driver reports no load.
func TestGPUPrograms(t *testing.T) {
	const address = "0000:00:02.0"
	const i915 = "drm-driver:\ti915\ndrm-client-id:\t%d\ndrm-pdev:\t" + address + "\ndrm-resident-system0:\t%d KiB\n" +
		"drm-engine-render:\t%d ns\ndrm-engine-copy:\t0 ns\ndrm-engine-video:\t%d ns\ndrm-engine-capacity-video:\t2\n"
	const xe = "drm-driver:\txe\ndrm-client-id:\t7\ndrm-pdev:\t" + address + "\ndrm-total-vram0:\t99 MiB\ndrm-resident-vram0:\t64 MiB\ndrm-resident-system:\t1 KiB\n" +
		"drm-cycles-rcs:\t%d\ndrm-total-cycles-rcs:\t%d\n"
	const amdgpu = "drm-driver:\tamdgpu\ndrm-client-id:\t3\ndrm-pdev:\t" + address + "\ndrm-memory-vram:\t2048 KiB\ndrm-memory-gtt: \t512 KiB\ndrm-engine-gfx:\t%d ns\n"
	for _, c := range []struct {
		name   string
		before map[string]string
		after  map[string]string // two seconds later
		want   GPUCard
	}{
		{
			"two programs on one engine; a descriptor that is there twice",
			files(card(0, address, "i915", "", ""), client(50, 5, "game", fmt.Sprintf(i915, 1, 3072, 0, 0)), client(50, 6, "game", fmt.Sprintf(i915, 1, 3072, 0, 0)), client(60, 4, "browser", fmt.Sprintf(i915, 2, 1024, 1_000_000_000, 0))),
			files(client(50, 5, "game", fmt.Sprintf(i915, 1, 3072, 1_000_000_000, 0)), client(50, 6, "game", fmt.Sprintf(i915, 1, 3072, 1_000_000_000, 0)), client(60, 4, "browser", fmt.Sprintf(i915, 2, 1024, 1_200_000_000, 0))),
			GPUCard{Name: "i915", Percent: 60, Processes: []GPUProcess{{PID: 50, Name: "game", Memory: 3 << 20}, {PID: 60, Name: "browser", Memory: 1 << 20}}},
		},
		{
			"an engine of which there are two",
			files(card(0, address, "i915", "", ""), client(50, 5, "film", fmt.Sprintf(i915, 1, 1, 0, 0))),
			client(50, 5, "film", fmt.Sprintf(i915, 1, 1, 200_000_000, 1_000_000_000)),
			GPUCard{Name: "i915", Percent: 25, Processes: []GPUProcess{{PID: 50, Name: "film", Memory: 1024}}},
		},
		{
			"cycles of a card with memory of its own",
			files(card(0, address, "xe", "", ""), client(50, 5, "llama", fmt.Sprintf(xe, 100, 1000))),
			client(50, 5, "llama", fmt.Sprintf(xe, 400, 2000)),
			GPUCard{Name: "xe", Percent: 30, Processes: []GPUProcess{{PID: 50, Name: "llama", Memory: 64 << 20}}},
		},
		{
			"the driver's own load is the whole card's",
			files(card(0, address, "amdgpu", "88\n", ""), client(50, 5, "render", fmt.Sprintf(amdgpu, 0))),
			client(50, 5, "render", fmt.Sprintf(amdgpu, 1_000_000_000)),
			GPUCard{Name: "amdgpu", Percent: 88, Processes: []GPUProcess{{PID: 50, Name: "render", Memory: 2 << 20}}},
		},
		{
			"a program of another card, and one that has ended",
			files(card(0, address, "amdgpu", "3\n", ""), client(50, 5, "other", "drm-client-id:\t1\ndrm-pdev:\t0000:99:00.0\n"), client(51, 5, "gone", "")),
			nil,
			GPUCard{Name: "amdgpu", Percent: 3},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTree(t, c.before)
			got, err := gpuReading(t, tr, func() {
				for name, content := range c.after {
					tr.write(name, content)
				}
			}, 2*time.Second)
			expect(t, err, "", GPUReading{Name: c.want.Name, Percent: c.want.Percent, Cards: []GPUCard{c.want}}, got)
		})
	}
}

// TestAnIdleCardMayFallAsleep: a laptop's second card, which could sleep, is left alone for a
// minute after it was found idle; one with a display, or one that can't sleep, is not.
func TestAnIdleCardMayFallAsleep(t *testing.T) {
	const address = "0000:03:00.0"
	const dir = "sys/bus/pci/devices/" + address + "/"
	for _, c := range []struct {
		name  string
		files map[string]string
		late  bool // the load shows a minute later
	}{
		{"it may sleep", map[string]string{dir + "power/control": "auto\n", dir + "drm/card0/card0-DP-1/status": "disconnected\n"}, true},
		{"a display hangs on it", map[string]string{dir + "power/control": "auto\n", dir + "drm/card0/card0-DP-1/status": "connected\n"}, false},
		{"it is kept awake", map[string]string{dir + "power/control": "on\n"}, false},
		{"nothing is known", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTree(t, files(card(0, address, "amdgpu", "0\n", "active"), c.files))
			r := newGPUReader(tr.host(), slog.New(slog.DiscardHandler))
			load := func() float64 {
				apply, err := r.read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				var s Snapshot
				apply(&s)
				return s.GPU.Percent
			}
			synctest.Test(t, func(t *testing.T) {
				load()
				tr.write(dir+"gpu_busy_percent", "70\n")
				time.Sleep(2 * time.Second)
				if got := load(); (got == 0) != c.late {
					t.Errorf("two seconds after it was idle the load is %v", got)
				}
				time.Sleep(restTime)
				if got := load(); got != 70 {
					t.Errorf("a minute later the load is %v", got)
				}
			})
		})
	}
}

// TestNVIDIAWithTheTool: without the library, NVIDIA's tool is asked; a sleeping card isn't
// touched either way.
func TestNVIDIAWithTheTool(t *testing.T) {
	const address = "0000:01:00.0"
	bin := t.TempDir()
	calls := filepath.Join(bin, "calls")
	script := "#!/bin/sh\necho \"$1\" >>" + calls + "\ncase $1 in *apps*) echo 'GPU-1, 50, 9066, python3' ;; *) echo '99, 9075, 143771, 58, 693.92, Disabled, GPU-1, NVIDIA H200' ;; esac\n"
	if err := os.WriteFile(filepath.Join(bin, "nvidia-smi"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("LD_LIBRARY_PATH", bin) // without a library
	nvidia := files(card(0, address, "nvidia", "", "active"), map[string]string{"dev/nvidiactl": ""})
	read := func(t *testing.T, tr tree) (GPUReading, error) {
		t.Helper()
		n := &nvidiaCards{host: tr.host(), log: slog.New(slog.DiscardHandler)}
		t.Cleanup(n.drop)
		apply, err := (&gpuReader{sources: []gpuSource{n.read}}).read(t.Context())
		var s Snapshot
		if err == nil {
			apply(&s)
		}
		return s.GPU, err
	}
	got, err := read(t, newTree(t, nvidia))
	want := GPUReading{Name: "NVIDIA H200", Percent: 99, Cards: []GPUCard{{
		Name: "NVIDIA H200", Percent: 99, MemoryUsed: 9075 << 20, MemoryTotal: 143771 << 20, Celsius: 58, Watts: 693.92,
		Processes: []GPUProcess{{PID: 50, Name: "python3", Memory: 9066 << 20}},
	}}}
	expect(t, err, "", want, got)
	if err := os.Remove(calls); err != nil {
		t.Fatal(err)
	}
	nvidia["sys/bus/pci/devices/"+address+"/power/runtime_status"] = "suspended\n"
	got, err = read(t, newTree(t, nvidia))
	expect(t, err, "asleep", GPUReading{}, got)
	if raw, err := os.ReadFile(calls); !os.IsNotExist(err) {
		t.Errorf("a sleeping card is read: %s", raw)
	}
	delete(nvidia, "dev/nvidiactl")
	got, err = read(t, newTree(t, nvidia))
	expect(t, err, "no readable GPU", GPUReading{}, got)
}

func TestGPUWords(t *testing.T) {
	busy := GPUCard{
		Name: "NVIDIA H200", Percent: 94, MemoryUsed: 64 << 30, MemoryTotal: 140 << 30, Celsius: 58, Watts: 693.9,
		Processes: []GPUProcess{{PID: 532, Name: "python3", Memory: 60 << 30}, {PID: 7}},
	}
	divided := GPUCard{Name: "NVIDIA H100", PercentNA: "partitioned", Partitions: 2, MemoryUsed: 1 << 30, MemoryTotal: 80 << 30, ProcessesNA: "other users' programs aren't visible"}
	for _, c := range []struct {
		name         string
		reading      GPUReading
		line, report string
	}{
		{
			"one card",
			GPUReading{Name: busy.Name, Percent: 94, Cards: []GPUCard{busy}},
			"GPU 94 % · GPU memory 64.0 of 140 GB, used by python3 (pid 532, 60.0 GB) and 1 more",
			"GPU: 94 % busy (NVIDIA H200); memory 64.0 of 140 GB used; 58 °C; 694 W\n- python3 (pid 532, 60.0 GB)\n- a program that isn't visible from here (pid 7)",
		},
		{
			"two cards",
			GPUReading{Name: busy.Name, Percent: 94, Cards: []GPUCard{busy, {Name: "i915", PercentNA: "not reported"}}},
			"GPU 94 % (the busiest of 2) · GPU memory 64.0 of 140 GB, used by python3 (pid 532, 60.0 GB) and 1 more",
			"GPU: 94 % busy (NVIDIA H200); memory 64.0 of 140 GB used; 58 °C; 694 W\n- python3 (pid 532, 60.0 GB)\n- a program that isn't visible from here (pid 7)\nGPU: load n/a: not reported (i915)",
		},
		{
			"a divided card",
			GPUReading{Name: divided.Name, PercentNA: divided.PercentNA, Cards: []GPUCard{divided}},
			"GPU load n/a (partitioned) · GPU memory 1.0 of 80 GB",
			"GPU: load n/a: partitioned (NVIDIA H100); 2 partitions (MIG); memory 1.0 of 80 GB used\n- other users' programs aren't visible",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s Snapshot
			for _, metric := range Metrics() {
				s.setNA(metric, "not asked")
			}
			s.GPU = c.reading
			if diff := cmp.Diff(c.line, s.Line()); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.report, s.Report("gpu")); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}
