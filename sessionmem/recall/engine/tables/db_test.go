package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/recall/engine/format"
)

func open(t *testing.T, path, root string, create bool) (*DB, error) {
	t.Helper()
	d, err := Open(t.Context(), path, root, create, 0)
	if err == nil {
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return d, err
}

func TestAFileOfAnotherIndexIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recall.db")
	if _, err := open(t, path, "root", false); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%v of a file that isn't there", err)
	}
	d, err := open(t, path, "root", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, root, change string
		want               error
		older              bool
	}{
		{"the same", "root", "", nil, false},
		{"for whoever asks for any", "", "", nil, false},
		{"of another folder", "elsewhere", "", ErrOther, false},
		{"of other terms", "root", "UPDATE meta SET value=value-1 WHERE key='analysis'", nil, true},
		{"of another format", "root", "UPDATE meta SET value=value+1 WHERE key='format'", ErrOther, false},
	} {
		if _, err := d.ExecContext(t.Context(), c.change); err != nil {
			t.Fatal(err)
		}
		got, err := open(t, path, c.root, false)
		if !errors.Is(err, c.want) || err == nil && got.Older != c.older {
			t.Errorf("%s: %v, %+v; want %v, older %v", c.what, err, got, c.want, c.older)
		}
	}
	if _, err := d.ExecContext(t.Context(), "DROP TABLE meta"); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, path, "root", false); !IsDamaged(err) {
		t.Errorf("%v where a table is missing, want damage", err)
	}
}

func TestAChangeIsCountedCompletelyOrNotAtAll(t *testing.T) {
	d, err := open(t, filepath.Join(t.TempDir(), "recall.db"), "root", true)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_800_000_000, 0)
	stopped := errors.New("stopped")
	for _, c := range []struct {
		counts          Counts
		end             error
		change, removal int64
		source          int64
		passage         uint32
		synced          time.Time
	}{
		{Counts{Change: 2, NextSource: 5, NextPassage: 9}, nil, 2, 0, 5, 9, time.Time{}},
		{Counts{Change: 3, NextSource: 6, NextPassage: 10, Removed: true}, stopped, 2, 0, 5, 9, time.Time{}},
		{Counts{Change: 3, NextSource: 6, NextPassage: 10, Removed: true, Synced: at}, nil, 3, 3, 6, 10, at},
		{Counts{Change: 4, NextSource: 6, NextPassage: 10}, nil, 4, 3, 6, 10, at},
	} {
		err := d.InTx(t.Context(), func(tx *sql.Tx) error {
			return errors.Join(Count(t.Context(), tx, c.counts), c.end)
		})
		if !errors.Is(err, c.end) {
			t.Fatal(err)
		}
		change, removal, err := Counters(t.Context(), d)
		source, passage, err2 := NextNumbers(t.Context(), d)
		synced, err3 := Synced(t.Context(), d)
		if err := errors.Join(err, err2, err3); err != nil || change != c.change || removal != c.removal || source != c.source || passage != c.passage || !synced.Equal(c.synced) {
			t.Errorf("after %+v: change %d, removal %d, next %d and %d, synced %v (%v); want %+v", c.counts, change, removal, source, passage, synced, err, c)
		}
	}
	if _, err := d.ExecContext(t.Context(), "DELETE FROM meta WHERE key='removal'"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Counters(t.Context(), d); !errors.Is(err, format.ErrDamaged) {
		t.Errorf("%v where a counter is missing, want damage", err)
	}
}

