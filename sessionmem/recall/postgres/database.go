package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"mac-stats/sessionmem/recall"
)

// migrations holds the steps from an empty schema to this version's.
//
//go:embed migrations/*.sql
var migrations embed.FS

// schemaVersion is the version of the schema that they produce.
const schemaVersion = 2

// vectorTables creates the additional tables on a server with pgvector.
//
//go:embed vectors.sql
var vectorTables string

// database is the database with its schema. It connects on first use.
type database struct {
	cfg  Config
	pool *pgxpool.Pool

	making sync.Mutex // held while the schema is created
	mu     sync.Mutex // guards the fields below
	ready  bool
	tables tables                      // valid if ready
	models map[recall.EmbedModel]int32 // their IDs on the server; each has an index
}

// invalidate makes the next call register the machine again.
func (d *database) invalidate() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ready = false
}

// tables describes what exists on the server.
type tables struct {
	version int64  // of the schema; 0: none exists
	machine int32  // this machine's ID; 0: not registered
	vectors string // the version of pgvector in use; "": none
	offers  string // the version of pgvector on the server, used or not
}

// isWhole reports whether nothing is missing.
func (t *tables) isWhole() bool {
	return t.version == schemaVersion && t.machine != 0 && t.vectors != ""
}

// setReady records what exists.
func (d *database) setReady(t tables) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ready, d.tables = true, t
}

// current returns what setReady recorded.
func (d *database) current() tables {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tables
}

// inspect queries what exists, in one round trip.
func (d *database) inspect(ctx context.Context) (t tables, err error) {
	used := false
	err = d.pool.QueryRow(ctx, `SELECT (SELECT coalesce(max(version_id), 0) FROM mac_stats_schema), coalesce((SELECT id FROM machine WHERE uid = $1 AND name = $2), 0),
		coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector' AND to_regtype('halfvec') IS NOT NULL), ''), to_regclass('embedding') IS NOT NULL`,
		pgx.QueryExecModeExec, d.cfg.Machine, d.cfg.Name).Scan(&t.version, &t.machine, &t.offers, &used)
	if used {
		t.vectors = t.offers
	}
	if pgErr := new(pgconn.PgError); errors.As(err, &pgErr) {
		switch open := openPassfile(d.cfg.Address); {
		case pgErr.Code == undefinedTable:
			return tables{}, nil
		case pgErr.Code == wrongPassword && open != "":
			return t, fmt.Errorf("%w: it refused the password, and %s isn't used because others can read it; run `chmod 600 %s`", recall.ErrServer, open, open)
		}
	}
	if err == nil && t.version > schemaVersion {
		err = fmt.Errorf("%w: %w", recall.ErrServer, ErrNewer)
	}
	return t, err
}

// Error codes of PostgreSQL.
const (
	undefinedTable = "42P01"
	wrongPassword  = "28P01"
)

// forSearch returns what exists without creating anything, because a search can't wait for
// that.
func (d *database) forSearch(ctx context.Context) (tables, error) {
	d.mu.Lock()
	ready, t := d.ready, d.tables
	d.mu.Unlock()
	if ready {
		return t, nil
	}
	t, err := d.inspect(ctx)
	if err == nil && t.isWhole() {
		d.setReady(t)
	}
	if err == nil && t.version < schemaVersion {
		err = fmt.Errorf("%w: it has no tables of this version yet; `mac-stats memory backend push` makes them, and so does the app", recall.ErrServer)
	}
	return t, explain(err)
}

// prepare brings the schema to this version and registers the machine. After the first success
// it costs nothing.
func (d *database) prepare(ctx context.Context) error {
	d.making.Lock()
	defer d.making.Unlock()
	d.mu.Lock()
	ready := d.ready
	d.mu.Unlock()
	if ready {
		return nil
	}
	t, err := d.inspect(ctx)
	if err == nil && !t.isWhole() {
		t, err = d.make(ctx)
	}
	if err != nil {
		return explain(err)
	}
	d.setReady(t)
	return nil
}

// prepareAgain is like prepare but checks the server again: it may have been restored from a
// backup, this machine may have been dropped, or mac-stats updated elsewhere.
func (d *database) prepareAgain(ctx context.Context) error {
	t, err := d.inspect(ctx)
	if err != nil {
		return explain(err)
	}
	d.mu.Lock()
	d.ready = d.ready && t.version == schemaVersion && t.machine == d.tables.machine && t.offers == d.tables.vectors
	if !d.ready {
		clear(d.models)
	}
	d.mu.Unlock()
	return d.prepare(ctx)
}

