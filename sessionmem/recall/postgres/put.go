package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"mac-stats/sessionmem/recall"
)

// batchTime is how long a step of a push may take: after that, a server that stopped answering
// is left alone until a later try.
const batchTime = 2 * time.Minute

// Prints implements recall.Server. It begins a push.
func (s *Server) Prints(ctx context.Context) (map[string]string, error) {
	ctx, stop := context.WithTimeout(ctx, batchTime)
	defer stop()
	if err := s.db.again(ctx, func() error { return s.db.prepareAgain(ctx) }); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.pushing = s.noted
	s.mu.Unlock()
	out := map[string]string{}
	var key, print string
	return out, s.db.again(ctx, func() error {
		rows, err := s.db.pool.Query(ctx, "SELECT key, print FROM source WHERE machine = $1", s.db.current().machine)
		if err == nil {
			_, err = pgx.ForEachRow(rows, []any{&key, &print}, func() error { out[key] = print; return nil })
		}
		return err
	})
}

// Marks implements recall.Server.
func (s *Server) Marks(ctx context.Context, key string) (map[recall.ServerPlace]string, error) {
	ctx, stop := context.WithTimeout(ctx, batchTime)
	defer stop()
	if err := s.db.prepare(ctx); err != nil {
		return nil, err
	}
	out := map[recall.ServerPlace]string{}
	var at recall.ServerPlace
	var mark string
	rows, err := s.db.pool.Query(ctx, "SELECT strand, message, part, mark FROM passage JOIN source ON source.id = source WHERE machine = $1 AND key = $2", s.db.current().machine, clean(key))
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&at.Strand, &at.Message, &at.Part, &mark}, func() error { out[at] = mark; return nil })
	}
	return out, explain(err)
}

// row is a passage in the form that putRows reads.
type row struct {
	Strand    uint8    `json:"strand"`
	Message   int      `json:"message"`
	Part      int      `json:"part"`
	Parts     int      `json:"parts"`
	Block     string   `json:"block"`
	Turn      int      `json:"turn"`
	Role      string   `json:"role"`
	Agent     string   `json:"agent"`
	Path      string   `json:"path"`
	Said      int64    `json:"said"`
	Untrusted bool     `json:"untrusted"`
	Sources   int      `json:"sources"`
	Length    int      `json:"length"`
	Marks     int      `json:"marks"`
	Asks      bool     `json:"asks"`
	Mark      string   `json:"mark"`
	Text      string   `json:"text"`
	Terms     []string `json:"terms"`
}

func rowOf(p *recall.ServerPassage) row {
	r := row{
		Strand: p.Strand, Message: p.Message, Part: p.ServerPlace.Part, Parts: p.Parts, Block: clean(p.Block), Turn: p.Turn, Role: string(p.Kind), Agent: clean(p.Agent),
		Path: clean(p.Path), Untrusted: p.Untrusted, Sources: int(p.Sources), Length: p.Length, Marks: int(p.Marks), Asks: p.Asks, Mark: p.Mark, Text: clean(p.Text),
		Terms: make([]string, 0, len(p.Terms)),
	}
	if !p.Time.IsZero() {
		r.Said = p.Time.Unix()
	}
	for _, t := range p.Terms {
		if t = lexeme(t); t != "" {
			r.Terms = append(r.Terms, t)
		}
	}
	return r
}

// putRows inserts the passages of a source.
const putRows = `INSERT INTO passage(source, strand, message, part, parts, block, turn, role, agent, path, said, untrusted, sources, length, marks, asks, mark, text, terms, cold)
SELECT s.id, r.strand, r.message, r.part, r.parts, r.block, r.turn, r.role, r.agent, r.path, r.said, r.untrusted, r.sources, r.length, r.marks, r.asks, r.mark, r.text, r.terms, s.cold
FROM source s, json_to_recordset($2) AS r(strand smallint, message integer, part integer, parts integer, block text, turn integer, role text, agent text, path text, said bigint,
	untrusted boolean, sources integer, length integer, marks smallint, asks boolean, mark text, text text, terms text[])
WHERE s.id = $1`

