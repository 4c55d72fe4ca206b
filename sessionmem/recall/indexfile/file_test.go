package indexfile

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

	"mac-stats/sessionmem/recall/index"
)

// newTest returns an index file in a folder. broken is called when the index has to be
// rebuilt.
func newTest(t *testing.T, folder string, broken func()) *File {
	t.Helper()
	f := New(Config{Folder: folder, Root: "root", Options: &index.Options{}, Broken: broken, Logger: slog.New(slog.DiscardHandler)})
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
	if err := f.Replace(t.Context(), func(*index.Index) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, f *File) error {
	t.Helper()
	return f.Read(t.Context(), func(*index.Snapshot) error { return nil })
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
		}, index.ErrDamaged, true},
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
	none := func(*index.Snapshot) ([]string, []index.Place, error) { return nil, nil, nil }
	if err := f.Erase(t.Context(), time.Millisecond, none); !errors.Is(err, index.ErrBusy) {
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
	if err := f.Replace(t.Context(), func(*index.Index) error { return stopped }); !errors.Is(err, stopped) || !f.IsUnfinished() {
		t.Fatalf("%v, unfinished %v", err, f.IsUnfinished())
	}
	unlock()
	if err := f.Erase(t.Context(), time.Minute, func(*index.Snapshot) ([]string, []index.Place, error) { return nil, nil, nil }); err != nil || f.IsUnfinished() {
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

func TestAProcessKnowsWhetherAnotherErasedMeanwhile(t *testing.T) {
	folder := t.TempDir()
	f, other := newTest(t, folder, func() {}), newTest(t, folder, func() {})
	if f.Exists() || f.Size() != 0 {
		t.Errorf("exists %v, %d bytes, before it is made", f.Exists(), f.Size())
	}
	if err := f.Write(t.Context(), func(*index.Index) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want that there is none to write to", err)
	}
	unlock, err := f.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, done, err := f.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done()
	unlock()
	if !f.Exists() || f.Size() == 0 {
		t.Errorf("exists %v, %d bytes", f.Exists(), f.Size())
	}
	for _, c := range []struct {
		what string
		do   func()
		want bool
	}{
		{"it is marked", f.MarkCurrent, true},
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
			if err := other.Erase(t.Context(), time.Minute, func(*index.Snapshot) ([]string, []index.Place, error) { return nil, nil, nil }); err != nil {
				t.Error(err)
			}
			if err := errors.Join(other.Close(), f.Close()); err != nil {
				t.Error(err)
			}
		}, false},
		{"it is marked again", f.MarkCurrent, true},
		{"it is damaged", func() { f.MarkDamaged(index.ErrDamaged) }, false},
	} {
		if c.do(); f.IsCurrent() != c.want {
			t.Errorf("when %s: current %v, want %v", c.what, f.IsCurrent(), c.want)
		}
	}
	if f.MarkDamaged(fs.ErrNotExist); !other.Damaged() {
		t.Error("the damage isn't known to others")
	}
	if err := read(t, f); !errors.Is(err, ErrClosed) {
		t.Errorf("%v, want ErrClosed", err)
	}
}

