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

// Engine is an index file with what is known of it. It is safe for use by several
// goroutines; whoever writes holds a lock that all processes know.
type Engine struct {
	db     *tables.DB
	limits Limits
	logger *slog.Logger

	mu   sync.RWMutex // guards view and what is in it: held while ranking, taken alone to change it
	view *view

	vectors   vectors.Cache
	scratches chan *scratch // not in use
}

// scratchesKept is how many are kept for the next questions.
const scratchesKept = 2

// Open opens an index file of the data folder root ("": of any); fs.ErrNotExist where there
// is none, unless it is to be made.
func Open(ctx context.Context, path, root string, create bool, l Limits, logger *slog.Logger) (*Engine, error) {
	db, err := tables.Open(ctx, path, root, create, l.Pages)
	if err != nil {
		return nil, err
	}
	return newEngine(db, l, logger), nil
}

func newEngine(db *tables.DB, l Limits, logger *slog.Logger) *Engine {
	return &Engine{db: db, limits: l, logger: logger, vectors: vectors.Cache{Budget: l.Vectors}, scratches: make(chan *scratch, scratchesKept)}
}

// Moved says whether the index's name means another file by now, or none.
func (e *Engine) Moved() bool { return e.db.Moved() }

// Older says whether the terms of the index are of another version of the analysis: it
// answers as well as it can, and is replaced, not written.
func (e *Engine) Older() bool { return e.db.Older }

// EmptyLog writes what the write-ahead log holds into the file and empties the log: what
// was deleted does not wait there.
func (e *Engine) EmptyLog(ctx context.Context) error { return e.db.TruncateLog(ctx) }

// Close closes the file.
func (e *Engine) Close() error { return tables.Explain(e.db.Close()) }

// Read calls use with the index as it is at one moment. What it is given must not be kept.
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

// snapshotTries is how often a reading begins again that a writer came between.
const snapshotTries = 5

// snapshot calls use with a view and a transaction that show the same moment. The view
// must not be changed, nor kept.
func (e *Engine) snapshot(ctx context.Context, use func(q tables.Queryer, v *view) error) error {
	tx, err := e.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return tables.Explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
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

// catchUp brings the view to the moment that a transaction shows. A view that is newer
// is left to the others.
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
			e.view = nil // half way
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

// errChanged: somebody wrote between two steps; it works when it is tried again.
var errChanged = errors.New("the search index changed meanwhile; try again")

// catchUp takes in what was added since.
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

// current is the view as it is; it stays as it is as long as the writers' lock is held.
func (e *Engine) current() *view {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.view
}

// forget lets the view go: it is loaded again when it is needed.
func (e *Engine) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.view = nil
}