func TestRowsAreReadByID(t *testing.T) {
	d, err := open(t, filepath.Join(t.TempDir(), "recall.db"), "root", true)
	if err != nil {
		t.Fatal(err)
	}
	const all = 3*RowsAtOnce + 5
	err = d.InTx(t.Context(), func(tx *sql.Tx) error {
		for id := range all {
			if _, err := tx.ExecContext(t.Context(), "INSERT INTO dict(id, data) VALUES(?,?)", id, fmt.Append(nil, "row ", id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, ids := range map[string][]int64{"none": nil, "one twice": {5, 5}, "more than a statement reads": int64s(all)} {
		got, err := ReadRows(t.Context(), d, "dict", slices.Clone(ids))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if want := fmt.Sprint("row ", id); string(got[id]) != want {
				t.Errorf("%s: %q, want %q", what, got[id], want)
			}
		}
		if distinct := len(slices.Compact(slices.Clone(ids))); len(got) != distinct {
			t.Errorf("%s: %d rows, want %d", what, len(got), distinct)
		}
	}
	if _, err := ReadRows(t.Context(), d, "dict", []int64{3, all}); !errors.Is(err, format.ErrDamaged) {
		t.Errorf("%v where a row is missing, want damage", err)
	}
	if _, err := ReadRows(t.Context(), d, "nothing", []int64{3}); err == nil {
		t.Error("rows of a table that doesn't exist")
	}
}

func int64s(n int) (out []int64) {
	for i := range n {
		out = append(out, int64(i))
	}
	return out
}

func TestTheMarksOfRowsAddUp(t *testing.T) {
	d, err := open(t, filepath.Join(t.TempDir(), "recall.db"), "root", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ marks, want int64 }{{SegmentMark(3), SegmentMark(3)}, {DeltaMark(1), SegmentMark(3) + DeltaMark(1)}, {-SegmentMark(3), DeltaMark(1)}, {-DeltaMark(1), 0}} {
		if err := d.InTx(t.Context(), func(tx *sql.Tx) error { return CountRows(t.Context(), tx, c.marks) }); err != nil {
			t.Fatal(err)
		}
		if got, err := RowMarks(t.Context(), d); err != nil || got != c.want {
			t.Errorf("after %d: %d, %v, want %d", c.marks, got, err, c.want)
		}
	}
	if err := d.InTx(t.Context(), func(tx *sql.Tx) error { return CountRewrite(t.Context(), tx, 9) }); err != nil {
		t.Fatal(err)
	}
	if change, removal, err := Counters(t.Context(), d); err != nil || change != 9 || removal != 9 {
		t.Errorf("a rewrite is change %d, removal %d (%v); want that all read the index again", change, removal, err)
	}
	for want := range int64(2) {
		if got, err := VectorVersion(t.Context(), d); err != nil || got != want {
			t.Errorf("version %d of the vectors, %v, want %d", got, err, want)
		}
		if err := d.InTx(t.Context(), func(tx *sql.Tx) error { _, err := CountVectorChange(t.Context(), tx); return err }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestErrorsTellTheNextStep(t *testing.T) {
	fill := func(d *DB) error {
		return d.InTx(t.Context(), func(tx *sql.Tx) error {
			for range 50 {
				if _, err := tx.ExecContext(t.Context(), "INSERT INTO dict(data) VALUES(?)", make([]byte, 20_000)); err != nil {
					return Explain(err)
				}
			}
			return nil
		})
	}
	for _, c := range []struct {
		what, want string
		is         error
		do         func(path string) error
	}{
		{"a full disk", "free some space", nil, func(path string) error {
			d, err := Open(t.Context(), path, "root", true, 100)
			if err != nil {
				t.Fatal(err)
			}
			return errors.Join(fill(d), d.Close())
		}},
		{"another process that writes", "try again in a moment", ErrBusy, func(path string) error {
			d, err := open(t, path, "root", true)
			if err != nil {
				t.Fatal(err)
			}
			other, err := sql.Open("sqlite", "file:"+path)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			other.SetMaxOpenConns(1)
			if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE; UPDATE meta SET value=value WHERE key='number'"); err != nil {
				t.Fatal(err)
			}
			if _, err := d.ExecContext(t.Context(), "PRAGMA busy_timeout(1)"); err != nil {
				t.Fatal(err)
			}
			_, err = d.ExecContext(t.Context(), "DELETE FROM dict")
			return Explain(err)
		}},
		{"no database", "damaged", format.ErrDamaged, func(path string) error {
			if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), path, "root", true, 0)
			return err
		}},
		{"a folder", "check the permissions", nil, func(path string) error {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), path, "root", false, 0)
			return err
		}},
		{"a folder that is a file", "making the folder", nil, func(path string) error {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), filepath.Join(path, "recall.db"), "root", true, 0)
			return err
		}},
		{"a wrong statement", "using the search index", nil, func(path string) error {
			d, err := open(t, path, "root", true)
			if err != nil {
				t.Fatal(err)
			}
			_, err = d.ExecContext(t.Context(), "SELECT nothing")
			return Explain(err)
		}},
		{"an end", "", context.Canceled, func(string) error { return Explain(context.Canceled) }},
	} {
		if err := c.do(filepath.Join(t.TempDir(), "recall.db")); err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}

func TestAFileIsRemovedWithItsLog(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "recall.db")
	d, err := open(t, path, "root", true)
	if err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path + "-wal"); err != nil || fi.Size() == 0 || d.Moved() {
		t.Fatalf("the log is empty before (%v), moved %v: this proves nothing", err, d.Moved())
	}
	if err := d.TruncateLog(t.Context()); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path + "-wal"); err != nil || fi.Size() != 0 {
		t.Errorf("the log holds %d bytes, %v", fi.Size(), err)
	}
	reader, err := d.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Rollback()
	if _, _, err := Counters(t.Context(), reader); err != nil {
		t.Fatal(err)
	}
	if err := d.InTx(t.Context(), func(tx *sql.Tx) error { return CountRows(t.Context(), tx, 1) }); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing
		if err := Remove(path); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 || !d.Moved() {
		t.Errorf("%v are left, %v; moved %v", left, err, d.Moved())
	}
}
