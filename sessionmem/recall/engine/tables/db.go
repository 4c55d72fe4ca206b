package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
)

// formatVersion is the version of the tables' contents. An index of another version counts
// as none; one of another analysis.Version answers until it is rebuilt.
const formatVersion = 8

// busyTimeout is how long a process waits for another that writes, in milliseconds.
const busyTimeout = 5000

// ErrOther means that the file is no index of this version and data folder.
var ErrOther = errors.New("the search index is of another version")

// ErrBusy means that another process held the search index for too long.
var ErrBusy = errors.New("another process holds the search index")

// schema creates the tables. A segment's rows of dict and detail have the IDs
// segment<<RowBits + n. A page of vectors has the ID of its model, shifted, plus its number;
// its version is the value of metaVectors when it was written, so that a process reads only
// pages that are new to it.
const schema = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE source(id INTEGER PRIMARY KEY, key TEXT NOT NULL, session TEXT NOT NULL, origin TEXT NOT NULL, changed INTEGER NOT NULL, state BLOB NOT NULL);
CREATE INDEX source_changed ON source(changed);
CREATE TABLE segment(id INTEGER PRIMARY KEY AUTOINCREMENT, docs INTEGER NOT NULL, version INTEGER NOT NULL, heads BLOB NOT NULL, firsts BLOB NOT NULL, tombs BLOB NOT NULL);
CREATE TABLE dict(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE detail(id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE delta(id INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB NOT NULL);

CREATE TABLE model(id INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, dims INTEGER NOT NULL, UNIQUE(name, digest, dims));
CREATE TABLE vector(id INTEGER PRIMARY KEY, version INTEGER NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX vector_version ON vector(version);
`

// RowBits limits the rows of a kind that a segment can have, to 1<<RowBits.
const RowBits = 20

// DB is an open index file.
type DB struct {
	path string
	file os.FileInfo // when opened: another file at the path is another index
	// Older is set if the terms come from another version of the analysis. The index can be
	// read and finds most of what it should; it is replaced and never written to.
	Older bool
	*sql.DB
}

// Open opens an index file. With create it makes a missing one.
func Open(ctx context.Context, path, root string, create bool, pages int) (*DB, error) {
	if create {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("making the folder of the search index: %w", err)
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("opening the search index: %w", err)
		}
		_ = f.Close() // nothing was written
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("opening the search index: %w", err)
	}
	db, err := sql.Open("sqlite", dataSource(path, pages))
	if err != nil {
		return nil, fmt.Errorf("opening the search index: %w", err)
	}
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns)
	d := &DB{path: path, file: fi, DB: db}
	if err := d.prepare(ctx, root, create); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return d, nil
}

// maxConns limits the connections to the file, each with a small page cache.
const maxConns = 3

// dataSource returns the data source name with the settings of each connection.
func dataSource(path string, pages int) string {
	set := url.Values{"_pragma": {
		"busy_timeout(" + strconv.Itoa(busyTimeout) + ")",
		"journal_mode(WAL)",
		"synchronous(NORMAL)",
		"secure_delete(ON)",
		"cache_size(-2048)",
		"temp_store(MEMORY)",
		"wal_autocheckpoint(1000)",
		"journal_size_limit(4194304)",
	}, "_txlock": {"immediate"}}
	if pages > 0 {
		set.Add("_pragma", "max_page_count("+strconv.Itoa(pages)+")")
	}
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?" + set.Encode()
}

// prepare checks that the file is an index of this version, or creates the tables of an
// empty one.
func (d *DB) prepare(ctx context.Context, root string, create bool) error {
	var tables int
	if err := d.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return Explain(err)
	}
	if tables == 0 {
		if !create { // its creator was killed before the tables existed
			return fmt.Errorf("opening the search index: %w", fs.ErrNotExist)
		}
		return d.begin(ctx, root)
	}
	var format, words int
	var of string
	err := d.QueryRowContext(ctx, "SELECT (SELECT value FROM meta WHERE key=?), (SELECT value FROM meta WHERE key=?), (SELECT value FROM meta WHERE key=?)",
		metaFormat, metaAnalysis, metaRoot).Scan(&format, &words, &of)
	switch {
	case IsDamaged(err):
		return Explain(err)
	case err != nil, format != formatVersion, root != "" && of != root:
		return ErrOther
	}
	d.Older = words != analysis.Version
	return nil
}

// begin creates the tables.
func (d *DB) begin(ctx context.Context, root string) error {
	return d.InTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, schema); err != nil {
			return Explain(err)
		}
		for key, value := range map[string]any{
			metaFormat: formatVersion, metaAnalysis: analysis.Version, metaRoot: root, metaChange: 1, metaRemoval: 0, metaNumber: 1, metaSource: 1, metaRows: 0, metaSynced: 0, metaVectors: 0,
		} {
			if _, err := tx.ExecContext(ctx, "INSERT INTO meta(key, value) VALUES(?, ?)", key, value); err != nil {
				return Explain(err)
			}
		}
		return nil
	})
}

// InTx calls do in a transaction.
func (d *DB) InTx(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := d.BeginTx(ctx, nil)
	if err != nil {
		return Explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // does nothing after a commit
	if err := do(tx); err != nil {
		return err
	}
	return Explain(tx.Commit())
}

// Moved reports whether the index file was replaced or removed since it was opened.
func (d *DB) Moved() bool {
	fi, err := os.Stat(d.path)
	return err != nil || !os.SameFile(fi, d.file)
}

// TruncateLog writes the contents of the write-ahead log to the file and empties the log.
func (d *DB) TruncateLog(ctx context.Context) error {
	var busy, frames, done int
	if err := d.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &done); err != nil {
		return Explain(err)
	}
	if busy != 0 {
		return fmt.Errorf("%w: its log could not be emptied", ErrBusy)
	}
	return nil
}

// IsDamaged reports whether an error means that the file is damaged.
func IsDamaged(err error) bool {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_ERROR:
			return true
		}
	}
	return errors.Is(err, format.ErrDamaged)
}

// Explain adds to an error of the index file what to do about it. It returns errors of
// contexts and of the index itself unchanged.
func Explain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
		return fmt.Errorf("%w: %w", format.ErrDamaged, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("the disk is full, the search index stays as it was; free some space: %w", err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w; try again in a moment: %w", ErrBusy, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("the search index can't be written; check the permissions of the cache folder: %w", err)
	}
	return fmt.Errorf("using the search index: %w", err)
}

// Remove deletes an index file and the files that belong to it.
func Remove(path string) error {
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing an old search index: %w", err)
		}
	}
	return nil
}
