package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mac-stats/sessionmem/filetest"
)

// watching is a test's watcher with its reports.
type watching struct {
	t     *testing.T
	heard chan []Change
}

func watch(t *testing.T, cfg Config) *watching {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &watching{t, make(chan []Change, 100)}
	watcher, err := Start(ctx, cfg, func(c []Change) { w.heard <- c })
	must(t, err)
	t.Cleanup(func() {
		cancel()
		watcher.Wait()
	})
	return w
}

// next returns the next report.
func (w *watching) next() []Change {
	w.t.Helper()
	select {
	case c := <-w.heard:
		return c
	case <-time.After(time.Minute):
		panic(unlike("nothing was told"))
	}
}

func (w *watching) wants(want ...Change) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.next(), cmpopts.IgnoreFields(Change{}, "At")); diff != "" {
		panic(unlike("told is (-want +got):\n" + diff))
	}
}

// quiet checks that there is no further report.
func (w *watching) quiet(d time.Duration) {
	w.t.Helper()
	select {
	case c := <-w.heard:
		panic(unlike(fmt.Sprintf("told without a reason: %+v", c)))
	case <-time.After(d):
	}
}

// unlike describes how a report differs from what was expected.
type unlike string

// atAnyPace plays a scenario with a watcher that waits for quiet as long as pace says.
// A machine that stalls for longer merges two changes into one: then the scenario is repeated
// with more time. If it fails with nine seconds, the test fails.
func atAnyPace(t *testing.T, scenario func(pace time.Duration)) {
	t.Helper()
	play := func(pace time.Duration) (why unlike) {
		defer func() {
			if got := recover(); got != nil {
				said, ok := got.(unlike)
				if !ok {
					panic(got)
				}
				why = said
			}
		}()
		scenario(pace)
		return ""
	}
	for pace := testDebounce; ; pace *= 6 {
		why := play(pace)
		if why == "" {
			return
		}
		if pace > 5*time.Second {
			t.Fatal(why)
		}
		t.Logf("with %v: %s", pace, why)
	}
}

const testDebounce = 40 * time.Millisecond

func TestWatchSeesEveryWayOfSaving(t *testing.T) {
	t.Parallel()
	for name, save := range editorSaves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atAnyPace(t, func(pace time.Duration) {
				dir := t.TempDir()
				path := filepath.Join(dir, "memory.md")
				writeFile(t, path, "# M\n- one\n- two\n- three\n")
				w := watch(t, Config{Dirs: []string{dir}, Debounce: pace, Sweep: time.Hour})
				for _, text := range []string{"# M\n- 1\n", "# M\n- one\n- zwei\n", "# M\n- one\n- 2\n- three\n- four\n"} { // quick saves are one change
					save(t, path, text)
				}
				w.wants(Change{Path: path, Added: 2, Removed: 1})
				save(t, path, readFile(t, path)) // unchanged
				w.quiet(5 * pace)
				save(t, path, readFile(t, path)+"- five\n")
				w.wants(Change{Path: path, Added: 1})
				must(t, os.Remove(path))
				w.wants(Change{Path: path, Removed: 6, Gone: true})
			})
		})
	}
}

