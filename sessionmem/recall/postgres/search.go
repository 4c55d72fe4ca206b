package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
)

const (
	maxTerms = 64 // in a question
	// maxGathered is how many passages the rarest terms of a question may have on the asking machine
	// to collect passages by them. The other terms only count for the passages found.
	maxGathered = 2500
	// maxRanked limits the passages that are ranked by words.
	maxRanked = 2 * maxGathered
)

// inScope selects the passages that may be found: those of other machines in the scope that aren't
// cold, and those within a time that the question names.
const inScope = `m.machine <> @me
	AND CASE WHEN m.session = '' THEN @memory::boolean AND @session = ''
		ELSE @session IN ('', m.session) AND m.session <> @not_session AND (cardinality(@origins::text[]) = 0 OR m.source = ANY(@origins)) END
	AND (@cutoff::bigint = 0 OR m.session IN ('', @session) OR EXISTS (SELECT FROM spans WHERE f <= m.time AND m.time < u)
		OR EXISTS (SELECT FROM mirror n WHERE n.session = m.session AND n.machine = m.machine AND (n.time = 0 OR n.time > @cutoff)))`

// statement finds passages. PostgreSQL doesn't know how rare a word is, so each term of the
// question weighs less the more of the gathered passages have it. Words and meaning count by the
// place of a passage in each order (reciprocal rank fusion). %s is the part for the meaning.
const statement = `WITH asked AS MATERIALIZED (SELECT query::tsquery, weight, term FROM unnest(@queries::text[], @weights::float8[]) WITH ORDINALITY a(query, weight, term)),
spans AS MATERIALIZED (SELECT * FROM unnest(@from::bigint[], @to::bigint[]) s(f, u)),
held AS MATERIALIZED (SELECT entry, words, time FROM mirror m WHERE words @@ @gather::text::tsquery AND ` + inScope + ` LIMIT @most),
matched AS MATERIALIZED (SELECT entry, time, weight, ts_rank_cd('{1,1,1,1}', words, query, 1|32) AS score, count(*) OVER (PARTITION BY term) AS n FROM held JOIN asked ON words @@ query),
lexical AS (SELECT entry, row_number() OVER (ORDER BY score DESC, entry DESC) AS place FROM (
	SELECT entry, sum(weight * score * ln(1 + (total - n + .5) / (n + .5))) * CASE WHEN EXISTS (SELECT FROM spans WHERE f <= time AND time < u) THEN 2 ELSE 1 END AS score
	FROM matched, (SELECT count(*) AS total FROM held) t GROUP BY entry, time) s ORDER BY score DESC, entry DESC LIMIT @limit),
said AS (SELECT entry, row_number() OVER (ORDER BY time, entry) AS place FROM mirror m WHERE @only_time::boolean AND EXISTS (SELECT FROM spans WHERE f <= time AND time < u) AND ` + inScope + ` ORDER BY time, entry LIMIT @limit),
%s
best AS (SELECT entry, sum(1 / (60 + place::float8)) AS score, max(cosine) AS cosine FROM (
	SELECT entry, place, 0::float8 AS cosine FROM lexical UNION ALL SELECT entry, place, 0 FROM said UNION ALL SELECT entry, place, cosine FROM meant) b
	GROUP BY entry ORDER BY score DESC, entry DESC LIMIT @limit)
SELECT ` + columns + `, best.cosine
FROM best JOIN mirror m USING (entry) JOIN mirror_machine ON uid = m.machine ORDER BY best.score DESC, entry DESC`

// byMeaning finds the nearest passages by the vectors of a model with %[1]d dimensions.
const byMeaning = `meant AS (SELECT entry, cosine, row_number() OVER (ORDER BY cosine DESC, entry DESC) AS place FROM (
	SELECT entry, 1 - (meaning::halfvec(%[1]d) <=> @vector::text::halfvec(%[1]d)) AS cosine FROM mirror m
	WHERE vector_dims(meaning) = %[1]d AND model = @model AND ` + inScope + `
	ORDER BY meaning::halfvec(%[1]d) <=> @vector::text::halfvec(%[1]d) LIMIT @limit) n),`

// withoutMeaning finds none.
const withoutMeaning = `meant AS (SELECT 0::bigint AS entry, 0::float8 AS cosine, 0::bigint AS place WHERE false),`

// columns lists what is read of a passage.
const columns = `coalesce(nullif(mirror_machine.name, ''), 'another machine'), m.session, m.source, m.path, m.block, m.part, m.turn, m.kind, m.agent, m.time, m.sources, m.text`

