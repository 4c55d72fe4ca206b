package recall

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// engine is an index file with what is known of it.
type engine struct {
	db *database

	mu   sync.RWMutex // guards view and what is in it: held while ranking, taken alone to change it
	view *view

	vectors vectorCache
}

func newEngine(db *database, l limits) *engine {
	return &engine{db: db, vectors: vectorCache{budget: l.vectors}}
}

// snapshot calls use with a view and a transaction that show the same moment. The view
// must not be changed, nor kept.
func (e *engine) snapshot(ctx context.Context, use func(q queryer, v *view) error) error {
	tx, err := e.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	change, removal, err := counters(ctx, tx)
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
func (e *engine) catchUp(ctx context.Context, tx *sql.Tx, change, removal int64, use func(q queryer, v *view) error) error {
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
func (v *view) catchUp(ctx context.Context, q queryer, change int64) error {
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
func (e *engine) current() *view {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.view
}

// forget lets the view go: it is loaded again when it is needed.
func (e *engine) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.view = nil
}

func (e *engine) close() error { return explain(e.db.Close()) }