// Put implements recall.Server.
func (s *Server) Put(ctx context.Context, batch []recall.ServerSource) error {
	ctx, stop := context.WithTimeout(ctx, batchTime)
	defer stop()
	n := 0
	for i := range batch {
		n += len(batch[i].Passages)
	}
	s.mu.Lock()
	s.put += n
	s.mu.Unlock()
	return s.db.inTx(ctx, func(tx pgx.Tx) error {
		if err := s.upToDate(ctx, tx); err != nil {
			return err
		}
		for i := range batch {
			if err := s.putSource(ctx, tx, &batch[i]); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "UPDATE machine SET seen = now() WHERE id = $1", s.db.current().machine)
		return err
	})
}

func (s *Server) putSource(ctx context.Context, tx pgx.Tx, b *recall.ServerSource) error {
	var id int64
	err := tx.QueryRow(ctx, `INSERT INTO source(machine, key, session, origin) VALUES($1, $2, $3, $4)
		ON CONFLICT (machine, key) DO UPDATE SET session = excluded.session, origin = excluded.origin, print = '' RETURNING id`,
		s.db.current().machine, clean(b.Key), clean(b.Session), clean(b.From)).Scan(&id)
	if err != nil {
		return err
	}
	if err := remove(ctx, tx, id, b); err != nil {
		return err
	}
	for some := range slices.Chunk(b.Passages, rowsAtOnce) {
		rows := make([]row, len(some))
		for i := range some {
			rows[i] = rowOf(&some[i])
		}
		data, err := json.Marshal(rows)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, putRows, id, data); err != nil {
			return err
		}
	}
	return updateTotals(ctx, tx, id, b.Print)
}

// rowsAtOnce is how many passages one statement writes.
const rowsAtOnce = 512

// remove deletes passages that are gone or are about to be replaced.
func remove(ctx context.Context, tx pgx.Tx, source int64, b *recall.ServerSource) error {
	places := slices.Clone(b.Gone)
	for _, p := range b.Passages {
		places = append(places, p.ServerPlace)
	}
	strands, messages, parts := make([]int16, len(places)), make([]int32, len(places)), make([]int32, len(places))
	for i, p := range places {
		strands[i], messages[i], parts[i] = int16(p.Strand), int32(p.Message), int32(p.Part) //nolint:gosec // small
	}
	_, err := tx.Exec(ctx, `DELETE FROM passage p USING unnest($2::smallint[], $3::integer[], $4::integer[]) g(strand, message, part)
		WHERE p.source = $1 AND p.strand = g.strand AND p.message = g.message AND p.part = g.part`, source, strands, messages, parts)
	return err
}

// updateTotals stores the totals and the print of a source.
func updateTotals(ctx context.Context, tx pgx.Tx, source int64, print string) error {
	_, err := tx.Exec(ctx, `UPDATE source SET print = $2, (docs, words, oldest, newest) = (
			SELECT count(*), coalesce(sum(length), 0), coalesce(min(nullif(said, 0)), 0), coalesce(max(said), 0) FROM passage WHERE source = $1)
		WHERE id = $1`, source, print)
	return err
}

// Drop implements recall.Server.
func (s *Server) Drop(ctx context.Context, keys ...string) error {
	return s.db.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM source WHERE machine = $1 AND key = ANY($2)", s.db.current().machine, cleanAll(keys))
		return err
	})
}

// Erase implements recall.Server.
func (s *Server) Erase(ctx context.Context, ids, sessions, files []string) error {
	var keys, blocks []string // of the passages with these IDs
	for _, id := range ids {
		if at := strings.LastIndexByte(id, '/'); at > 0 {
			keys, blocks = append(keys, clean(id[:at])), append(blocks, clean(id[at+1:]))
		}
	}
	return s.db.inTx(ctx, func(tx pgx.Tx) error {
		touched := map[int64]bool{}
		var id int64
		take := func(statement string, args ...any) error {
			rows, err := tx.Query(ctx, statement, append([]any{s.db.current().machine}, args...)...)
			if err == nil {
				_, err = pgx.ForEachRow(rows, []any{&id}, func() error { touched[id] = true; return nil })
			}
			return err
		}
		_, err := tx.Exec(ctx, "DELETE FROM source WHERE machine = $1 AND session <> '' AND session = ANY($2)", s.db.current().machine, cleanAll(sessions))
		if err == nil {
			err = take("DELETE FROM passage p USING source s WHERE s.id = p.source AND s.machine = $1 AND p.path = ANY($2) RETURNING s.id", cleanAll(files))
		}
		if err == nil { // "session/block/part"
			err = take(`DELETE FROM passage p USING source s, unnest($2::text[], $3::text[]) e(message, part) WHERE s.id = p.source AND s.machine = $1
				AND s.session <> '' AND s.session || '/' || p.block = e.message AND p.part::text = e.part RETURNING s.id`, keys, blocks)
		}
		if err == nil { // "memory/path/block" or "memory/path/block-number"
			err = take(`DELETE FROM passage p USING source s, unnest($2::text[], $3::text[]) e(file, block) WHERE s.id = p.source AND s.machine = $1
				AND s.session = '' AND 'memory/' || s.key = e.file AND p.block = split_part(e.block, '-', 1) RETURNING s.id`, keys, blocks)
		}
		for id := range touched {
			err = errors.Join(err, updateTotals(ctx, tx, id, "")) // will be compared with the rest of its files
		}
		return err
	})
}

