package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"mac-stats/sessionmem/recall"
)

// maxMessages limits how many passages of a session are returned.
const maxMessages = 20_000

// Messages returns what other machines put of a session, in the order it was said. machine is
// the name of one of them; "" means any.
func (s *Server) Messages(ctx context.Context, session, machine string) (out []recall.ServerHit, err error) {
	err = s.db.inTx(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT p.id, p.source, p.strand, p.message, p.part, p.parts, p.block, p.turn, p.role, p.agent, p.path, p.said, p.untrusted, p.sources, p.length, p.marks, p.text,
				s.key, s.session, s.origin, s.print, m.name
			FROM passage p JOIN source s ON s.id = p.source CROSS JOIN LATERAL (SELECT coalesce(nullif(name, ''), 'another machine') AS name FROM machine WHERE id = s.machine) m
			WHERE s.session = $1 AND s.session <> '' AND s.machine <> $2 AND $3 IN ('', m.name)
			ORDER BY s.machine, p.said, p.source, p.strand, p.message, p.part LIMIT $4`, clean(session), s.db.current().machine, machine, maxMessages)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (recall.ServerHit, error) {
			var f found
			err := row.Scan(f.columns()...)
			f.whole()
			return f.ServerHit, err
		})
		return err
	})
	return out, err
}
