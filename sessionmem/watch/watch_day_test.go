package watch

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A day of a watcher without notifications: it looks at its own pace and reports each edit
// once; an edit made while the machine slept is reported when it wakes.
func TestWatcherOverADay(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		const edits = 24
		var told []time.Duration
		begin := time.Now()
		asleep := time.Duration(0)
		w := newWatcher(Config{Dirs: []string{dir}, Flat: true}, func(changes []Change) {
			told = append(told, time.Since(begin))
			if len(changes) != 1 {
				t.Errorf("%d changes at once: %v", len(changes), changes)
			}
			time.Sleep(asleep)
			asleep = 0
		})
		must(t, w.makeAbsolute())
		w.compareAll()
		ctx, stop := context.WithCancel(t.Context())
		go w.run(ctx)
		synctest.Wait()
		goroutines := runtime.NumGoroutine()
		for n := range edits {
			if n == 12 {
				asleep = 30 * time.Minute
			}
			must(t, os.WriteFile(filepath.Join(dir, "memory.md"), []byte("- "+strings.Repeat("x", n+1)+"\n"), 0o600))
			time.Sleep(time.Hour)
			synctest.Wait()
		}
		if n := runtime.NumGoroutine(); n > goroutines {
			t.Errorf("%d goroutines at the start, %d after a day", goroutines, n)
		}
		if len(told) != edits {
			t.Fatalf("%d edits were told of, want %d", len(told), edits)
		}
		for n, at := range told {
			if after := at - time.Duration(n)*time.Hour; after < 0 || after > defaultSweep {
				t.Errorf("edit %d is told of after %v", n, after)
			}
		}
		stop()
		w.Wait()
	})
}
