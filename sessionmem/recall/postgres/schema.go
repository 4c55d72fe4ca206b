package postgres

import (
	"context"
	_ "embed" // for the statements that make the tables
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"mac-stats/sessionmem/recall"
)

// schema creates the tables of this version, upgrade fills them from those of the versions before.
var (
	//go:embed schema.sql
	schema string
	//go:embed upgrade.sql
	upgrade string
)

// schemaVersion is the version of the schema.
const schemaVersion = 3

// tables describes what exists on the server.
type tables struct {
	version int64  // of the schema; 0: none exists
	vectors string // the version of pgvector in use; "": none
	offers  string // the version of pgvector on the server, used or not
}

// ErrNewer means that a newer mac-stats created the schema.
var ErrNewer = errors.New("a newer mac-stats keeps its memory there; update mac-stats on this machine")

// Error codes of PostgreSQL.
const (
	undefinedTable = "42P01"
	wrongPassword  = "28P01"
)

// inspect queries what exists, in one round trip.
func (s *Server) inspect(ctx context.Context) (t tables, err error) {
	used := false
	err = s.pool.QueryRow(ctx, `SELECT (SELECT coalesce(max(version_id), 0) FROM mac_stats_schema),
		coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector' AND to_regtype('halfvec') IS NOT NULL), ''),
		EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('mirror') AND attname = 'meaning' AND NOT attisdropped)`, pgx.QueryExecModeExec).Scan(&t.version, &t.offers, &used)
	if used {
		t.vectors = t.offers
	}
	if pgErr := new(pgconn.PgError); errors.As(err, &pgErr) {
		switch open := openPassfile(s.cfg.Address); {
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

// forSearch returns what exists without creating anything, because a search can't wait for
// that.
func (s *Server) forSearch(ctx context.Context) (tables, error) {
	if t := s.known.Load(); t != nil {
		return *t, nil
	}
	t, err := s.inspect(ctx)
	switch {
	case err != nil:
		return t, explain(err)
	case t.version < schemaVersion:
		return t, fmt.Errorf("%w: it has no tables of this version yet; `mac-stats memory backend push` makes them, and so does the app", recall.ErrServer)
	}
	s.known.Store(&t)
	return t, nil
}

// prepare checks what exists, brings the schema to this version and registers the machine. The
// server may have been restored from a backup, or the machine dropped, since it was last called.
func (s *Server) prepare(ctx context.Context) (t tables, err error) {
	s.making.Lock()
	defer s.making.Unlock()
	s.known.Store(nil)
	err = s.again(ctx, func() error {
		t, err = s.inspect(ctx)
		return err
	})
	if err == nil && t.version < schemaVersion {
		err = s.make(ctx)
	}
	if err == nil && t.vectors == "" && (t.offers != "" || !s.asked) { // one refusal in the server's log is enough
		t.vectors, err = s.findVectors(ctx)
		s.asked = err == nil
	}
	if err == nil {
		_, err = s.pool.Exec(ctx, `INSERT INTO mirror_machine(uid, name) VALUES($1, $2) ON CONFLICT (uid) DO UPDATE SET name = excluded.name`, s.uid, s.cfg.Name)
	}
	if err != nil {
		return t, explain(err)
	}
	t.version = schemaVersion
	s.known.Store(&t)
	return t, nil
}

// make creates the tables, and takes the rows of an older version over. Another machine may be
// doing the same.
func (s *Server) make(ctx context.Context) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('mac-stats ' || current_schema()))"); err != nil {
			return err
		}
		version, there := int64(0), false
		err := tx.QueryRow(ctx, "SELECT to_regclass('mac_stats_schema') IS NOT NULL").Scan(&there)
		if err == nil && there {
			err = tx.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM mac_stats_schema").Scan(&version)
		}
		if err != nil || version >= schemaVersion {
			return err
		}
		statements := schema
		if version > 0 {
			statements += upgrade
		}
		_, err = tx.Exec(ctx, statements)
		return err
	})
}

// findVectors enables pgvector if the server has it or lets this role create it, and returns
// its version.
func (s *Server) findVectors(ctx context.Context) (version string, err error) {
	installed := func() error {
		return s.pool.QueryRow(ctx, "SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector' AND to_regtype('halfvec') IS NOT NULL), '')").Scan(&version)
	}
	if err := installed(); err != nil {
		return "", err
	}
	if version == "" {
		_, err := s.pool.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
		if pgErr := new(pgconn.PgError); err != nil && !errors.As(err, &pgErr) {
			return "", err
		} // else an administrator has to make it; until then words alone are searched
		if err := installed(); err != nil || version == "" {
			return "", err
		}
	}
	_, err = s.pool.Exec(ctx, "ALTER TABLE mirror ADD COLUMN IF NOT EXISTS model text, ADD COLUMN IF NOT EXISTS meaning halfvec")
	return version, err
}

// inTx calls do in a transaction.
func (s *Server) inTx(ctx context.Context, do func(tx pgx.Tx) error) error {
	return s.again(ctx, func() error { return pgx.BeginFunc(ctx, s.pool, do) })
}

// again repeats do once if the connection failed: the server may have been restarted since it
// was opened. All callers may be repeated.
func (s *Server) again(ctx context.Context, do func() error) error {
	err := do()
	if pgErr := new(pgconn.PgError); err == nil || ctx.Err() != nil || errors.As(err, &pgErr) && !strings.HasPrefix(pgErr.Code, "57") && !strings.HasPrefix(pgErr.Code, "08") {
		return explain(err)
	}
	s.pool.Reset()
	return explain(do())
}
