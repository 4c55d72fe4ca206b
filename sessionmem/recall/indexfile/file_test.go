package indexfile

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

// newTest returns an index file in a folder. broken is called when the index has to be
// rebuilt.
func newTest(t *testing.T, folder string, broken func()) *File {
	t.Helper()
	limits := engine.DefaultLimits()
	f := New(Config{Folder: folder, Root: "root", Limits: &limits, Broken: broken, Idle: func() {}, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func build(t *testing.T, f *File) {
	t.Helper()
	unlock, err := f.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := f.Replace(t.Context(), func(*engine.Engine) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, f *File) error {
	t.Helper()
	return f.Read(t.Context(), func(*engine.Snapshot) error { return nil })
}

func TestAnUnusableFileIsReportedWhenUsed(t *testing.T) {
	for _, c := range []struct {
		what    string
		spoil   func(path string) error
		want    error
		damaged bool
	}{
		{"whole", func(string) error { return nil }, nil, false},
		{"missing", os.Remove, fs.ErrNotExist, false},
		{"empty", func(path string) error { return os.Truncate(path, 0) }, fs.ErrNotExist, false},
		{"no database", func(path string) error {
			return os.WriteFile(path, []byte("no database at all, whatever its name says"), 0o600)
		}, format.ErrDamaged, true},
	} {
		folder, broken := t.TempDir(), 0
		f := newTest(t, folder, func() { broken++ })
		build(t, f)
		if err := c.spoil(f.Path()); err != nil {
			t.Fatal(err)
		}
		if err := read(t, f); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
		other := newTest(t, folder, func() {})
		if got := other.Damaged(); got != c.damaged || (broken > 0) != c.damaged {
			t.Errorf("%s: another process learns of damage: %v, reported here %d times; want %v", c.what, got, broken, c.damaged)
		}
		build(t, f)
		if err := read(t, f); err != nil || f.Damaged() {
			t.Errorf("%s, rebuilt: %v, damaged %v", c.what, err, f.Damaged())
		}
	}
}

func TestAnIdleFileIsUnloadedUnlessInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newTest(t, t.TempDir(), func() {})
		build(t, f)
		_, done, err := f.Use(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * idleAfter)
		if open, err := f.Unload(); !open || err != nil {
			t.Errorf("it was unloaded while in use (%v)", err)
		}
		done()
		if err := read(t, f); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * idleAfter)
		if open, err := f.Unload(); open || err != nil {
			t.Errorf("it is open after a long time without a user (%v)", err)
		}
	})
}

func TestAnErasureWaitsForAWriterOnlyAsLongAsAllowed(t *testing.T) {
	folder := t.TempDir()
	writer, f := newTest(t, folder, func() {}), newTest(t, folder, func() {})
	build(t, f)
	unlock, err := writer.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	none := func(*engine.Snapshot, *engine.Erasure) error { return nil }
	if err := f.Erase(t.Context(), time.Millisecond, none); !errors.Is(err, tables.ErrBusy) {
		t.Errorf("%v while another writes, want ErrBusy", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := f.Erase(stopped, time.Minute, none); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was stopped", err)
	}
	unlock()
	if err := f.Erase(t.Context(), time.Minute, none); err != nil {
		t.Error(err)
	}
}

func TestErasureRemovesAnInterruptedRebuild(t *testing.T) {
	f := newTest(t, t.TempDir(), func() {})
	build(t, f)
	unlock, err := f.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stopped := errors.New("stopped")
	if err := f.Replace(t.Context(), func(*engine.Engine) error { return stopped }); !errors.Is(err, stopped) || !f.IsUnfinished() {
		t.Fatalf("%v, unfinished %v", err, f.IsUnfinished())
	}
	unlock()
	if err := f.Erase(t.Context(), time.Minute, func(*engine.Snapshot, *engine.Erasure) error { return nil }); err != nil || f.IsUnfinished() {
		t.Errorf("%v, unfinished %v", err, f.IsUnfinished())
	}
}

func TestProgressIsVisibleToOthersWhileItRuns(t *testing.T) {
	folder := t.TempDir()
	f, other := newTest(t, folder, func() {}), newTest(t, folder, func() {})
	f.Activity.Report(Progress{Files: 3, Of: 40})
	if p, ok := other.Activity.Current(); ok {
		t.Errorf("without the lock %+v is believed", p)
	}
	unlock, err := f.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	end := f.Activity.Begin()
	f.Activity.Report(Progress{Files: 4, Of: 40}) // too soon to be written again
	if p, ok := other.Activity.Current(); !ok || p.Files != 3 || p.Of != 40 {
		t.Errorf("elsewhere: %+v %v, want 3 of 40", p, ok)
	}
	if p, ok := f.Activity.Current(); !ok || p.Files != 4 {
		t.Errorf("here: %+v %v, want 4 files", p, ok)
	}
	end()
	unlock()
	if p, ok := other.Activity.Current(); ok {
		t.Errorf("it has ended, and %+v is reported", p)
	}
	if _, err := os.Stat(filepath.Join(folder, progressFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the progress file is left: %v", err)
	}
}
