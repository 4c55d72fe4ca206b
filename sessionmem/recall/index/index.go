package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mac-stats/sessionmem/recall/analysis"
)

// The errors that callers decide on.
var (
	// ErrDamaged means that the file can't be used and has to be built again.
	ErrDamaged = errors.New("the search index is damaged")
	// ErrOther means that the file is no index of this format and data folder.
	ErrOther = errors.New("the search index is of another version")
	// ErrBusy means that another process kept writing for too long.
	ErrBusy = errors.New("another process holds the search index")
	// ErrPending means that something was erased from the index, but a reader of an older moment
	// keeps traces of it in the file's log. The next Update, Erase or Open removes them. It is
	// an ErrBusy.
	ErrPending = fmt.Errorf("%w: what was erased is still in its log, because it is being read", ErrBusy)
	// ErrNone means that there is no passage at a place.
	ErrNone = errors.New("no passage is there")
)

// Kind is what a passage is part of.
type Kind uint8

// The kinds, with their numbers in the file. Other is everything else.
const (
	Other Kind = iota
	User
	Assistant
	Agent
	Tool
	Summary
	Memory
)

// Strand is one of the two ordered strands that the passages of a source form. Neighbours belong
// to the same strand.
type Strand uint8

// The strands: the conversation, and the work for it with text that repeats it.
const (
	Talk Strand = iota
	Work
	Strands // how many there are
)

// Passage is a unit of search: a message, a part of a long one, or a piece of a memory file.
type Passage struct {
	Strand    Strand
	Kind      Kind
	Untrusted bool      // written by others than the user
	Continues bool      // not the first part of its message
	Time      time.Time // kept in seconds; zero: none

	// Where the text is: in which of the source's files, and what identifies it there.
	Block        string
	Part, Turn   int
	Agent        string
	File         int
	Offset, Size int64
	Bare         bool

	// Text is read by Update only, which keeps its terms and its hash. A passage without text
	// takes its place in the strand and is never found.
	Text string
	Hash uint64 // of the text, see Hash; 0: there is none

	Words int // length of the text; set by Update
	Marks analysis.Marks
}

// Name identifies a source.
type Name struct {
	Key     string // path below the data folder: of a memory file, or of a session's first file
	Session string // "" for memory files
	From    string // the session's source
}

// Source is a session or a memory file.
type Source struct {
	Name
	Stamp string   // state of its files; "": unknown, so that it is indexed again
	Files []string // of a session relative to the session folder
	Bytes int64    // size of its texts
}

// Entry is a source with its passages, as its files are now. The order of the passages of a
// strand is their order in the list.
type Entry struct {
	Source
	Passages []Passage
}

// Place is the place of a passage in the index.
type Place struct {
	Source string // its key
	Strand Strand
	Number int // in the strand, from 0
}

const (
	// formatVersion is the version of the tables' contents. A file of another version counts as
	// none; one of another analysis.Version answers until it is replaced.
	formatVersion = 10
	// bucketSources is how many sources share the posting rows of a term. Larger buckets make a
	// smaller file and fewer rows to read, and a larger row to write for each word of a message.
	bucketSources = 256
	bucketStrands = bucketSources * int(Strands)
	// busyTimeout is how long a process waits for another that writes.
	busyTimeout = 5 * time.Second
)

// schema creates the tables. Posting rows stand bucket by bucket, because sources are added and
// removed in one bucket; a question looks into each. change in source is the value of the
// counter when the row was written; about holds the other fields of Source. The IDs of vectors
// and of rows of the vocabulary only grow, so that a process reads only those that are new to it.
const schema = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE posting(bucket INTEGER NOT NULL, term BLOB NOT NULL, list BLOB NOT NULL, PRIMARY KEY(bucket, term)) WITHOUT ROWID;
CREATE TABLE source(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, change INTEGER NOT NULL,
	about BLOB NOT NULL, heads BLOB NOT NULL, details BLOB NOT NULL);
