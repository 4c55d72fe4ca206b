package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"mac-stats/sessionmem/recall/analysis"
)

// statistics holds how common words are on the server, according to its ANALYZE.
type statistics struct {
	at     time.Time
	docs   float64            // approximate number of passages
	shares map[string]float64 // share of passages with each of the most common terms
}

const (
	// maxGathered is about how many passages a search collects by words, using its rarest terms.
	maxGathered = 2500
	// statisticsFor is how long statistics are used. They change slowly.
	statisticsFor = 5 * time.Minute
	// analyzeAfter is how many new passages make Cool run ANALYZE.
	analyzeAfter = 10_000
)

// statistics returns how common words are; it is empty if that isn't known.
func (s *Server) statistics(ctx context.Context) *statistics {
	s.mu.Lock()
	known := s.stats
	s.mu.Unlock()
	if known != nil && time.Since(known.at) < statisticsFor {
		return known
	}
	now := &statistics{at: time.Now(), shares: map[string]float64{}}
	var words []string
	var shares []float64
	err := s.db.pool.QueryRow(ctx, `SELECT (SELECT sum(docs) FROM source)::float8, most_common_elems::text::text[], most_common_elem_freqs::float8[]
		FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'passage' AND attname = 'words'`, pgx.QueryExecModeExec).Scan(&now.docs, &words, &shares)
	if err == nil {
		for i, w := range words[:min(len(words), len(shares))] {
			now.shares[w] = shares[i]
		}
	} // else all terms count as rare
	if ctx.Err() != nil {
		return now // the next search tries again
	}
	s.mu.Lock()
	s.stats = now
	s.mu.Unlock()
	return now
}

// count returns about how many passages contain a term; 0 for a rare one.
func (st *statistics) count(t analysis.QueryTerm) float64 {
	share := 0.0
	for _, v := range t.Variants {
		share += st.shares[v.Term]
	}
	return min(share, 1) * st.docs
}

// gather chooses the terms that passages are collected by: the rarest ones, as long as they
// have no more than maxGathered passages together. The other terms only count for the passages
// found. If even the rarest is too common, it is combined with others.
func (st *statistics) gather(q *question, args pgx.NamedArgs) {
	order := make([]int, 0, len(q.terms))
	counts := make([]float64, len(q.terms))
	for i, t := range q.terms {
		order, counts[i] = append(order, i), st.count(t)
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(counts[a] - counts[b]) })
	queries, numbers, weights, ns := []string{}, []int64{}, []float64{}, []int64{}
	common, commonNumbers := []string{}, []int64{}
	q.common = map[int64]float64{}
	sum := 0.0
	for place, i := range order {
		query, n := queryOf(q.terms[i]), int64(i+1)
		if place > 0 && sum+counts[i] > maxGathered {
			common, commonNumbers = append(common, query), append(commonNumbers, n)
			q.common[n] = counts[i]
			continue
		}
		if counts[i] > maxGathered {
			query = st.narrowQuery(q, order, counts)
		}
		sum += counts[i]
		queries, numbers, weights, ns = append(queries, query), append(numbers, n), append(weights, q.terms[i].Weight), append(ns, int64(counts[i]))
	}
	args["queries"], args["terms"], args["weights"], args["counts"] = queries, numbers, weights, ns
	args["common"], args["common_terms"], args["most"] = common, commonNumbers, 4*maxGathered
}

// narrowQuery returns a query for the rarest of terms that are all common: together with any of
// the others, or with as many of the next ones as necessary.
func (st *statistics) narrowQuery(q *question, order []int, counts []float64) string {
	first := queryOf(q.terms[order[0]])
	var others []string
	left := 1.0
	for _, i := range order[1:] {
		others = append(others, queryOf(q.terms[i]))
		left *= 1 - counts[i]/st.docs
	}
	if len(others) == 0 {
		return first
	}
	if counts[order[0]]*(1-left) <= maxGathered {
		return "(" + first + ")&(" + strings.Join(others, "|") + ")"
	}
	query, n := "("+first+")", counts[order[0]]
	for at, i := range order[1:] {
		query += "&(" + others[at] + ")"
		if n *= counts[i] / st.docs; n <= maxGathered {
			break
		}
	}
	return query
}

// queryOf returns a tsquery for a term: any of its variants.
func queryOf(t analysis.QueryTerm) string {
	var all []string
	for _, v := range t.Variants {
		if word := lexeme(v.Term); word != "" {
			all = append(all, "'"+quoted.Replace(word)+"'")
		}
	}
	return strings.Join(all, "|")
}

// quoted escapes a word for use between the quotes of a tsquery.
var quoted = strings.NewReplacer(`\`, `\\`, `'`, `''`)