// make creates what is missing.
func (d *database) make(ctx context.Context) (t tables, err error) {
	if err := d.migrate(ctx); err != nil {
		return t, err
	}
	if t.vectors, err = d.findVectors(ctx); err != nil {
		return t, err
	}
	err = d.pool.QueryRow(ctx, `INSERT INTO machine(uid, name) VALUES($1, $2)
		ON CONFLICT (uid) DO UPDATE SET name = excluded.name RETURNING id`, d.cfg.Machine, d.cfg.Name).Scan(&t.machine)
	return t, err
}

// ErrNewer means that a newer mac-stats created the schema.
var ErrNewer = errors.New("a newer mac-stats keeps its memory there; update mac-stats on this machine")

func (d *database) migrate(ctx context.Context) (err error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(d.pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 30)) // another machine may be migrating
	if err != nil {
		return err
	}
	steps, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker), goose.WithTableName("mac_stats_schema"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = steps.Up(ctx)
	return err
}

// findVectors enables pgvector if the server has it or lets this role create it, and returns
// its version.
func (d *database) findVectors(ctx context.Context) (version string, err error) {
	installed := func() error {
		return d.pool.QueryRow(ctx, "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector' AND to_regtype('halfvec') IS NOT NULL), '')").Scan(&version)
	}
	if err := installed(); err != nil {
		return "", err
	}
	if version == "" {
		_, err := d.pool.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
		if pgErr := new(pgconn.PgError); err != nil && !errors.As(err, &pgErr) {
			return "", err
		} // else an administrator has to make it; until then words alone are searched
		if err := installed(); err != nil || version == "" {
			return "", err
		}
	}
	_, err = d.pool.Exec(ctx, vectorTables)
	return version, err
}

// inTx calls do in a transaction.
func (d *database) inTx(ctx context.Context, do func(tx pgx.Tx) error) error {
	if err := d.prepare(ctx); err != nil {
		return err
	}
	return d.again(ctx, func() error { return pgx.BeginFunc(ctx, d.pool, do) })
}

// again repeats do once if the connection failed: the server may have been restarted since it
// was opened. All callers may be repeated.
func (d *database) again(ctx context.Context, do func() error) error {
	err := do()
	if pgErr := new(pgconn.PgError); err == nil || ctx.Err() != nil || errors.As(err, &pgErr) && !strings.HasPrefix(pgErr.Code, "57") && !strings.HasPrefix(pgErr.Code, "08") {
		return explain(err)
	}
	d.pool.Reset()
	return explain(do())
}

// model returns the ID of a model and creates an index for its vectors: vectors of different
// lengths can't share one.
func (d *database) model(ctx context.Context, m recall.EmbedModel) (id int32, err error) {
	if err := d.prepare(ctx); err != nil {
		return 0, err
	}
	if id = d.knownModel(m); id != 0 {
		return id, nil
	}
	err = d.pool.QueryRow(ctx, `WITH added AS (INSERT INTO model(name, digest, dims) VALUES($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id)
		SELECT id FROM added UNION ALL `+findModel+` LIMIT 1`, m.Name, m.Digest, m.Dims).Scan(&id)
	if err != nil {
		return 0, explain(err)
	}
	_, err = d.pool.Exec(ctx, fmt.Sprintf("CREATE INDEX IF NOT EXISTS embedding_of_%d ON embedding USING hnsw ((v::halfvec(%d)) halfvec_cosine_ops) WHERE model = %d", id, m.Dims, id))
	if err == nil {
		d.mu.Lock()
		d.models[m] = id
		d.mu.Unlock()
	}
	return id, explain(err)
}

// findModel selects the ID of a model.
const findModel = "SELECT id FROM model WHERE name = $1 AND digest = $2 AND dims = $3"

func (d *database) knownModel(m recall.EmbedModel) int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.models[m]
}

// modelForSearch returns the ID of a model; 0 if the server has nothing from it.
func (d *database) modelForSearch(ctx context.Context, m recall.EmbedModel) (id int32, err error) {
	if id = d.knownModel(m); id != 0 {
		return id, nil
	}
	err = d.pool.QueryRow(ctx, findModel, pgx.QueryExecModeExec, m.Name, m.Digest, m.Dims).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return id, explain(err)
}
