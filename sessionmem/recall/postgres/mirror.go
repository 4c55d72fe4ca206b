package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/transcript"
)

// batchTime is how long a step of a copy may take: after that, a server that stopped answering
// is left alone until a later try.
const batchTime = 2 * time.Minute

// Compare implements recall.Server. It begins a copy.
func (s *Server) Compare(ctx context.Context, sums map[string]int64, keep []string) (differ map[string]bool, dropped int, err error) {
	ctx, stop := context.WithTimeout(ctx, batchTime)
	defer stop()
	if _, err := s.prepare(ctx); err != nil {
		return nil, 0, err
	}
	there := map[int64]int64{}
	var file, sum int64
	rows, err := s.pool.Query(ctx, "SELECT file, sum(print)::bigint FROM mirror WHERE machine = $1 GROUP BY file", s.uid)
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&file, &sum}, func() error { there[file] = sum; return nil })
	}
	if err != nil {
		return nil, 0, explain(err)
	}
	differ = map[string]bool{}
	for key, sum := range sums {
		was, has := there[s.file(key)]
		if was != sum {
			differ[key] = has
		}
		delete(there, s.file(key))
	}
	for _, key := range keep {
		delete(there, s.file(key))
	}
	gone := make([]int64, 0, len(there))
	for file := range there {
		gone = append(gone, file)
	}
	if len(gone) > 0 {
		err = s.inTx(ctx, func(tx pgx.Tx) error {
			err := s.lock(ctx, tx)
			if err == nil {
				_, err = tx.Exec(ctx, "DELETE FROM mirror WHERE machine = $1 AND file = ANY($2)", s.uid, gone)
			}
			return err
		})
	}
	return differ, len(gone), err
}

// Prints implements recall.Server.
func (s *Server) Prints(ctx context.Context, key string) (map[int]int64, error) {
	ctx, stop := context.WithTimeout(ctx, batchTime)
	defer stop()
	out := map[int]int64{}
	var number int
	var print int64
	rows, err := s.pool.Query(ctx, "SELECT number, print FROM mirror WHERE machine = $1 AND file = $2", s.uid, s.file(key))
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&number, &print}, func() error { out[number] = print; return nil })
	}
	return out, explain(err)
}

// row is a passage in the form that putRows reads.
type row struct {
	File    int64  `json:"file"`
	Number  int    `json:"number"`
	Print   int64  `json:"print"`
	Hash    int64  `json:"hash"`
	ID      []byte `json:"id"`
	Session string `json:"session"`
	Source  string `json:"source"`
	Path    string `json:"path"`
	Block   string `json:"block"`
	Part    int    `json:"part"`
	Turn    int    `json:"turn"`
	Kind    string `json:"kind"`
	Agent   string `json:"agent"`
	Time    int64  `json:"time"`
	Sources int    `json:"sources"`
	Text    string `json:"text"`
	Words   string `json:"words"`
}

// putRows inserts rows.
const putRows = `INSERT INTO mirror(machine, file, number, print, hash, id, session, source, path, block, part, turn, kind, agent, time, sources, text, words)
SELECT $1, file, number, print, hash, decode(id, 'base64'), session, source, path, block, part, turn, kind, agent, time, sources, text, words::tsvector
FROM json_to_recordset($2) AS r(file bigint, number integer, print bigint, hash bigint, id text, session text, source text, path text, block text, part integer, turn integer, kind text, agent text,
	time bigint, sources integer, text text, words text)`

// rowOf returns the row of a passage, without its ID.
func (s *Server) rowOf(p *recall.ServerPassage) row {
	r := row{
		File: s.file(p.Key), Number: p.Number, Print: p.Print, Hash: int64(p.Hash), Session: clean(p.Session), Source: clean(p.Source), Block: clean(p.Block), Part: p.Part, Turn: p.Turn, //nolint:gosec // bits are what is wanted
		Kind: string(p.Kind), Agent: clean(p.Agent), Sources: int(p.Sources), Text: clean(p.Text), Words: vectorOf(p.Terms),
	}
	if p.Session == "" {
		r.Path = clean(p.Path)
	}
	if !p.Time.IsZero() {
		r.Time = p.Time.Unix()
	}
	return r
}

// lock begins a transaction that changes this machine's passages. It waits for a Sweep, which
// waits for it, so that nothing arrives which was forgotten meanwhile; and for another process
// of this machine, since the app and a command may copy the same at once. The order is that of
// Sweep: first the table.
func (s *Server) lock(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "LOCK TABLE mirror IN ROW EXCLUSIVE MODE")
	if err == nil {
		_, err = tx.Exec(ctx, "SELECT FROM mirror_machine WHERE uid = $1 FOR UPDATE", s.uid)
	}
	return err
}