func TestAReaderKeepsTheFileThatWasReplaced(t *testing.T) {
	f := newTest(t, t.TempDir(), func() {})
	build(t, f)
	before, done, err := f.Use(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	build(t, f)
	if err := before.Read(t.Context(), func(*index.Snapshot) error { return nil }); err != nil {
		t.Errorf("the old file: %v", err)
	}
	now, done2, err := f.Use(t.Context())
	if err != nil || now == before || !before.Moved() || now.Moved() {
		t.Errorf("%v; want the new file beside the old one", err)
	}
	done()
	done2()
	if err := before.Read(t.Context(), func(*index.Snapshot) error { return nil }); err == nil {
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
		unlock, err := f.Lock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer unlock()
		err = f.Replace(t.Context(), func(e *index.Index) error {
			var all []index.Entry
			for i := range 20 {
				one := index.Entry{Source: index.Source{Name: index.Name{Key: fmt.Sprint(i), Session: "a"}, Stamp: fmt.Sprint(round)}}
				one.Passages = []index.Passage{{Kind: index.User, Block: "b", Text: fmt.Sprintf("otter %d of round %d", i, round)}}
				all = append(all, one)
			}
			_, err := e.Update(t.Context(), all, nil)
			return err
		})
		if err == nil { // as a later message does: the log of the old file isn't empty when it is replaced
			var e *index.Index
			var done func()
			if e, done, err = f.Use(t.Context()); err == nil {
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
				err := other.Read(t.Context(), func(now *index.Snapshot) error {
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
	if f.Damaged() {
		t.Error("the index is damaged")
	}
}

func TestAnErasureRemovesWhatItCantReadAndNothingElse(t *testing.T) {
	none := func(*index.Snapshot) ([]string, []index.Place, error) { return nil, nil, nil }
	for what, c := range map[string]struct {
		change string
		choose func(*index.Snapshot) ([]string, []index.Place, error)
		want   error
		exists bool
	}{
		"whole":            {"", none, nil, true},
		"a row is missing": {"DELETE FROM meta WHERE key='sources'", none, nil, false},
		"damage is found":  {"", func(*index.Snapshot) ([]string, []index.Place, error) { return nil, nil, index.ErrDamaged }, nil, false},
		"another fault":    {"", func(*index.Snapshot) ([]string, []index.Place, error) { return nil, nil, index.ErrBusy }, index.ErrBusy, true},
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
		if err := f.Erase(t.Context(), time.Minute, c.choose); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || f.Exists() != c.exists {
			t.Errorf("%s: %v, exists %v; want %v, %v", what, err, f.Exists(), c.want, c.exists)
		}
	}
	f := newTest(t, t.TempDir(), func() {})
	build(t, f)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Erase(t.Context(), time.Minute, none); !errors.Is(err, ErrClosed) || !f.Exists() {
		t.Errorf("closed: %v, exists %v; want that it stays", err, f.Exists())
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
	unlock, err := f.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := f.Replace(t.Context(), func(*index.Index) error { return index.ErrDamaged }); !errors.Is(err, index.ErrDamaged) || f.IsUnfinished() {
		t.Errorf("%v, unfinished %v; want that a damaged rebuild isn't resumed", err, f.IsUnfinished())
	}
	if err := f.Replace(t.Context(), func(*index.Index) error {
		if err := read(t, f); !errors.Is(err, fs.ErrNotExist) {
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
	x, err := index.Open(context.Background(), path, root, true, index.Options{})
	if err != nil {
		return err
	}
	return x.Close()
}

func TestAnIndexThatCantBeReadIsErasedWhole(t *testing.T) {
	none := func(*index.Snapshot) ([]string, []index.Place, error) { return nil, nil, nil }
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
		if err := f.Erase(t.Context(), time.Minute, none); err != nil || f.Exists() || f.IsUnfinished() {
			t.Errorf("%s: %v, exists %v, unfinished %v", what, err, f.Exists(), f.IsUnfinished())
		}
	}
	f := newTest(t, t.TempDir(), func() {})
	build(t, f)
	stopped := errors.New("stopped")
	if err := f.Erase(t.Context(), time.Minute, func(*index.Snapshot) ([]string, []index.Place, error) { return nil, nil, stopped }); !errors.Is(err, stopped) {
		t.Errorf("%v, want that it was stopped", err)
	}
}

func TestAnIndexOfAnotherFolderCountsAsNone(t *testing.T) {
	broken := 0
	f := newTest(t, t.TempDir(), func() { broken++ })
	if err := openElsewhere(f.Path()); err != nil {
		t.Fatal(err)
	}
	if err := read(t, f); !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, index.ErrOther) || broken != 1 || !f.Damaged() {
		t.Errorf("%v, reported %d times", err, broken)
	}
}

func TestDamageFoundWhileItIsRebuiltCountsAsNone(t *testing.T) {
	f := newTest(t, t.TempDir(), func() {})
	if err := os.WriteFile(f.Path(), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	end := f.Activity.Begin()
	if err := read(t, f); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want that there is none yet", err)
	}
	end()
	if err := read(t, f); errors.Is(err, fs.ErrNotExist) || !errors.Is(err, index.ErrDamaged) {
		t.Errorf("%v, want damage", err)
	}
}

func TestWhoWaitsForAnotherWriterSeesItsProgress(t *testing.T) {
	folder := t.TempDir()
	writer, seen := newTest(t, folder, func() {}), make(chan Progress, 100)
	f := New(Config{Folder: folder, Root: "root", Options: &index.Options{}, Broken: func() {}, Progress: func(p Progress) { seen <- p }, Logger: slog.New(slog.DiscardHandler)})
	unlock, err := writer.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Activity.Begin()()
	writer.Activity.Report(Progress{Files: 3, Of: 40})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		if p := <-seen; p.Files != 3 || p.Of != 40 || !p.Elsewhere {
			t.Errorf("%+v", p)
		}
		stop()
	}()
	if _, err := f.Lock(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want Canceled", err)
	}
	unlock()
	if _, err := f.Lock(ctx); !errors.Is(err, context.Canceled) && err != nil {
		t.Errorf("%v", err)
	}
}

func TestAFolderThatCantBeMadeIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := newTest(t, filepath.Join(file, "cache"), func() {})
	for range 2 { // the second one doesn't wait for the first
		if _, err := f.Lock(t.Context()); err == nil {
			t.Error("it was locked")
		}
	}
	f.Activity.Report(Progress{Files: 3, Of: 40}) // nobody can read it
	if p, ok := f.Activity.Current(); ok {
		t.Errorf("%+v", p)
	}
}
