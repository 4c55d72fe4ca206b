package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/transcript"
)

// Name returns the server's name for display, without a password.
func (s *Server) Name() string { return s.name }

// Look returns what was forgotten on any machine, and registers this machine's public key. If
// the key has changed, keys sealed to the old one are deleted, because they are useless.
func (s *Server) Look(ctx context.Context, public []byte) (out forgotten.BoardState, err error) {
	if err := s.db.again(ctx, func() error { return s.db.prepareAgain(ctx) }); err != nil {
		return out, err
	}
	err = s.db.inTx(ctx, func(tx pgx.Tx) error {
		out = forgotten.BoardState{Noted: map[string]string{}}
		_, err := tx.Exec(ctx, `WITH other AS (UPDATE machine SET public = $2 WHERE id = $1 AND public IS DISTINCT FROM $2 RETURNING id)
			DELETE FROM forgotten_key WHERE machine IN (SELECT id FROM other)`, s.db.current().machine, public)
		if err != nil {
			return err
		}
		var clock time.Time
		begun := time.Now()
		if err := tx.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&clock); err != nil {
			return err
		}
		out.Ahead = clock.Sub(begun.Add(time.Since(begun) / 2))
		var id, key string
		var swept bool
		rows, err := tx.Query(ctx, "SELECT id, key, swept FROM forgotten ORDER BY id")
		if err == nil {
			_, err = pgx.ForEachRow(rows, []any{&id, &key, &swept}, func() error {
				if out.Noted[id] = key; !swept {
					out.Unswept = append(out.Unswept, id)
				}
				return nil
			})
		}
		if err != nil {
			return err
		}
		rows, err = tx.Query(ctx, "SELECT id, machine, box FROM forgotten_key WHERE machine = $1", s.db.current().machine)
		if err == nil {
			out.Keys, err = pgx.CollectRows(rows, pgx.RowToStructByPos[forgotten.SealedKey])
		}
		if err != nil {
			return err
		}
		rows, err = tx.Query(ctx, `SELECT m.id, coalesce(nullif(m.name, ''), 'another machine'), m.id = $1, m.public,
			array(SELECT k.id FROM forgotten_key k WHERE k.machine = m.id) FROM machine m WHERE m.public IS NOT NULL ORDER BY m.id`, s.db.current().machine)
		if err == nil {
			out.Machines, err = pgx.CollectRows(rows, pgx.RowToStructByPos[forgotten.BoardMachine])
		}
		return err
	})
	if err == nil {
		s.mu.Lock()
		s.noted = len(out.Noted)
		s.mu.Unlock()
	}
	return out, err
}

// Fetch returns recorded forgettings.
func (s *Server) Fetch(ctx context.Context, ids []string) (out []forgotten.Shared, err error) {
	err = s.db.inTx(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "SELECT id, key, box FROM forgotten WHERE id = ANY($1)", ids)
		if err == nil {
			out, err = pgx.CollectRows(rows, pgx.RowToStructByPos[forgotten.Shared])
		}
		return err
	})
	return out, err
}

// Note records forgettings. It waits for running Puts to end; a Put that begins later notices
// them (upToDate).
func (s *Server) Note(ctx context.Context, all []forgotten.Shared) error {
	noted := 0
	err := s.db.inTx(ctx, func(tx pgx.Tx) error {
		noted = 0
		if _, err := tx.Exec(ctx, "LOCK TABLE forgotten IN EXCLUSIVE MODE"); err != nil {
			return err
		}
		for _, f := range all {
			done, err := tx.Exec(ctx, "INSERT INTO forgotten(id, key, box) VALUES($1, $2, $3) ON CONFLICT DO NOTHING", f.ID, f.KeyID, f.Box)
			if err != nil {
				return err
			}
			noted += int(done.RowsAffected())
		}
		return nil
	})
	if err == nil {
		s.mu.Lock()
		s.noted += noted
		s.mu.Unlock()
	}
	return err
}