// Put implements recall.Server.
func (s *Server) Put(ctx context.Context, all []recall.ServerPassage, gone []recall.ServerPlace) (forgotten []int, err error) {
	ctx, stop := context.WithTimeout(ctx, batchTime)
	defer stop()
	ids := make([][]byte, len(all))
	var files []int64
	var numbers []int
	for i := range all {
		p := &all[i]
		ids[i] = s.hash("mac-stats passage", p.Key, p.Session, p.Block, strconv.FormatUint(p.Hash, 16))
		if p.Session != "" { // its file may get another name
			ids[i] = s.hash("mac-stats passage", p.Session, p.Block, strconv.FormatUint(p.Hash, 16))
		}
		gone = append(gone, p.ServerPlace)
	}
	for _, at := range gone {
		files, numbers = append(files, s.file(at.Key)), append(numbers, at.Number)
	}
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		if err := s.lock(ctx, tx); err != nil {
			return err
		}
		refused := map[string]bool{}
		var id []byte
		found, err := tx.Query(ctx, "SELECT id FROM mirror_forgotten WHERE id = ANY($1)", ids)
		if err == nil {
			_, err = pgx.ForEachRow(found, []any{&id}, func() error { refused[string(id)] = true; return nil })
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "DELETE FROM mirror m USING unnest($2::bigint[], $3::integer[]) g(file, number) WHERE m.machine = $1 AND m.file = g.file AND m.number = g.number", s.uid, files, numbers); err != nil {
			return err
		}
		forgotten = nil
		rows := make([]row, 0, len(all))
		for i := range all {
			if refused[string(ids[i])] {
				forgotten = append(forgotten, i)
				continue
			}
			r := s.rowOf(&all[i])
			r.ID = ids[i]
			rows = append(rows, r)
		}
		data, err := json.Marshal(rows)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, putRows, s.uid, data); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE mirror_machine SET seen = now() WHERE uid = $1", s.uid)
		return err
	})
	return forgotten, err
}

// modelName returns the name of a model on the server.
func modelName(m recall.EmbedModel) string {
	return clean(fmt.Sprintf("%s %s %d", m.Name, m.Digest, m.Dims))
}

