package tables

import (
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
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
