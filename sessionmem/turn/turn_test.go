package turn_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/turn"
)

// turnIn returns the turn of a session as another process sees it, and its folder.
func turnIn(t *testing.T, folder string) (*turn.Turn, *sessiondir.Dir) {
	t.Helper()
	dir := sessiondir.New(folder, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = dir.Close() })
	return turn.New(dir, "cli-a", slog.New(slog.DiscardHandler)), dir
}

func TestOneHolderAtATime(t *testing.T) {
	folder := t.TempDir()
	here, dir := turnIn(t, folder)
	there, _ := turnIn(t, folder)
	lock, err := here.Take(t.Context(), "window", turn.Options{})
	filetest.Must(t, err)
	if !turn.AnyRuns(dir) || !here.IsTaken() || here.Holder().Who != "window" {
		t.Error("the turn is held and looks free")
	}
	for name, other := range map[string]*turn.Turn{"the same process": here, "another process": there} {
		ctx, cancel := context.WithCancel(t.Context())
		var holder turn.Holder
		_, err := other.Take(ctx, "command line", turn.Options{Waiting: func(h turn.Holder) { holder = h; cancel() }})
		if !errors.Is(err, context.Canceled) || holder.Who != "window" || holder.PID != os.Getpid() {
			t.Errorf("%s: got %v while %+v holds the turn", name, err, holder)
		}
	}
	lock.Release()
	if turn.AnyRuns(dir) || here.IsTaken() || here.Holder().Who != "" {
		t.Error("the turn was released and looks held")
	}
	lock, err = there.Take(t.Context(), "command line", turn.Options{Waiting: func(h turn.Holder) { t.Errorf("waited for %+v", h) }})
	filetest.Must(t, err)
	lock.Release()
}

func TestTurnWithoutALockFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	filetest.Write(t, file, "in place of the folder")
	broken, _ := turnIn(t, filepath.Join(file, "session"))
	if _, err := broken.Take(t.Context(), "window", turn.Options{}); err == nil {
		t.Error("a turn whose lock file can't be made was taken")
	}
	for name, options := range map[string]turn.Options{
		"allowed":   {Without: func(error) bool { return true }},
		"in memory": {InMemory: true},
	} {
		lock, err := broken.Take(t.Context(), "window", options)
		if err != nil || lock.HasFile() {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		lock.Release()
	}
}

// Goroutines of one process take turns; one that stops waiting leaves the place to the next.
func TestGoroutinesTakeTurns(t *testing.T) {
	folder := t.TempDir()
	here, _ := turnIn(t, folder)
	var running atomic.Int32
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			lock, err := here.Take(t.Context(), "window", turn.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer lock.Release()
			if n := running.Add(1); n != 1 || !lock.HasFile() {
				t.Errorf("%d hold it", n)
			}
			running.Add(-1)
		})
	}
	work.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := here.Take(ctx, "window", turn.Options{}); !errors.Is(err, context.Canceled) || here.IsTaken() {
		t.Errorf("cancelled before: %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, transcript.LocksDir, "cli-a"+turn.HolderSuffix)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the holder's name stays: %v", err)
	}
}

// A holder that can't be named is another program, and one that can't write its name has the
// turn all the same.
func TestHolderWithoutAName(t *testing.T) {
	folder := t.TempDir()
	here, _ := turnIn(t, folder)
	there, _ := turnIn(t, folder)
	named := filepath.Join(folder, transcript.LocksDir, "cli-a"+turn.HolderSuffix)
	filetest.Write(t, filepath.Join(named, "in the way"), "x")
	lock, err := here.Take(t.Context(), "window", turn.Options{})
	filetest.Must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var holder turn.Holder
	if _, err := there.Take(ctx, "command line", turn.Options{Waiting: func(h turn.Holder) { holder = h; cancel() }}); !errors.Is(err, context.Canceled) || holder.Who != "other program" {
		t.Errorf("%+v holds it, %v", holder, err)
	}
	lock.Release()
	lock, err = there.Take(t.Context(), "command line", turn.Options{})
	filetest.Must(t, err)
	lock.Release()
	if _, empty := turnIn(t, filepath.Join(folder, "nothing yet")); turn.AnyRuns(empty) {
		t.Error("a turn runs where nothing is")
	}
	dead := filepath.Join(folder, transcript.LocksDir, "cli-dead"+turn.HolderSuffix)
	filetest.Write(t, dead, "{}") // it was killed
	if _, dir := turnIn(t, folder); turn.AnyRuns(dir) {
		t.Error("a dead process holds a turn")
	}
	if _, err := os.Stat(dead); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a dead process's name is looked at again and again: %v", err)
	}
}
