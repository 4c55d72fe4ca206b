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

// newest is the version of the schema that they make.
const newest = 2

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
	cfg     Config
	name    string
	address string
	pool    *pgxpool.Pool

	making  sync.Mutex // held while the schema is made
	mu      sync.Mutex // guards what follows
	ready   bool
	tables  tables                      // where ready
	models  map[recall.EmbedModel]int32 // their numbers; each has an index
	stats   *statistics
	put     int // passages since the server last counted how common words are
	noted   int // forgettings that this machine knows,
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
		parsed.BeforeConnect = func(ctx context.Context, c *pgx.ConnConfig) (err error) {
			if c.Password == "" {
				c.Password, err = asked(ctx, cfg.Password)
			}
			return err
		}
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), parsed)
	if err != nil {
		return nil, explain(err)
	}
	return &Server{cfg: cfg, name: nameOf(parsed.ConnConfig), address: Settled(cfg.Address), pool: pool, models: map[recall.EmbedModel]int32{}}, nil
}

const (
	maxConns    = 4
	maxIdle     = 5 * time.Minute
	connectWait = 10 * time.Second // background work; a search waits as long as its context says
)

// asked gives a password. A keychain may want its user to unlock it, and nobody may be there.
func asked(ctx context.Context, password func() string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, connectWait)
	defer stop()
	said := make(chan string, 1)
	go func() { said <- password() }()
	select {
	case p := <-said:
		return p, nil
	case <-ctx.Done():
		return "", fmt.Errorf("%w: the keychain doesn't give its password; unlock it: %w", recall.ErrServer, ctx.Err())
	}
}

// Address is where it is without its password, for later: Settled of the address that it was
// opened with.
func (s *Server) Address() string { return s.address }

// closeWait is how long the end waits for a goodbye to the server.
const closeWait = 200 * time.Millisecond

// Close lets the connections go. Those to a server that doesn't answer end with the process.
func (s *Server) Close() {
	done := make(chan struct{})
	go func() { defer close(done); s.pool.Close() }()
	select {
	case <-done:
	case <-time.After(closeWait):
	}
}

// tables are what the server has for mac-stats.
type tables struct {
	version int64  // of the schema; 0: there is none
	machine int32  // this machine's number; 0: it has none
	vectors string // the version of pgvector that vectors are kept by; "": none
	offers  string // the same of what the server has, used or not
}

// isWhole says whether there is nothing left to make.
func (t *tables) isWhole() bool { return t.version == newest && t.machine != 0 && t.vectors != "" }

// use notes what there is.
func (s *Server) use(t tables) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready, s.tables = true, t
}

// known is what use noted.
func (s *Server) known() tables {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tables
}

// look tells what there is, in one round trip.
func (s *Server) look(ctx context.Context) (t tables, err error) {
	used := false
	err = s.pool.QueryRow(ctx, `SELECT (SELECT coalesce(max(version_id), 0) FROM mac_stats_schema), coalesce((SELECT id FROM machine WHERE uid = $1 AND name = $2), 0),
		coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector' AND to_regtype('halfvec') IS NOT NULL), ''), to_regclass('embedding') IS NOT NULL`,
		pgx.QueryExecModeExec, s.cfg.Machine, s.cfg.Name).Scan(&t.version, &t.machine, &t.offers, &used)
	if used {
		t.vectors = t.offers
	}
	if told := new(pgconn.PgError); errors.As(err, &told) {
		switch open := openPassfile(s.cfg.Address); {
		case told.Code == undefinedTable:
			return tables{}, nil
		case told.Code == wrongPassword && open != "":
			return t, fmt.Errorf("%w: it refused the password, and %s isn't used because others can read it; run `chmod 600 %s`", recall.ErrServer, open, open)
		}
	}
	if err == nil && t.version > newest {
		err = fmt.Errorf("%w: %w", recall.ErrServer, ErrNewer)
	}
	return t, err
}

// Error codes of PostgreSQL.
const (
	undefinedTable = "42P01"
	wrongPassword  = "28P01"
)

