package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"mac-stats/sessionmem/recall/analysis"
)

// statistics are how common words are on the server, as its ANALYZE counted them.
type statistics struct {
	at     time.Time
	docs   float64            // passages that there are, about
	shares map[string]float64 // of the most common terms: which share of the passages has them
}

const (
	// gathered is how many passages a search takes up by words, about: by its rarest terms.
	gathered = 2500
	// statisticsFor is how long statistics are used. They change slowly.
	statisticsFor = 5 * time.Minute
	// analyzeAfter is how many passages are put before the server counts anew by itself.
	analyzeAfter = 10_000
)

// statistics gives how common words are; none where that isn't known.
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
		return now // the next search asks again
	}
	s.mu.Lock()
	s.stats = now
	s.mu.Unlock()
	return now
}

// count is how many passages have a term, about; 0 for one that is rare.
func (st *statistics) count(t analysis.QueryTerm) float64 {
	share := 0.0
	for _, v := range t.Variants {
		share += st.shares[v.Term]
	}
	return min(share, 1) * st.docs
}

// gather says by which terms passages are taken up: by the rarest ones, as many as stay
// below a number of passages together. The others count where those are found. Where even
// the rarest is too common it has to stand beside others.
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
		if place > 0 && sum+counts[i] > gathered {
			common, commonNumbers = append(common, query), append(commonNumbers, n)
			q.common[n] = counts[i]
			continue
		}
		if counts[i] > gathered {
			query = st.narrowed(q, order, counts)
		}
		sum += counts[i]
		queries, numbers, weights, ns = append(queries, query), append(numbers, n), append(weights, q.terms[i].Weight), append(ns, int64(counts[i]))
	}
	args["queries"], args["terms"], args["weights"], args["counts"] = queries, numbers, weights, ns
	args["common"], args["common_terms"], args["most"] = common, commonNumbers, 4*gathered
}

// narrowed is a query for the rarest of terms that are all common: beside one of the others,
// or beside as many of the next ones as it takes.
func (st *statistics) narrowed(q *question, order []int, counts []float64) string {
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
	if counts[order[0]]*(1-left) <= gathered {
		return "(" + first + ")&(" + strings.Join(others, "|") + ")"
	}
	query, n := "("+first+")", counts[order[0]]
	for at, i := range order[1:] {
		query += "&(" + others[at] + ")"
		if n *= counts[i] / st.docs; n <= gathered {
			break
		}
	}
	return query
}

// queryOf is a term as a tsquery: any of its variants.
func queryOf(t analysis.QueryTerm) string {
	var all []string
	for _, v := range t.Variants {
		if word := lexeme(v.Term); word != "" {
			all = append(all, "'"+quoted.Replace(word)+"'")
		}
	}
	return strings.Join(all, "|")
}

// quoted writes a word as a tsquery has it between quotes.
var quoted = strings.NewReplacer(`\`, `\\`, `'`, `''`)
