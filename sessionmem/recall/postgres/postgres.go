package postgres

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"mac-stats/sessionmem/recall"
)

// Config configures a Server.
type Config struct {
	Address  string        // a URL or keywords, as in libpq; "": only the environment
	Password func() string // called if the address, the environment and ~/.pgpass have no password; may be nil
	Secret   []byte        // of this machine: what others see of it are hashes
	Name     string        // its name for people
}

// Server is a PostgreSQL database as a recall.Server. It connects on first use.
type Server struct {
	cfg     Config
	name    string
	address string
	uid     string // of this machine, on the server
	pool    *pgxpool.Pool

	making sync.Mutex             // held while the tables are made; guards asked
	asked  bool                   // whether it lets this role enable pgvector
	known  atomic.Pointer[tables] // nil: not inspected yet
}

var _ recall.Server = (*Server)(nil)

// New returns a server. It sends nothing before the first call.
func New(cfg Config) (*Server, error) {
	if len(cfg.Secret) == 0 {
		panic("postgres: Config.Secret is required")
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
	id := sha256.Sum256(append([]byte("mac-stats machine id\x00"), cfg.Secret...))
	return &Server{cfg: cfg, name: nameOf(parsed.ConnConfig), address: Settled(cfg.Address), uid: hex.EncodeToString(id[:16]), pool: pool}, nil
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

// Name returns the server's name for display, without a password.
func (s *Server) Name() string { return s.name }

// Address returns the address without its password, for later use: Settled of the address
// that the server was opened with.
func (s *Server) Address() string { return s.address }

// closeWait is how long Close waits for the connections to end.
const closeWait = 200 * time.Millisecond

// Close closes the connections. Those to a server that doesn't answer end with the process.
func (s *Server) Close() {
	done := make(chan struct{})
	go func() { defer close(done); s.pool.Close() }()
	select {
	case <-done:
	case <-time.After(closeWait):
	}
}

// hash returns a hash that nobody can compute who doesn't know this machine's secret.
func (s *Server) hash(of ...string) []byte {
	mac := hmac.New(sha256.New, s.cfg.Secret)
	for _, part := range of {
		_, _ = mac.Write(append(binary.AppendUvarint(nil, uint64(len(part))), part...)) // a hash never fails
	}
	return mac.Sum(nil)[:16]
}

// file returns what the server knows a source by: file names may quote what was said.
func (s *Server) file(key string) int64 {
	return int64(binary.BigEndian.Uint64(s.hash("mac-stats file", key))) //nolint:gosec // bits are what is wanted
}

// Status returns the state of the server.
func (s *Server) Status(ctx context.Context) (out recall.ServerStatus, err error) {
	there, err := s.prepare(ctx)
	if err != nil {
		return out, err
	}
	begun := time.Now()
	err = s.pool.QueryRow(ctx, "SELECT current_setting('server_version'), pg_total_relation_size('mirror')").Scan(&out.Version, &out.Bytes)
	if err != nil {
		return out, explain(err)
	}
	out.Took, out.Vectors = time.Since(begun), there.vectors
	vectors := "0::bigint"
	if there.vectors != "" {
		vectors = "count(r.meaning)"
	}
	rows, err := s.pool.Query(ctx, "SELECT m.name, m.uid = $1, count(r.entry), "+vectors+", m.seen FROM mirror_machine m LEFT JOIN mirror r ON r.machine = m.uid GROUP BY m.uid ORDER BY m.uid <> $1, m.name, m.uid", s.uid)
	if err != nil {
		return out, explain(err)
	}
	out.Machines, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (m recall.ServerMachine, err error) {
		err = row.Scan(&m.Name, &m.Mine, &m.Passages, &m.Vectors, &m.Seen)
		return m, err
	})
	return out, explain(err)
}

// DropMachine removes everything that this machine copied to the server.
func (s *Server) DropMachine(ctx context.Context) error {
	if _, err := s.prepare(ctx); err != nil {
		return err
	}
	return s.inTx(ctx, func(tx pgx.Tx) error {
		err := s.lock(ctx, tx)
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM mirror_machine WHERE uid = $1", s.uid)
		}
		if err == nil { // forgettings bind the remaining machines
			_, err = tx.Exec(ctx, "DELETE FROM mirror_forgotten WHERE NOT EXISTS (SELECT FROM mirror_machine)")
		}
		return err
	})
}