// Give stores keys for machines.
func (s *Server) Give(ctx context.Context, keys []forgotten.SealedKey) error {
	return s.db.inTx(ctx, func(tx pgx.Tx) error {
		for _, k := range keys {
			_, err := tx.Exec(ctx, `INSERT INTO forgotten_key(id, machine, box) SELECT $1, id, $3 FROM machine WHERE id = $2
				ON CONFLICT (id, machine) DO UPDATE SET box = excluded.box`, k.ID, k.Machine, k.Box)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// sweepAtOnce is how many passages a sweep reads at a time.
const sweepAtOnce = 2000

// Sweep removes the passages of any machine for which means returns true, and records that
// this is done. The machine that put them finds its source unfinished and compares it with its
// files again.
func (s *Server) Sweep(ctx context.Context, ids []string, means func(session string, b transcript.Block) bool) error {
	if err := s.sweepNames(ctx, means); err != nil {
		return err
	}
	for after := int64(0); ; {
		n, err := s.sweep(ctx, &after, means)
		if err != nil {
			return err
		}
		if n < sweepAtOnce {
			break
		}
	}
	return s.db.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE forgotten SET swept = true WHERE id = ANY($1)", ids)
		return err
	})
}

// sweep handles the passages after an ID, and advances it.
func (s *Server) sweep(ctx context.Context, after *int64, means func(session string, b transcript.Block) bool) (n int, err error) {
	err = s.db.inTx(ctx, func(tx pgx.Tx) error {
		n = 0
		last := *after
		var gone []int64
		var id, said int64
		var session string
		var b transcript.Block
		rows, err := tx.Query(ctx, `SELECT p.id, s.session, p.block, p.role, p.agent, p.said, p.text FROM passage p JOIN source s ON s.id = p.source
			WHERE p.id > $1 ORDER BY p.id LIMIT $2`, last, sweepAtOnce)
		if err == nil {
			_, err = pgx.ForEachRow(rows, []any{&id, &session, &b.ID, (*string)(&b.Kind), &b.Agent, &said, &b.Text}, func() error {
				n, last, b.Time = n+1, id, time.Time{}
				if said != 0 {
					b.Time = time.Unix(said, 0)
				}
				if means(session, b) {
					gone = append(gone, id)
				}
				return nil
			})
		}
		if err != nil {
			return err
		}
		var sources []int64
		rows, err = tx.Query(ctx, "DELETE FROM passage WHERE id = ANY($1) RETURNING source", gone)
		if err == nil {
			sources, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		}
		if err == nil {
			err = removeNames(ctx, tx, sources)
		}
		if err == nil {
			*after = last
		}
		return err
	})
	return n, err
}

// removeNames removes the names of sources, because a file's name may come from the first words in
// it. The machine that put them puts them again, under their current names.
func removeNames(ctx context.Context, tx pgx.Tx, sources []int64) error {
	_, err := tx.Exec(ctx, "UPDATE passage SET path = '' WHERE source = ANY($1)", sources)
	if err == nil {
		_, err = tx.Exec(ctx, "UPDATE source SET print = '', key = 'forgotten/' || id WHERE id = ANY($1)", sources)
	}
	return err
}

// sweepNames removes the names for which means returns true.
func (s *Server) sweepNames(ctx context.Context, means func(session string, b transcript.Block) bool) error {
	return s.db.inTx(ctx, func(tx pgx.Tx) error {
		var named []int64
		var id int64
		var session, key string
		rows, err := tx.Query(ctx, "SELECT id, session, key FROM source")
		if err == nil {
			_, err = pgx.ForEachRow(rows, []any{&id, &session, &key}, func() error {
				if means(session, transcript.Block{Kind: transcript.KindNote, Text: key}) {
					named = append(named, id)
				}
				return nil
			})
		}
		if err != nil {
			return err
		}
		return removeNames(ctx, tx, named)
	})
}

// errForgotten means that another machine forgot something after a push began.
var errForgotten = fmt.Errorf("%w: another machine forgot something meanwhile; that is done here first", recall.ErrServer)

// upToDate stops a Put if another machine has forgotten something since the push began.
func (s *Server) upToDate(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "LOCK TABLE forgotten IN ROW SHARE MODE"); err != nil {
		return err
	}
	var n int
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM forgotten").Scan(&n); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n != s.pushing {
		return errForgotten
	}
	return nil
}