// forSearch tells what there is, without making anything: a search doesn't wait for that.
func (s *Server) forSearch(ctx context.Context) (tables, error) {
	s.mu.Lock()
	ready, t := s.ready, s.tables
	s.mu.Unlock()
	if ready {
		return t, nil
	}
	t, err := s.look(ctx)
	if err == nil && t.isWhole() {
		s.use(t)
	}
	if err == nil && t.version < newest {
		err = fmt.Errorf("%w: it has no tables of this version yet; `mac-stats memory backend push` makes them, and so does the app", recall.ErrServer)
	}
	return t, explain(err)
}

// prepare makes the schema what this version needs and registers the machine; once it
// worked it costs nothing.
func (s *Server) prepare(ctx context.Context) error {
	s.making.Lock()
	defer s.making.Unlock()
	s.mu.Lock()
	ready := s.ready
	s.mu.Unlock()
	if ready {
		return nil
	}
	t, err := s.look(ctx)
	if err == nil && !t.isWhole() {
		t, err = s.make(ctx)
	}
	if err != nil {
		return explain(err)
	}
	s.use(t)
	return nil
}

// prepareAnew is prepare that looks whether all is still as it was: the server may have been
// restored from a backup, this machine dropped, or mac-stats updated elsewhere.
func (s *Server) prepareAnew(ctx context.Context) error {
	t, err := s.look(ctx)
	if err != nil {
		return explain(err)
	}
	s.mu.Lock()
	s.ready = s.ready && t.version == newest && t.machine == s.tables.machine && t.offers == s.tables.vectors
	if !s.ready {
		clear(s.models)
	}
	s.mu.Unlock()
	return s.prepare(ctx)
}

// make makes what is missing.
func (s *Server) make(ctx context.Context) (t tables, err error) {
	if err := s.migrate(ctx); err != nil {
		return t, err
	}
	if t.vectors, err = s.findVectors(ctx); err != nil {
		return t, err
	}
	err = s.pool.QueryRow(ctx, `INSERT INTO machine(uid, name) VALUES($1, $2)
		ON CONFLICT (uid) DO UPDATE SET name = excluded.name RETURNING id`, s.cfg.Machine, s.cfg.Name).Scan(&t.machine)
	return t, err
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
	_, err = steps.Up(ctx)
	return err
}

// findVectors makes use of pgvector where the server has it, or lets this role have it, and
// gives its version.
func (s *Server) findVectors(ctx context.Context) (version string, err error) {
	installed := func() error {
		return s.pool.QueryRow(ctx, "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector' AND to_regtype('halfvec') IS NOT NULL), '')").Scan(&version)
	}
	if err := installed(); err != nil {
		return "", err
	}
	if version == "" {
		_, err := s.pool.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
		if told := new(pgconn.PgError); err != nil && !errors.As(err, &told) {
			return "", err
		} // else an administrator has to make it; until then words alone are searched
		if err := installed(); err != nil || version == "" {
			return "", err
		}
	}
	_, err = s.pool.Exec(ctx, vectorTables)
	return version, err
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
	out.Took, out.Vectors = time.Since(begun), s.known().vectors
	count := "0::bigint"
	if s.known().vectors != "" {
		count = "(SELECT count(*) FROM embedding JOIN passage ON passage.id = embedding.passage JOIN source ON source.id = passage.source WHERE source.machine = m.id)"
	}
	rows, err := s.pool.Query(ctx, "SELECT m.name, m.id = $1, coalesce((SELECT sum(docs) FROM source WHERE machine = m.id), 0)::bigint, "+count+", m.seen FROM machine m ORDER BY m.id", s.known().machine)
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
		_, err := tx.Exec(ctx, "DELETE FROM machine WHERE id = $1", s.known().machine)
		if err == nil { // what was forgotten binds those that are left
			_, err = tx.Exec(ctx, "DELETE FROM forgotten WHERE NOT EXISTS (SELECT FROM machine)")
		}
		return err
	})
}
