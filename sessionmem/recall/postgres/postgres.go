package postgres

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"mac-stats/sessionmem/recall"
)

// migrations are the steps from nothing to the schema of this version.
//
//go:embed migrations/*.sql
var migrations embed.FS

// vectorTables is what a server with pgvector has beside them.
//
//go:embed vectors.sql
var vectorTables string

// Config is what a Server needs.
type Config struct {
	Address  string        // a URL or keywords, as libpq reads them; "": the environment alone
	Password func() string // asked where the address, the environment and ~/.pgpass have none; may be nil
	Machine  string        // this machine's id, the same for ever
	Name     string        // and what people call it
}

// Server is a PostgreSQL database as a recall.Server. It connects at the first call.
type Server struct {
	cfg  Config
	name string
	pool *pgxpool.Pool

	mu      sync.Mutex // guards what follows, and is held while the schema is made
	ready   bool
	machine int32
	vectors string // version of pgvector; "": none
	indexed map[int32]bool
	stats   *statistics
	put     int // passages since the server last counted how common words are
	known   int // forgettings that this machine knows,
	pushing int // and that it knew when the push began that is under way; there is one at a time
}

var _ recall.Server = (*Server)(nil)

// New opens a server. Nothing is sent before the first call.
func New(cfg Config) (*Server, error) {
	if cfg.Machine == "" {
		panic("postgres: Config.Machine is required")
	}
	parsed, err := parse(cfg.Address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", recall.ErrServer, err)
	}
	for key, value := range map[string]string{
		"application_name":                    "mac-stats",
		"plan_cache_mode":                     "force_custom_plan", // a plan for any question is a good one for none
		"jit":                                 "off",
		"idle_in_transaction_session_timeout": "60s",
		// Known to the server once pgvector is loaded, and ignored without it. A scope may
		// keep most of the nearest out: the scan goes on until there are enough.
		"hnsw.ef_search":      "200",
		"hnsw.iterative_scan": "relaxed_order",
	} {
		parsed.ConnConfig.RuntimeParams[key] = cmp.Or(parsed.ConnConfig.RuntimeParams[key], value)
	}
	parsed.MaxConns, parsed.MinConns, parsed.MaxConnIdleTime = maxConns, 0, maxIdle
	parsed.ConnConfig.ConnectTimeout = connectWait
	if cfg.Password != nil {
		parsed.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
			if c.Password == "" {
				c.Password = cfg.Password()
			}
			return nil
		}
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), parsed)
	if err != nil {
		return nil, explain(err)
	}
	return &Server{cfg: cfg, name: nameOf(parsed.ConnConfig), pool: pool, indexed: map[int32]bool{}}, nil
}

const (
	maxConns    = 4
	maxIdle     = 5 * time.Minute
	connectWait = 10 * time.Second // background work; a search waits as long as its context says
)

// Close lets the connections go.
func (s *Server) Close() { s.pool.Close() }

// prepare makes the schema what this version needs and registers the machine; once it
// worked it costs nothing.
func (s *Server) prepare(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return nil
	}
	if err := s.migrate(ctx); err != nil {
		return explain(err)
	}
	err := s.pool.QueryRow(ctx, `INSERT INTO machine(uid, name) VALUES($1, $2)
		ON CONFLICT (uid) DO UPDATE SET name = excluded.name RETURNING id`, s.cfg.Machine, s.cfg.Name).Scan(&s.machine)
	if err != nil {
		return explain(err)
	}
	s.ready = true
	return nil
}

// ErrNewer: a newer mac-stats made the schema.
var ErrNewer = errors.New("a newer mac-stats keeps its memory there; update mac-stats on this machine")

func (s *Server) migrate(ctx context.Context) (err error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(s.pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 30)) // others may be at it
	if err != nil {
		return err
	}
	steps, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker), goose.WithTableName("mac_stats_schema"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	is, of, err := steps.GetVersions(ctx)
	if err != nil {
		return err
	}
	if is > of {
		return fmt.Errorf("%w: %w", recall.ErrServer, ErrNewer)
	}
	if is < of {
		if _, err := steps.Up(ctx); err != nil {
			return err
		}
	}
	return s.findVectors(ctx)
}

// findVectors makes use of pgvector where the server has it, or lets this role have it.
func (s *Server) findVectors(ctx context.Context) error {
	installed := func() error {
		return s.pool.QueryRow(ctx, "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector' AND to_regtype('halfvec') IS NOT NULL), '')").Scan(&s.vectors)
	}
	if err := installed(); err != nil {
		return err
	}
	if s.vectors == "" {
		_, err := s.pool.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
		if told := new(pgconn.PgError); err != nil && !errors.As(err, &told) {
			return err
		} // else an administrator has to make it; until then words alone are searched
		if err := installed(); err != nil || s.vectors == "" {
			return err
		}
	}
	_, err := s.pool.Exec(ctx, vectorTables)
	return err
}

// inTx does several things, or none of them.
func (s *Server) inTx(ctx context.Context, do func(tx pgx.Tx) error) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	return s.again(ctx, func() error { return pgx.BeginFunc(ctx, s.pool, do) })
}

// again does something once more where the connection was at fault: the server may have been
// started anew since it was made. All that is done here may be done twice.
func (s *Server) again(ctx context.Context, do func() error) error {
	err := do()
	if told := new(pgconn.PgError); err == nil || ctx.Err() != nil || errors.As(err, &told) && !strings.HasPrefix(told.Code, "57") && !strings.HasPrefix(told.Code, "08") {
		return explain(err)
	}
	s.pool.Reset()
	return explain(do())
}

// Status tells how the server is.
func (s *Server) Status(ctx context.Context) (out recall.ServerStatus, err error) {
	if err := s.prepare(ctx); err != nil {
		return out, err
	}
	begun := time.Now()
	err = s.pool.QueryRow(ctx, "SELECT current_setting('server_version'), pg_total_relation_size('passage')").Scan(&out.Version, &out.Bytes)
	if err != nil {
		return out, explain(err)
	}
	out.Took, out.Vectors = time.Since(begun), s.vectors
	count := "0::bigint"
	if s.vectors != "" {
		count = "(SELECT count(*) FROM embedding JOIN passage ON passage.id = embedding.passage JOIN source ON source.id = passage.source WHERE source.machine = m.id)"
	}
	rows, err := s.pool.Query(ctx, "SELECT m.name, m.id = $1, coalesce((SELECT sum(docs) FROM source WHERE machine = m.id), 0)::bigint, "+count+", m.seen FROM machine m ORDER BY m.id", s.machine)
	if err != nil {
		return out, explain(err)
	}
	out.Machines, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (m recall.ServerMachine, err error) {
		err = row.Scan(&m.Name, &m.Mine, &m.Passages, &m.Vectors, &m.Seen)
		return m, err
	})
	return out, explain(err)
}

// DropMachine takes all that this machine put off the server.
func (s *Server) DropMachine(ctx context.Context) error {
	return s.inTx(ctx, func(tx pgx.Tx) error {
		s.mu.Lock()
		s.ready = false // it registers again with its next call
		s.mu.Unlock()
		_, err := tx.Exec(ctx, "DELETE FROM machine WHERE id = $1", s.machine)
		if err == nil { // what was forgotten binds those that are left
			_, err = tx.Exec(ctx, "DELETE FROM forgotten WHERE NOT EXISTS (SELECT FROM machine)")
		}
		return err
	})
}
