//go:build cgo

package monitor

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// fakeNVML is a library with NVIDIA's names, for two cards: one that works, with more
// programs than fit at first, and one that is partitioned. A file called "hang" beside it
// makes it hang.
const fakeNVML = `
#include <string.h>
#include <unistd.h>
typedef struct { unsigned int gpu, memory; } use_t;
typedef struct { unsigned long long total, free, used; } memory_t;
typedef struct { unsigned int pid; unsigned long long used; unsigned int gi, ci; } program_t;
static long cards[2] = {1, 2};
#define DIVIDED(d) (*(long *)(d) == 2)
int nvmlInit_v2(void) { while (access(FOLDER "/hang", F_OK) == 0) sleep(1); return 0; }
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int r) { return r == 3 ? "Not Supported" : "Unknown Error"; }
int nvmlDeviceGetCount_v2(unsigned int *n) { *n = 3; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int i, void **d) { if (i > 1) return 15; *d = &cards[i]; return 0; }
int nvmlDeviceGetName(void *d, char *s, unsigned int n) { strncpy(s, DIVIDED(d) ? "NVIDIA H100" : "NVIDIA RTX 4000", n); return 0; }
int nvmlDeviceGetUtilizationRates(void *d, use_t *u) { if (DIVIDED(d)) return 3; u->gpu = 42; u->memory = 7; return 0; }
int nvmlDeviceGetMemoryInfo(void *d, memory_t *m) { m->total = 20ULL << 30; m->used = 5ULL << 30; m->free = m->total - m->used; return 0; }
int nvmlDeviceGetTemperature(void *d, int sensor, unsigned int *t) { *t = 61; return 0; }
int nvmlDeviceGetPowerUsage(void *d, unsigned int *w) { if (DIVIDED(d)) return 3; *w = 70500; return 0; }
int nvmlDeviceGetMigMode(void *d, unsigned int *now, unsigned int *then) { if (!DIVIDED(d)) return 3; *now = *then = 1; return 0; }
int nvmlDeviceGetMaxMigDeviceCount(void *d, unsigned int *n) { *n = 7; return 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(void *d, unsigned int i, void **m) { *m = d; return i < 3 ? 0 : 6; }
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned int *n, program_t *p) {
	unsigned int i, room = *n;
	if (DIVIDED(d)) return 4;
	*n = 100;
	if (room < 100) return 7;
	for (i = 0; i < 100; i++) { p[i].pid = 1000 + i; p[i].used = i == 0 ? ~0ULL : (unsigned long long)i << 20; }
	return 0;
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *d, unsigned int *n, program_t *p) {
	*n = 1; p[0].pid = 1099; p[0].used = 1; return DIVIDED(d) ? 3 : 0;
}
`

// TestNVIDIA asks a child that has loaded the library.
func TestNVIDIA(t *testing.T) {
	lib := t.TempDir()
	source := filepath.Join(lib, "nvml.c")
	if err := os.WriteFile(source, []byte(fakeNVML), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("cc", "-shared", "-fPIC", `-DFOLDER="`+lib+`"`, "-o", filepath.Join(lib, "libnvidia-ml.so.1"), source)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("LD_LIBRARY_PATH", lib)
	tr := newTree(t, files(card(0, "0000:01:00.0", "nvidia", "", "active"), map[string]string{"dev/nvidiactl": "", "proc/1099/comm": "ollama\n"}))
	n := &nvidiaCards{host: tr.host(), log: slog.New(slog.DiscardHandler)}
	t.Cleanup(n.drop)
	r := &gpuReader{sources: []gpuSource{n.read}}
	read := func(ctx context.Context) (GPUReading, error) {
		apply, err := r.read(ctx)
		var s Snapshot
		if err == nil {
			apply(&s)
		}
		return s.GPU, err
	}

	got, err := read(t.Context())
	if err != nil || len(got.Cards) != 2 || len(got.Cards[0].Processes) != 100 {
		t.Fatalf("%+v, %v", got, err)
	}
	programs := got.Cards[0].Processes
	if programs[0] != (GPUProcess{PID: 1099, Name: "ollama", Memory: 99 << 20}) || programs[99] != (GPUProcess{PID: 1000}) {
		t.Errorf("the programs are %+v … %+v", programs[0], programs[99])
	}
	got.Cards[0].Processes = nil
	expect(t, nil, "", GPUReading{Name: "NVIDIA RTX 4000", Percent: 42, Cards: []GPUCard{
		{Name: "NVIDIA RTX 4000", Percent: 42, MemoryUsed: 5 << 30, MemoryTotal: 20 << 30, Celsius: 61, Watts: 70.5},
		{
			Name: "NVIDIA H100", PercentNA: "NVIDIA H100 is partitioned (MIG) and doesn't report its load", Partitions: 3,
			MemoryUsed: 5 << 30, MemoryTotal: 20 << 30, Celsius: 61, ProcessesNA: "the driver shows its programs to the administrator only",
		},
	}}, got)

	child := n.child
	if _, err := read(t.Context()); err != nil || n.child != child {
		t.Errorf("a second reading needs another child: %v", err)
	}
	if err := child.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t.Context()); err != nil || n.child == child {
		t.Errorf("a child that was killed isn't replaced: %v", err)
	}

	n.drop()
	if err := os.WriteFile(filepath.Join(lib, "hang"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := read(ctx); err == nil || n.child != nil {
		t.Errorf("a driver that hangs gives %v, and its child is kept", err)
	}
	if err := os.Remove(filepath.Join(lib, "hang")); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t.Context()); err != nil {
		t.Errorf("it isn't asked again: %v", err)
	}

	tr.write("sys/bus/pci/devices/0000:01:00.0/power/runtime_status", "suspended\n")
	if got, err := read(t.Context()); err == nil || n.child != nil {
		t.Errorf("a sleeping card is read: %+v", got)
	}
}