// Unembedded implements recall.Server.
func (s *Server) Unembedded(ctx context.Context, m recall.EmbedModel, after int64, limit int) ([]recall.ServerUnembedded, error) {
	ctx, stop := context.WithTimeout(ctx, batchTime)
	defer stop()
	if there, err := s.forSearch(ctx); err != nil || there.vectors == "" {
		return nil, err
	}
	rows, err := s.pool.Query(ctx, "SELECT entry, hash FROM mirror WHERE machine = $1 AND entry > $2 AND model IS DISTINCT FROM $3 ORDER BY entry LIMIT $4", s.uid, after, modelName(m), limit)
	if err != nil {
		return nil, explain(err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (u recall.ServerUnembedded, err error) {
		var hash int64
		err = r.Scan(&u.Entry, &hash)
		u.Hash = uint64(hash) //nolint:gosec // bits are what is wanted
		return u, err
	})
	return out, explain(err)
}

// maxDims is the most dimensions that an index of halfvec can have.
const maxDims = 4000

// PutVectors implements recall.Server. Vectors of different lengths can't share an index.
func (s *Server) PutVectors(ctx context.Context, m recall.EmbedModel, rows []int64, vectors [][]float32) error {
	if m.Dims < 1 || m.Dims > maxDims {
		return fmt.Errorf("%w: vectors of %d dimensions can't be put there, only up to %d", recall.ErrServer, m.Dims, maxDims)
	}
	ctx, stop := context.WithTimeout(ctx, batchTime)
	defer stop()
	texts := make([]string, len(vectors))
	for i, v := range vectors {
		texts[i] = pgvector.NewHalfVector(v).String()
	}
	// Making an index waits for everybody who writes, even if it turns out that it is there.
	there, index := false, fmt.Sprintf("mirror_meaning_%d", m.Dims)
	err := s.again(ctx, func() error {
		err := s.pool.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", index).Scan(&there)
		if err == nil && !there {
			_, err = s.pool.Exec(ctx, fmt.Sprintf("CREATE INDEX IF NOT EXISTS %[1]s ON mirror USING hnsw ((meaning::halfvec(%[2]d)) halfvec_cosine_ops) WHERE vector_dims(meaning) = %[2]d", index, m.Dims))
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.inTx(ctx, func(tx pgx.Tx) error {
		err := s.lock(ctx, tx)
		if err == nil {
			_, err = tx.Exec(ctx, "UPDATE mirror m SET model = $1, meaning = v.v::halfvec FROM unnest($2::bigint[], $3::text[]) v(entry, v) WHERE m.entry = v.entry", modelName(m), rows, texts)
		}
		return err
	})
}

// sweepAtOnce is how many rows a sweep reads at a time.
const sweepAtOnce = 2000

// Sweep removes what was forgotten from the rows of all machines, and notes it, so that no machine
// copies it there again. record says which forgettings are looked for: rows that were compared
// with the same ones before aren't read again. mine reports whether a block is of this machine.
// Sweep returns the names of the other machines.
func (s *Server) Sweep(ctx context.Context, record string, forgotten func(mine bool, session string, b transcript.Block) bool) (others []string, err error) {
	if _, err := s.prepare(ctx); err != nil {
		return nil, err
	}
	for n := sweepAtOnce; n == sweepAtOnce; {
		ctx, stop := context.WithTimeout(ctx, batchTime)
		err := s.inTx(ctx, func(tx pgx.Tx) error {
			// Rows get their numbers before they can be seen: this waits for those that are being written.
			if _, err := tx.Exec(ctx, "LOCK TABLE mirror IN SHARE ROW EXCLUSIVE MODE"); err != nil {
				return err
			}
			last, gone := int64(0), []int64{}
			if err := tx.QueryRow(ctx, "SELECT coalesce((SELECT swept FROM mirror_machine WHERE uid = $1 AND record = $2), 0)", s.uid, record).Scan(&last); err != nil {
				return err
			}
			n = 0
			var said int64
			var mine bool
			var session string
			var b transcript.Block
			rows, err := tx.Query(ctx, "SELECT entry, machine = $1, session, block, kind, agent, time, text FROM mirror WHERE entry > $2 ORDER BY entry LIMIT $3", s.uid, last, sweepAtOnce)
			if err == nil {
				_, err = pgx.ForEachRow(rows, []any{&last, &mine, &session, &b.ID, (*string)(&b.Kind), &b.Agent, &said, &b.Text}, func() error {
					n++
					if b.Time = (time.Time{}); said != 0 {
						b.Time = time.Unix(said, 0)
					}
					if forgotten(mine, session, b) {
						gone = append(gone, last)
					}
					return nil
				})
			}
			if err == nil && len(gone) > 0 {
				_, err = tx.Exec(ctx, `WITH gone AS (DELETE FROM mirror WHERE id IN (SELECT id FROM mirror WHERE entry = ANY($1) AND id <> '') OR entry = ANY($1) RETURNING id)
					INSERT INTO mirror_forgotten(id) SELECT DISTINCT id FROM gone WHERE id <> '' ON CONFLICT DO NOTHING`, gone)
			}
			if err == nil {
				_, err = tx.Exec(ctx, "UPDATE mirror_machine SET record = $2, swept = $3 WHERE uid = $1", s.uid, record, last)
			}
			return err
		})
		stop()
		if err != nil {
			return nil, err
		}
	}
	rows, err := s.pool.Query(ctx, "SELECT coalesce(nullif(name, ''), 'another machine') FROM mirror_machine WHERE uid <> $1 ORDER BY name", s.uid)
	if err == nil {
		others, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	return others, explain(err)
}

// clean returns a text that PostgreSQL can store: without invalid UTF-8 and NUL.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

const (
	// maxLexeme is the longest word of a tsvector, in bytes; mostPlaces the number of places that it
	// counts up to, and of a word's.
	maxLexeme  = 2 << 10
	mostPlaces = 16383
	mostOfWord = 255
)

// lexeme returns a term as a word of a tsvector or a tsquery; "" if it can't be one.
func lexeme(term string) string {
	if term = clean(term); term == "" || len(term) >= maxLexeme {
		return ""
	}
	return "'" + quoted.Replace(term) + "'"
}

// quoted escapes a word for use between quotes.
var quoted = strings.NewReplacer(`\`, `\\`, `'`, `''`)

// vectorOf returns a tsvector of terms. Its places only tell how often each occurs.
func vectorOf(terms []analysis.TermFreq) string {
	var out strings.Builder
	place := 0
	for _, t := range terms {
		word := lexeme(t.Term)
		if word == "" {
			continue
		}
		out.WriteString(word)
		for i := range min(t.N, mostOfWord) {
			sign := ','
			if i == 0 {
				sign = ':'
			}
			place = min(place+1, mostPlaces)
			out.WriteRune(sign)
			out.WriteString(strconv.Itoa(place))
		}
		out.WriteByte(' ')
	}
	return out.String()
}