// Cool implements recall.Server. After many new passages it makes the server count again how
// common words are.
func (s *Server) Cool(ctx context.Context, before int64) error {
	s.mu.Lock()
	analyze := s.put > analyzeAfter
	if analyze {
		s.put, s.stats = 0, nil
	}
	s.mu.Unlock()
	if analyze {
		if _, err := s.db.pool.Exec(ctx, "ANALYZE passage"); err != nil {
			return explain(err)
		}
	}
	return s.db.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `WITH moved AS (
				UPDATE source SET cold = NOT cold WHERE machine = $1 AND session <> '' AND cold <> (newest > 0 AND newest <= $2) RETURNING id, cold)
			UPDATE passage SET cold = moved.cold FROM moved WHERE passage.source = moved.id`, s.db.current().machine, before)
		return err
	})
}

// Unembedded implements recall.Server.
func (s *Server) Unembedded(ctx context.Context, m recall.EmbedModel, after int64, limit int) ([]recall.ServerUnembedded, error) {
	ctx, stop := context.WithTimeout(ctx, batchTime)
	defer stop()
	if err := s.db.prepare(ctx); err != nil || s.db.current().vectors == "" {
		return nil, err
	}
	rows, err := s.db.pool.Query(ctx, `SELECT p.strand, p.message, p.part, p.id, s.key, p.mark FROM passage p JOIN source s ON s.id = p.source
		WHERE s.machine = $1 AND p.id > $2 AND NOT EXISTS (
			SELECT FROM embedding e JOIN model m ON m.id = e.model WHERE e.passage = p.id AND m.name = $3 AND m.digest = $4 AND m.dims = $5)
		ORDER BY p.id LIMIT $6`, s.db.current().machine, after, m.Name, m.Digest, m.Dims, limit)
	if err != nil {
		return nil, explain(err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (u recall.ServerUnembedded, err error) {
		err = r.Scan(&u.Strand, &u.Message, &u.Part, &u.ID, &u.Key, &u.Mark)
		return u, err
	})
	return out, explain(err)
}

// maxDims is the most dimensions that an index of halfvec can have.
const maxDims = 4000

// PutVectors implements recall.Server.
func (s *Server) PutVectors(ctx context.Context, m recall.EmbedModel, ids []int64, vectors [][]float32) error {
	if m.Dims < 1 || m.Dims > maxDims {
		return fmt.Errorf("%w: vectors of %d dimensions can't be put there, only up to %d", recall.ErrServer, m.Dims, maxDims)
	}
	texts := make([]string, len(vectors))
	for i, v := range vectors {
		texts[i] = pgvector.NewHalfVector(v).String()
	}
	model, err := s.db.model(ctx, m)
	if err != nil {
		return err
	}
	return s.db.inTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO embedding(model, passage, v)
			SELECT $1, p.id, v.v::halfvec FROM unnest($2::bigint[], $3::text[]) v(id, v) JOIN passage p ON p.id = v.id
			ON CONFLICT DO NOTHING`, model, ids, texts)
		return err
	})
}

// clean returns a text that PostgreSQL can store: without invalid UTF-8 and NUL.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

func cleanAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = clean(t)
	}
	return out
}

// maxLexeme is the longest word of a tsvector, in bytes.
const maxLexeme = 2 << 10

// lexeme returns a term in the form of a tsvector; "" if it has none.
func lexeme(term string) string {
	if term = clean(term); len(term) >= maxLexeme {
		return ""
	}
	return term
}