func TestWatchThroughLinks(t *testing.T) {
	t.Parallel()
	atAnyPace(t, func(pace time.Duration) {
		dir, elsewhere, skills := t.TempDir(), t.TempDir(), t.TempDir()
		target := filepath.Join(elsewhere, "notes.md")
		link := filepath.Join(dir, "memory.md")
		writeFile(t, target, "- one\n")
		must(t, os.Symlink(target, link))
		writeFile(t, filepath.Join(skills, "SKILL.md"), "a\n")
		must(t, os.Symlink(skills, filepath.Join(dir, "cooking")))
		w := watch(t, Config{Dirs: []string{dir}, Debounce: pace, Sweep: time.Hour})
		writeFile(t, filepath.Join(elsewhere, "other.md"), "not ours")
		for _, save := range editorSaves {
			save(t, target, readFile(t, target)+"- more\n")
			w.wants(Change{Path: link, Added: 1})
		}
		writeFile(t, filepath.Join(skills, "SKILL.md"), "a\nb\n")
		w.wants(Change{Path: filepath.Join(dir, "cooking", "SKILL.md"), Added: 1})
		second := filepath.Join(elsewhere, "second.md") // the link now leads elsewhere
		writeFile(t, second, "- one\n- more\n")
		must(t, os.Symlink(second, link+".new"))
		must(t, os.Rename(link+".new", link))
		w.wants(Change{Path: link, Removed: len(editorSaves) - 1})
		writeFile(t, second, "- one\n")
		w.wants(Change{Path: link, Removed: 1})
	})
}

func TestWatchFolderUnderTwoNames(t *testing.T) {
	atAnyPace(t, func(pace time.Duration) {
		real := t.TempDir()
		alias := filepath.Join(t.TempDir(), "agents")
		must(t, os.Symlink(real, alias))
		writeFile(t, filepath.Join(real, "notes.md"), "- one\n")
		must(t, os.Symlink("notes.md", filepath.Join(real, "memory.md")))
		w := watch(t, Config{Dirs: []string{alias}, Debounce: pace, Sweep: time.Hour})
		writeFile(t, filepath.Join(real, "notes.md"), "- one\n- two\n")
		w.wants(Change{Path: filepath.Join(alias, "memory.md"), Added: 1}, Change{Path: filepath.Join(alias, "notes.md"), Added: 1})
		writeFile(t, filepath.Join(real, "soul.md"), "calm\n")
		w.wants(Change{Path: filepath.Join(alias, "soul.md"), Added: 1})
	})
}

func TestWatchFolders(t *testing.T) {
	t.Parallel()
	atAnyPace(t, func(pace time.Duration) {
		root := t.TempDir()
		agents, skills := filepath.Join(root, "agents"), filepath.Join(root, "not", "yet", "skills")
		writeFile(t, filepath.Join(agents, "agent-001", "soul.md"), "calm\n")
		w := watch(t, Config{Dirs: []string{agents, skills}, Debounce: pace, Sweep: time.Hour})

		writeFile(t, filepath.Join(agents, "agent-001", "soul.md"), "calm\nkind\n")
		w.wants(Change{Path: filepath.Join(agents, "agent-001", "soul.md"), Added: 1})

		writeFile(t, filepath.Join(agents, "agent-002", "soul.md"), "new\n")
		w.wants(Change{Path: filepath.Join(agents, "agent-002", "soul.md"), Added: 1})
		writeFile(t, filepath.Join(agents, "agent-002", "soul.md"), "")
		w.wants(Change{Path: filepath.Join(agents, "agent-002", "soul.md"), Removed: 1})

		writeFile(t, filepath.Join(skills, "SKILL.md"), "one\n") // its folders are created
		w.wants(Change{Path: filepath.Join(skills, "SKILL.md"), Added: 1})

		must(t, os.Rename(filepath.Join(agents, "agent-001"), filepath.Join(root, "away")))
		w.wants(Change{Path: filepath.Join(agents, "agent-001", "soul.md"), Removed: 2, Gone: true})
		must(t, os.Rename(filepath.Join(root, "away"), filepath.Join(agents, "agent-001")))
		w.wants(Change{Path: filepath.Join(agents, "agent-001", "soul.md"), Added: 2})

		writeFile(t, filepath.Join(agents, ".memory.md.swp"), "x")
		writeFile(t, filepath.Join(agents, "memory.md~"), "x")
		writeFile(t, filepath.Join(agents, "#memory.md#"), "x")
		writeFile(t, filepath.Join(agents, "a", "b", "too-deep.md"), "x")
		w.quiet(5 * pace)
	})
}