// scan reads the columns of a passage, and others after them.
func scan(row pgx.CollectableRow, more ...any) (h recall.Hit, err error) {
	var said int64
	var sources int
	err = row.Scan(append([]any{&h.Machine, &h.Session, &h.Source, &h.Path, &h.Block, &h.Part, &h.Turn, (*string)(&h.Kind), &h.Agent, &said, &sources, &h.Text}, more...)...)
	if said != 0 {
		h.Time = time.Unix(said, 0)
	}
	h.Sources = transcript.Sources(sources) //nolint:gosec // bits are what is wanted
	h.Untrusted = !h.Sources.Typed()
	if h.ID = corpus.ChunkID(h.Session, h.Block, h.Part); h.Session == "" {
		h.ID = corpus.MemoryID(h.Path, h.Block, h.Part)
	}
	return h, err
}

// Search implements recall.Server with one statement.
func (s *Server) Search(ctx context.Context, q recall.ServerQuestion) (hits []recall.Hit, err error) {
	there, err := s.forSearch(ctx)
	if err != nil {
		return nil, err
	}
	args := pgx.NamedArgs{
		"me": s.uid, "cutoff": q.ColdBefore, "session": clean(q.Scope.Session), "not_session": clean(q.Scope.NotSession), "memory": !q.Scope.NoMemory,
		"only_time": q.OnlyTime, "limit": q.Limit, "most": maxRanked,
	}
	var from, to []int64
	for _, t := range q.Spans {
		from, to = append(from, t.From.Unix()), append(to, t.To.Unix())
	}
	origins := make([]string, len(q.Scope.Sources))
	for i, o := range q.Scope.Sources {
		origins[i] = clean(o)
	}
	args["from"], args["to"], args["origins"] = from, to, origins
	meaning, terms := withoutMeaning, q.Terms
	if q.Vector != nil && there.vectors != "" {
		if q.MeaningOnly {
			terms = nil
		}
		meaning = fmt.Sprintf(byMeaning, len(q.Vector))
		args["model"], args["vector"] = modelName(q.Model), pgvector.NewHalfVector(q.Vector).String()
	}
	gather(terms, args)
	err = s.again(ctx, func() error {
		rows, err := s.pool.Query(ctx, fmt.Sprintf(statement, meaning), args)
		if err != nil {
			return err
		}
		hits, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (recall.Hit, error) {
			var cosine float64
			h, err := scan(row, &cosine)
			h.Semantic = max(0, cosine)
			return h, err
		})
		return err
	})
	return hits, err
}

// gather sets the terms of a question, and those that passages are collected by: the rarest.
func gather(terms []recall.ServerTerm, args pgx.NamedArgs) {
	terms = slices.SortedStableFunc(slices.Values(terms), func(a, b recall.ServerTerm) int { return a.Held - b.Held })
	var queries, collect []string
	var weights []float64
	held := 0
	for _, t := range terms[:min(len(terms), maxTerms)] {
		var forms []string
		for _, f := range t.Forms {
			if word := lexeme(f); word != "" {
				forms = append(forms, word)
			}
		}
		if len(forms) == 0 {
			continue
		}
		query := strings.Join(forms, "|")
		if held += t.Held; len(collect) == 0 || held <= maxGathered {
			collect = append(collect, query)
		}
		queries, weights = append(queries, query), append(weights, t.Weight)
	}
	args["queries"], args["weights"], args["gather"] = queries, weights, strings.Join(collect, "|")
}

// maxMessages limits how many passages of a session are returned.
const maxMessages = 20_000

// Messages returns what other machines copied of a session, in the order it was said. machine is
// the name of one of them; "" means any.
func (s *Server) Messages(ctx context.Context, session, machine string) (out []recall.Hit, err error) {
	if _, err := s.forSearch(ctx); err != nil {
		return nil, err
	}
	err = s.again(ctx, func() error {
		rows, err := s.pool.Query(ctx, `SELECT `+columns+` FROM mirror m JOIN mirror_machine ON uid = m.machine
			WHERE m.session = $1 AND m.session <> '' AND m.machine <> $2 AND $3 IN ('', coalesce(nullif(mirror_machine.name, ''), 'another machine'))
			ORDER BY m.machine, m.time, m.file, m.number LIMIT $4`, clean(session), s.uid, machine, maxMessages)
		if err == nil {
			out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (recall.Hit, error) { return scan(row) })
		}
		return err
	})
	return out, err
}
