package engine

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync"

	"mac-stats/sessionmem/recall/engine/tables"
	"mac-stats/sessionmem/recall/engine/vectors"
)

// Engine is an open index file with its view in memory. It is safe for concurrent use; a
// writer holds a lock that all processes respect.
type Engine struct {
	db     *tables.DB
	limits Limits
	logger *slog.Logger

	mu   sync.RWMutex // guards view and its contents: read-locked while ranking, locked to change it
	view *view

	vectors   vectors.Cache
	scratches chan *scratch // free ones
}

// scratchesKept is how many scratch buffers are kept for the next questions.
const scratchesKept = 2

// Open opens the index file of the data folder root ("": any). If the file doesn't exist,
// Open creates it if create is set, else it returns fs.ErrNotExist.
func Open(ctx context.Context, path, root string, create bool, l Limits, logger *slog.Logger) (*Engine, error) {
	db, err := tables.Open(ctx, path, root, create, l.Pages)
	if err != nil {
		return nil, err
	}
	return &Engine{db: db, limits: l, logger: logger, vectors: vectors.Cache{Budget: l.Vectors}, scratches: make(chan *scratch, scratchesKept)}, nil
}

// Moved reports whether the index file was replaced or removed since it was opened.
func (e *Engine) Moved() bool { return e.db.Moved() }

// Older reports whether the terms of the index come from another version of the analysis.
// Such an index answers as well as it can; it is replaced and never written to.
func (e *Engine) Older() bool { return e.db.Older }

// EmptyLog writes the contents of the write-ahead log to the file and empties the log, so
// that deleted data doesn't stay in it.
func (e *Engine) EmptyLog(ctx context.Context) error { return e.db.TruncateLog(ctx) }

// Close closes the file.
func (e *Engine) Close() error { return tables.Explain(e.db.Close()) }

// Read calls use with the index at one moment. use must not keep its argument.
func (e *Engine) Read(ctx context.Context, use func(s *Snapshot) error) error {
	for try := 0; ; try++ {
		err := e.snapshot(ctx, func(q tables.Queryer, v *view) error {
			return use(&Snapshot{e: e, q: q, v: v, fetch: newFetcher(q, v)})
		})
		if !errors.Is(err, errChanged) || try >= snapshotTries {
			return err
		}
	}
}

// snapshotTries is how often a read is repeated if a writer interferes.
const snapshotTries = 5

// snapshot calls use with a view and a transaction of the same moment. use must neither
// change nor keep the view.
func (e *Engine) snapshot(ctx context.Context, use func(q tables.Queryer, v *view) error) error {
	tx, err := e.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return tables.Explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // read only
	change, removal, err := tables.Counters(ctx, tx)
	if err != nil {
		return err
	}
	e.mu.RLock()
	if e.view != nil && e.view.change == change {
		defer e.mu.RUnlock()
		return use(tx, e.view)
	}
	e.mu.RUnlock()
	return e.catchUp(ctx, tx, change, removal, use)
}

// catchUp brings the view to the moment of a transaction. It leaves a newer view unchanged
// and loads one of its own.
func (e *Engine) catchUp(ctx context.Context, tx *sql.Tx, change, removal int64, use func(q tables.Queryer, v *view) error) error {
	e.mu.Lock()
	switch {
	case e.view != nil && e.view.change == change:
	case e.view != nil && e.view.change > change:
		e.mu.Unlock()
		own, err := loadView(ctx, tx)
		if err != nil {
			return err
		}
		return use(tx, own)
	case e.view != nil && e.view.removal == removal:
		if err := e.view.catchUp(ctx, tx, change); err != nil {
			e.view = nil // half updated
			e.mu.Unlock()
			return err
		}
	default:
		v, err := loadView(ctx, tx)
		if err != nil {
			e.mu.Unlock()
			return err
		}
		e.view = v
	}
	e.mu.Unlock()
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.view == nil || e.view.change != change {
		return errChanged
	}
	return use(tx, e.view)
}

// errChanged means that another writer interfered; a retry works.
var errChanged = errors.New("the search index changed meanwhile; try again")

// catchUp adds what was written since.
func (v *view) catchUp(ctx context.Context, q tables.Queryer, change int64) error {
	if err := v.loadSources(ctx, q); err != nil {
		return err
	}
	if err := v.follow(ctx, q); err != nil {
		return err
	}
	v.change = change
	return nil
}

// current returns the current view; it doesn't change while the writers' lock is held.
func (e *Engine) current() *view {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.view
}

// forget drops the view, which is reloaded when needed.
func (e *Engine) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.view = nil
}
