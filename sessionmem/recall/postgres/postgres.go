package postgres

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"mac-stats/sessionmem/recall"
)

// Config configures a Server.
type Config struct {
	Address  string        // a URL or keywords, as in libpq; "": only the environment
	Password func() string // called if the address, the environment and ~/.pgpass have no password; may be nil
	Machine  string        // permanent ID of this machine
	Name     string        // its name for people
}

// Server is a PostgreSQL database as a recall.Server. It connects on first use.
type Server struct {
	name    string
	address string
	db      *database

	mu      sync.Mutex // guards the fields below
	stats   *statistics
	put     int // passages put since the server's last ANALYZE
	noted   int // forgettings that this machine knows,
	pushing int // and those it knew at the start of the current push; only one runs at a time
}

var _ recall.Server = (*Server)(nil)

// New returns a server. It sends nothing before the first call.
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
		"plan_cache_mode":                     "force_custom_plan", // no plan suits every question
		"jit":                                 "off",
		"idle_in_transaction_session_timeout": "60s",
		// Known to the server once pgvector is loaded, ignored otherwise. A scope may exclude
		// most of the nearest: the scan continues until there are enough.
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
				c.Password, err = askPassword(ctx, cfg.Password)
			}
			return err
		}
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), parsed)
	if err != nil {
		return nil, explain(err)
	}
	db := &database{cfg: cfg, pool: pool, models: map[recall.EmbedModel]int32{}}
	return &Server{name: nameOf(parsed.ConnConfig), address: Settled(cfg.Address), db: db}, nil
}

const (
	maxConns    = 4
	maxIdle     = 5 * time.Minute
	connectWait = 10 * time.Second // for background work; a search waits as long as its context allows
)

// askPassword returns a password, or fails if the keychain waits too long for its user.
func askPassword(ctx context.Context, password func() string) (string, error) {
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

// Address returns the address without its password, for later use: Settled of the address
// that the server was opened with.
func (s *Server) Address() string { return s.address }

// closeWait is how long Close waits for the connections to end.
const closeWait = 200 * time.Millisecond

// Close closes the connections. Those to a server that doesn't answer end with the process.
func (s *Server) Close() {
	done := make(chan struct{})
	go func() { defer close(done); s.db.pool.Close() }()
	select {
	case <-done:
	case <-time.After(closeWait):
	}
}

// Status returns the state of the server.
func (s *Server) Status(ctx context.Context) (out recall.ServerStatus, err error) {
	if err := s.db.prepare(ctx); err != nil {
		return out, err
	}
	begun := time.Now()
	err = s.db.pool.QueryRow(ctx, "SELECT current_setting('server_version'), pg_total_relation_size('passage')").Scan(&out.Version, &out.Bytes)
	if err != nil {
		return out, explain(err)
	}
	out.Took, out.Vectors = time.Since(begun), s.db.current().vectors
	count := "0::bigint"
	if s.db.current().vectors != "" {
		count = "(SELECT count(*) FROM embedding JOIN passage ON passage.id = embedding.passage JOIN source ON source.id = passage.source WHERE source.machine = m.id)"
	}
	rows, err := s.db.pool.Query(ctx, "SELECT m.name, m.id = $1, coalesce((SELECT sum(docs) FROM source WHERE machine = m.id), 0)::bigint, "+count+", m.seen FROM machine m ORDER BY m.id", s.db.current().machine)
	if err != nil {
		return out, explain(err)
	}
	out.Machines, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (m recall.ServerMachine, err error) {
		err = row.Scan(&m.Name, &m.Mine, &m.Passages, &m.Vectors, &m.Seen)
		return m, err
	})
	return out, explain(err)
}

// DropMachine removes everything that this machine put on the server.
func (s *Server) DropMachine(ctx context.Context) error {
	return s.db.inTx(ctx, func(tx pgx.Tx) error {
		s.db.invalidate()
		_, err := tx.Exec(ctx, "DELETE FROM machine WHERE id = $1", s.db.current().machine)
		if err == nil { // forgettings bind the remaining machines
			_, err = tx.Exec(ctx, "DELETE FROM forgotten WHERE NOT EXISTS (SELECT FROM machine)")
		}
		return err
	})
}