CREATE INDEX source_change ON source(change);
CREATE TABLE vocabulary(id INTEGER PRIMARY KEY AUTOINCREMENT, bucket INTEGER NOT NULL, words BLOB NOT NULL);
CREATE INDEX vocabulary_bucket ON vocabulary(bucket);
CREATE TABLE model(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, digest TEXT NOT NULL, dims INTEGER NOT NULL, UNIQUE(name, digest, dims));
CREATE TABLE vector(id INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL, hash INTEGER NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX vector_hash ON vector(model, hash);
`

// The keys of meta.
const (
	metaFormat   = "format"
	metaAnalysis = "analysis"
	metaRoot     = "root"
	metaChange   = "change"  // counts transactions that wrote
	metaRemoved  = "removed" // value of metaChange when a source was last removed
	metaLost     = "lost"    // value of metaChange when a word was last removed from the vocabulary
	metaSources  = "sources" // how many there are
	metaErasing  = "erasing" // 1 from an erasure until the log was emptied
	metaDropped  = "dropped" // counts transactions that deleted vectors
	metaSynced   = "synced"  // when the index was last up to date, in seconds since 1970
)

// Options are what an index shares and may take. The zero value is usual.
type Options struct {
	Words *analysis.Pool // nil: one of its own
	Pages int            // most pages of the file; 0: as the disk has room for
}

// Index is an open index file. It is safe for concurrent use by goroutines and, through the
// file, by several processes.
type Index struct {
	path  string
	file  os.FileInfo // when it was opened: another file at the path is another index
	opt   Options
	older bool
	write *sql.DB // one connection, transactions begin IMMEDIATE
	read  *sql.DB // one connection

	mu         sync.Mutex // one reader at a time in this process: guards the fields below
	heads      *heads     // nil: to be read
	sums       sums
	vocabulary *vocabulary // nil: to be read
	vectors    *vectorSet  // nil: to be read
	idle       *time.Timer // drops vectors; nil: they were never used
}

// Open opens the index file of the data folder root. If the file doesn't exist, Open creates it
// if create is set, else it returns fs.ErrNotExist. It finishes an erasure that is pending.
func Open(ctx context.Context, path, root string, create bool, o Options) (*Index, error) {
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
	if o.Words == nil {
		o.Words = &analysis.Pool{}
	}
	x := &Index{path: path, file: fi, opt: o}
	if x.write, err = openFile(path, "immediate", o.Pages); err != nil {
		return nil, err
	}
	if x.read, err = openFile(path, "deferred", 0); err != nil {
		return nil, errors.Join(err, x.write.Close())
	}
	err = x.prepare(ctx, root, create)
	if err == nil { // both connections are to this file and its log, whatever stands at the path later
		rows := 0
		err = explain(x.read.QueryRowContext(ctx, "SELECT count(*) FROM meta").Scan(&rows))
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// openFile opens the file with one connection.
func openFile(path, lock string, pages int) (*sql.DB, error) {
	set := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
		"journal_mode(WAL)",
		"synchronous(NORMAL)",
		"secure_delete(ON)",
		"cache_size(-2048)",
		"temp_store(MEMORY)",
		"journal_size_limit(4194304)",
	}, "_txlock": {lock}}
	if pages > 0 {
		set.Add("_pragma", fmt.Sprintf("max_page_count(%d)", pages))
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()+"?"+set.Encode())
	if err != nil {
		return nil, fmt.Errorf("opening the search index: %w", err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// prepare checks the file, or creates the tables of an empty one.
func (x *Index) prepare(ctx context.Context, root string, create bool) error {
	var tables int
	if err := x.write.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return explain(err)
	}
	if tables == 0 {
		if !create { // its creator was stopped before the tables existed
			return fmt.Errorf("opening the search index: %w", fs.ErrNotExist)
		}
		return x.inTx(ctx, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, schema); err != nil {
				return err
			}
			for key, value := range map[string]any{
				metaFormat: formatVersion, metaAnalysis: analysis.Version, metaRoot: root, metaChange: 1, metaRemoved: 0, metaLost: 0, metaSources: 0, metaErasing: 0, metaDropped: 0, metaSynced: 0,
			} {
				if err := setMeta(ctx, tx, key, value); err != nil {
					return err
				}
			}
			return nil
		})
	}
	var format, version int
	var of string
	err := x.write.QueryRowContext(ctx, "SELECT (SELECT value FROM meta WHERE key=?), (SELECT value FROM meta WHERE key=?), (SELECT value FROM meta WHERE key=?)",
		metaFormat, metaAnalysis, metaRoot).Scan(&format, &version, &of)
	if damaged := explain(err); errors.Is(damaged, ErrDamaged) {
		return damaged
	}
	if err != nil || format != formatVersion || of != root {
		return ErrOther
	}
	x.older = version != analysis.Version
	if err := x.finishErasing(ctx); !errors.Is(err, ErrPending) {
		return err
	}
	return nil // it is finished later
}

// Older reports whether the terms come from another version of the analysis. Such an index
// answers as well as it can; it is replaced and never written to, except by Erase.
func (x *Index) Older() bool { return x.older }

// Moved reports whether the index file was replaced or removed since it was opened.
func (x *Index) Moved() bool {
	fi, err := os.Stat(x.path)
	return err != nil || !os.SameFile(fi, x.file)
}

// Close closes the file. The caller ends all work first.
func (x *Index) Close() error {
	x.Unload()
	return explain(errors.Join(x.read.Close(), x.write.Close()))
}

// Unload releases the memory that searching takes; the next search takes it again.
func (x *Index) Unload() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.heads, x.sums, x.vocabulary, x.vectors = nil, sums{}, nil, nil
	if x.idle != nil {
		x.idle.Stop()
	}
	x.opt.Words.Drop()
}

// inTx calls do in a transaction for writing.
func (x *Index) inTx(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // does nothing after a commit
	if err := do(tx); err != nil {
		return explain(err)
	}
	return explain(tx.Commit())
}

func setMeta(ctx context.Context, tx *sql.Tx, key string, value any) error {
	_, err := tx.ExecContext(ctx, "REPLACE INTO meta(key, value) VALUES(?, ?)", key, value)
	return err
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

// explain adds to an error of the file what to do about it.
func explain(err error) error {
	if errors.Is(err, sql.ErrNoRows) { // what may be missing is asked for otherwise
		return fmt.Errorf("%w: a row is missing", ErrDamaged)
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_ERROR:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("the disk is full, the search index stays as it was; free some space: %w", err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w; try again in a moment: %w", ErrBusy, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("the search index can't be written; check the permissions of the cache folder: %w", err)
	}
	return fmt.Errorf("using the search index: %w", err)
}
