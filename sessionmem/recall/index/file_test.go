package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// newTest returns an index file in a folder. broken is called when the index has to be
// rebuilt.
func newTest(t *testing.T, folder string, broken func()) *File {
	t.Helper()
	f := NewFile(FileConfig{Folder: folder, Root: "root", Options: &Options{}, Broken: broken, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func build(t *testing.T, f *File) {
	t.Helper()
	if err := f.Update(t.Context(), true, func(*Index) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// isDamaged reports whether a process knows that the index is damaged.
func isDamaged(f *File) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.damaged()
}

func read(t *testing.T, f *File) error {
	t.Helper()
	return f.Read(t.Context(), func(*Snapshot) error { return nil })
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
		}, ErrDamaged, true},
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
		if got := isDamaged(other); got != c.damaged || (broken > 0) != c.damaged {
			t.Errorf("%s: another process learns of damage: %v, reported here %d times; want %v", c.what, got, broken, c.damaged)
		}
		build(t, f)
		if err := read(t, f); err != nil || isDamaged(f) {
			t.Errorf("%s, rebuilt: %v, damaged %v", c.what, err, isDamaged(f))
		}
	}
}

func TestAnIdleFileIsUnloadedUnlessInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newTest(t, t.TempDir(), func() {})
		build(t, f)
		_, done, err := f.use(t.Context(), false)
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
	unlock, err := writer.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	none := func(*Snapshot) ([]string, []Place, error) { return nil, nil, nil }
	if err := f.Erase(t.Context(), time.Millisecond, none); !errors.Is(err, ErrBusy) {
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
	stopped := errors.New("stopped")
	if err := f.Update(t.Context(), true, func(*Index) error { return stopped }); !errors.Is(err, stopped) || !f.IsUnfinished() {
		t.Fatalf("%v, unfinished %v", err, f.IsUnfinished())
	}
	if err := f.Erase(t.Context(), time.Minute, func(*Snapshot) ([]string, []Place, error) { return nil, nil, nil }); err != nil || f.IsUnfinished() {
		t.Errorf("%v, unfinished %v", err, f.IsUnfinished())
	}
}

func TestOthersSeeHowFarAnIndexIsBuilt(t *testing.T) {
	folder := t.TempDir()
	f, other := newTest(t, folder, func() {}), newTest(t, folder, func() {})
	sees := func(what string, locked, unfinished bool, sources int) {
		t.Helper()
		n := 0
		err := other.ReadUnfinished(t.Context(), func(now *Snapshot) error { n = len(now.Sources()); return nil })
		if other.IsLocked() != locked || other.IsUnfinished() != unfinished || n != sources || (err == nil) != unfinished {
			t.Errorf("%s: locked %v, unfinished %v, %d sources, %v; want %v, %v, %d", what, other.IsLocked(), other.IsUnfinished(), n, err, locked, unfinished, sources)
		}
	}
	build(t, f)
	sees("before", false, false, 0)
	stopped := errors.New("stopped")
	if err := f.Update(t.Context(), true, func(e *Index) error {
		sees("at the beginning", true, true, 0)
		one := Entry{Source: Source{Name: Name{Key: "a", Session: "a"}, Stamp: "1"}, Passages: []Passage{{Kind: User, Block: "b", Text: "otter"}}}
		if _, err := e.Update(t.Context(), []Entry{one}, nil); err != nil {
			return err
		}
		sees("after one", true, true, 1)
		return stopped
	}); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	sees("interrupted", false, true, 1)
	build(t, f)
	sees("complete", false, false, 0)
}

func TestAProcessKnowsWhetherAnotherErasedMeanwhile(t *testing.T) {
	folder := t.TempDir()
	f, other := newTest(t, folder, func() {}), newTest(t, folder, func() {})
	if f.Size() != 0 || f.IsCurrent() {
		t.Errorf("%d bytes, current %v, before it is made", f.Size(), f.IsCurrent())
	}
	if err := f.Write(t.Context(), func(*Index) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want that there is none to write to", err)
	}
	update := func() {
		if err := f.Update(t.Context(), false, func(*Index) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		what string
		do   func()
		want bool
	}{
		{"it is made", update, true},
		{"it is unloaded", func() {
			if open, err := f.Unload(); !open || err != nil {
				t.Error(open, err)
			}
		}, true},
		{"it is read again", func() {
			if err := read(t, f); err != nil {
				t.Error(err)
			}
		}, true},
		{"another erased", func() {
			if err := other.Erase(t.Context(), time.Minute, func(*Snapshot) ([]string, []Place, error) { return nil, nil, nil }); err != nil {
				t.Error(err)
			}
		}, false},
		{"it is updated", update, true},
		{"it is damaged", func() { f.MarkDamaged(ErrDamaged) }, false},
	} {
		if c.do(); f.IsCurrent() != c.want {
			t.Errorf("when %s: current %v, want %v", c.what, f.IsCurrent(), c.want)
		}
	}
	if f.MarkDamaged(fs.ErrNotExist); !isDamaged(other) {
		t.Error("the damage isn't known to others")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := read(t, f); !errors.Is(err, ErrClosed) {
		t.Errorf("%v, want ErrClosed", err)
	}
}

func TestAReaderKeepsTheFileThatWasReplaced(t *testing.T) {
	f := newTest(t, t.TempDir(), func() {})
	build(t, f)
	before, done, err := f.use(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	build(t, f)
	if err := before.Read(t.Context(), func(*Snapshot) error { return nil }); err != nil {
		t.Errorf("the old file: %v", err)
	}
	now, done2, err := f.use(t.Context(), false)
	if err != nil || now == before || !before.Moved() || now.Moved() {
		t.Errorf("%v; want the new file beside the old one", err)
	}
	done()
	done2()
	if err := before.Read(t.Context(), func(*Snapshot) error { return nil }); err == nil {
		t.Error("nobody uses the old file, and it is still open")
	}
}

// TestOthersOpenTheFileWhileItIsReplaced: at no moment does an old log meet a new file.
func TestOthersOpenTheFileWhileItIsReplaced(t *testing.T) {
	folder := t.TempDir()
	f := newTest(t, folder, func() {})
	round := 0
	replace := func() {
		t.Helper()
		err := f.Update(t.Context(), true, func(e *Index) error {
			var all []Entry
			for i := range 20 {
				one := Entry{Source: Source{Name: Name{Key: fmt.Sprint(i), Session: "a"}, Stamp: fmt.Sprint(round)}}
				one.Passages = []Passage{{Kind: User, Block: "b", Text: fmt.Sprintf("otter %d of round %d", i, round)}}
				all = append(all, one)
			}
			_, err := e.Update(t.Context(), all, nil)
			return err
		})
		if err == nil { // as a later message does: the log of the old file isn't empty when it is replaced
			var e *Index
			var done func()
			if e, done, err = f.use(t.Context(), false); err == nil {
				err = e.SetSynced(t.Context(), time.Now())
				done()
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	replace()
	stop, ended := make(chan struct{}), make(chan error, 2)
	for range 2 {
		other := newTest(t, folder, func() {})
		go func() {
			for {
				select {
				case <-stop:
					ended <- nil
					return
				default:
				}
				err := other.Read(t.Context(), func(now *Snapshot) error {
					if n := len(now.Sources()); n != 20 {
						return fmt.Errorf("%d sources", n)
					}
					for _, k := range now.Sources() {
						if k.Stamp != now.Sources()[0].Stamp {
							return fmt.Errorf("round %s beside %s", k.Stamp, now.Sources()[0].Stamp)
						}
					}
					return nil
				})
				if err == nil {
					_, err = other.Unload()
				}
				if err != nil {
					ended <- err
					return
				}
			}
		}()
	}
	for round = 1; round < 25; round++ {
		replace()
	}
	close(stop)
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if isDamaged(f) {
		t.Error("the index is damaged")
	}
}

func TestAnErasureRemovesWhatItCantReadAndNothingElse(t *testing.T) {
	none := func(*Snapshot) ([]string, []Place, error) { return nil, nil, nil }
	for what, c := range map[string]struct {
		change string
		choose func(*Snapshot) ([]string, []Place, error)
		want   error
		exists bool
	}{
		"whole":            {"", none, nil, true},
		"a row is missing": {"DELETE FROM meta WHERE key='sources'", none, nil, false},
		"damage is found":  {"", func(*Snapshot) ([]string, []Place, error) { return nil, nil, ErrDamaged }, nil, false},
		"another fault":    {"", func(*Snapshot) ([]string, []Place, error) { return nil, nil, ErrBusy }, ErrBusy, true},
	} {
		f := newTest(t, t.TempDir(), func() {})
		build(t, f)
		if c.change != "" {
			db, err := sql.Open("sqlite", "file:"+f.Path())
			if err == nil {
				_, err = db.ExecContext(t.Context(), c.change)
				err = errors.Join(err, db.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Erase(t.Context(), time.Minute, c.choose); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || (f.Size() > 0) != c.exists {
			t.Errorf("%s: %v, exists %v; want %v, %v", what, err, f.Size() > 0, c.want, c.exists)
		}
	}
	f := newTest(t, t.TempDir(), func() {})
	build(t, f)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Erase(t.Context(), time.Minute, none); !errors.Is(err, ErrClosed) || f.Size() == 0 {
		t.Errorf("closed: %v, exists %v; want that it stays", err, f.Size() > 0)
	}
}

func TestARebuildStartsAfreshFromWhatItCantResume(t *testing.T) {
	older := func(path string) error {
		if err := makeOf(path, "root"); err != nil {
			return err
		}
		db, err := sql.Open("sqlite", "file:"+path)
		if err == nil {
			_, err = db.ExecContext(context.Background(), "UPDATE meta SET value=value-1 WHERE key='analysis'")
			err = errors.Join(err, db.Close())
		}
		return err
	}
	for what, spoil := range map[string]func(path string) error{
		"no database":         func(path string) error { return os.WriteFile(path, []byte("no database at all"), 0o600) },
		"of other terms":      older,
		"of another folder":   func(path string) error { return openElsewhere(path) },
		"nothing, as at once": func(string) error { return nil },
	} {
		f := newTest(t, t.TempDir(), func() {})
		if err := spoil(filepath.Join(f.cfg.Folder, newFile)); err != nil {
			t.Fatal(err)
		}
		build(t, f)
		if err := read(t, f); err != nil || f.IsUnfinished() {
			t.Errorf("%s: %v, unfinished %v", what, err, f.IsUnfinished())
		}
	}
	f := newTest(t, t.TempDir(), func() {})
	if err := f.Update(t.Context(), true, func(*Index) error { return ErrDamaged }); !errors.Is(err, ErrDamaged) || f.IsUnfinished() {
		t.Errorf("%v, unfinished %v; want that a damaged rebuild isn't resumed", err, f.IsUnfinished())
	}
	if err := f.Update(t.Context(), true, func(*Index) error {
		if err := read(t, f); err != nil {
			t.Errorf("while it is built: %v", err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

func openElsewhere(path string) error { return makeOf(path, "elsewhere") }

// makeOf makes an index file of a data folder.
func makeOf(path, root string) error {
	x, err := Open(context.Background(), path, root, true, Options{})
	if err != nil {
		return err
	}
	return x.Close()
}

func TestAnIndexThatCantBeReadIsErasedWhole(t *testing.T) {
	none := func(*Snapshot) ([]string, []Place, error) { return nil, nil, nil }
	for what, spoil := range map[string]func(path string) error{
		"no database":       func(path string) error { return os.WriteFile(path, []byte("words and no database"), 0o600) },
		"of another folder": openElsewhere,
		"none":              func(string) error { return nil },
	} {
		f := newTest(t, t.TempDir(), func() {})
		for _, path := range []string{f.Path(), filepath.Join(f.cfg.Folder, newFile)} {
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Erase(t.Context(), time.Minute, none); err != nil || f.Size() > 0 || f.IsUnfinished() {
			t.Errorf("%s: %v, exists %v, unfinished %v", what, err, f.Size() > 0, f.IsUnfinished())
		}
	}
	f := newTest(t, t.TempDir(), func() {})
	build(t, f)
	stopped := errors.New("stopped")
	if err := f.Erase(t.Context(), time.Minute, func(*Snapshot) ([]string, []Place, error) { return nil, nil, stopped }); !errors.Is(err, stopped) {
		t.Errorf("%v, want that it was stopped", err)
	}
}

func TestAnIndexOfAnotherFolderCountsAsNone(t *testing.T) {
	broken := 0
	f := newTest(t, t.TempDir(), func() { broken++ })
	if err := openElsewhere(f.Path()); err != nil {
		t.Fatal(err)
	}
	if err := read(t, f); !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, ErrOther) || broken != 1 || !isDamaged(f) {
		t.Errorf("%v, reported %d times", err, broken)
	}
}

func TestDamageFoundWhileItIsRebuiltCountsAsNone(t *testing.T) {
	folder := t.TempDir()
	f, other := newTest(t, folder, func() {}), newTest(t, folder, func() {})
	if err := os.WriteFile(f.Path(), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := read(t, f); errors.Is(err, fs.ErrNotExist) || !errors.Is(err, ErrDamaged) {
		t.Errorf("%v, want damage", err)
	}
	if err := f.Update(t.Context(), false, func(*Index) error {
		for _, f := range []*File{f, other} {
			if err := read(t, f); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v, want that there is none yet", err)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if err := errors.Join(read(t, f), read(t, other)); err != nil {
		t.Errorf("rebuilt: %v", err)
	}
}

func TestWhoWaitsForAnotherWriterIsTold(t *testing.T) {
	folder := t.TempDir()
	writer := newTest(t, folder, func() {})
	ctx, stop := context.WithCancel(t.Context())
	f := NewFile(FileConfig{Folder: folder, Root: "root", Options: &Options{}, Broken: func() {}, Waits: stop, Logger: slog.New(slog.DiscardHandler)})
	unlock, err := writer.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one doesn't wait for the first
		if err := f.Update(ctx, false, func(*Index) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want Canceled", err)
		}
	}
	unlock()
	if err := f.Update(t.Context(), false, func(*Index) error { return nil }); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestAFolderThatCantBeMadeIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := newTest(t, filepath.Join(file, "cache"), func() {})
	for range 2 { // the second one doesn't wait for the first
		if _, err := f.lock(t.Context()); err == nil {
			t.Error("it was locked")
		}
	}
}