func TestWatchFlat(t *testing.T) {
	t.Parallel()
	atAnyPace(t, func(pace time.Duration) {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "session", "a.md"), "a\n")
		w := watch(t, Config{Dirs: []string{dir}, Flat: true, Debounce: pace, Sweep: 4 * pace})
		writeFile(t, filepath.Join(dir, "session", "a.md"), "b\n")
		w.quiet(6 * pace)
		writeFile(t, filepath.Join(dir, "config.toml"), "a = 1\n")
		w.wants(Change{Path: filepath.Join(dir, "config.toml"), Added: 1})
	})
}

func TestWatchSweepFindsWhatTheNotifierMissed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "memory.md")
	writeFile(t, path, "- one\n")
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan []Change, 1)
	w := newWatcher(Config{Dirs: []string{dir}, Sweep: 20 * time.Millisecond}, func(c []Change) { heard <- c })
	w.compareAll() // without a notifier
	go w.run(ctx)
	editorSaves["rename over"](t, path, "- two\n") // the same size
	if got := <-heard; len(got) != 1 || got[0].Added != 1 || got[0].Removed != 1 {
		t.Errorf("told %+v", got)
	}
	cancel()
	w.Wait()
}

func TestWatchReportsFilesWithoutLines(t *testing.T) {
	atAnyPace(t, func(pace time.Duration) {
		dir := t.TempDir()
		big, binary := filepath.Join(dir, "big.md"), filepath.Join(dir, "binary.md")
		writeFile(t, big, strings.Repeat("line\n", maxDiffFile/4))
		writeFile(t, binary, "a\x00b\n")
		w := watch(t, Config{Dirs: []string{dir}, Debounce: pace, Sweep: time.Hour})
		writeFile(t, big, strings.Repeat("line\n", maxDiffFile/4+1))
		w.wants(Change{Path: big})
		writeFile(t, binary, "a\x00c\n")
		w.wants(Change{Path: binary})
	})
}

func TestWatchEndsWithoutLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		w, err := Start(ctx, Config{Dirs: []string{t.TempDir()}}, func([]Change) {})
		must(t, err)
		cancel()
		w.Wait()
	}
	filetest.Until(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

func TestLineDiff(t *testing.T) {
	state := func(lines ...uint64) fileState { return fileState{text: true, lines: lines} }
	many := make([]uint64, 5000)
	for i := range many {
		many[i] = uint64(i) //nolint:gosec // small
	}
	turned := make([]uint64, len(many))
	for i := range many {
		turned[i] = many[len(many)-1-i]
	}
	for _, tc := range []struct {
		name           string
		a, b           fileState
		added, removed int
	}{
		{"given the same", state(1, 2), state(1, 2), 0, 0},
		{"given one line changed in the middle", state(1, 2, 3), state(1, 9, 3), 1, 1},
		{"given lines moved", state(1, 2, 3, 4), state(3, 4, 1, 2), 2, 2},
		{"given nothing before", fileState{}, state(1, 2), 2, 0},
		{"given too many lines to order them", state(many...), state(turned...), 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if added, removed := tc.a.diff(tc.b); added != tc.added || removed != tc.removed {
				t.Errorf("+%d −%d, want +%d −%d", added, removed, tc.added, tc.removed)
			}
		})
	}
}

// BenchmarkWatchLatency measures the time from a save to the report, with the default
// debounce; it must be less than 500 ms.
func BenchmarkWatchLatency(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "memory.md")
	writeFile(b, path, "- one\n")
	heard := make(chan []Change)
	ctx, cancel := context.WithCancel(b.Context())
	w, err := Start(ctx, Config{Dirs: []string{dir}}, func(c []Change) { heard <- c })
	must(b, err)
	text := "- one\n"
	for b.Loop() {
		text += "- more\n"
		writeFile(b, path, text)
		<-heard
	}
	cancel()
	w.Wait()
}
