package postgres

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/rank"
)

const (
	nearest  = 200 // number of nearest passages by meaning
	maxTerms = 64  // in a question
)

// found is a candidate as the server returns it.
type found struct {
	recall.ServerHit
	id, source                     int64
	session, around                float64
	terms                          []int64 // terms of the question in the neighbouring messages, numbered from 1
	nears                          []float64
	cosine, before, after, average *float64
}

// question is a search in progress.
type question struct {
	*recall.ServerQuestion
	terms  []analysis.QueryTerm // without pairs, which count only when texts are known
	held   map[int64]float64    // number of passages with a term, by term number from 1
	common map[int64]float64    // the same, approximately, for terms too common to search by
	docs   float64
	words  float64
	shares []float64
	cold   bool // some of what may be searched is in the cold tier

	messages map[messagePlace]uint32 // numbers of the messages of candidates
}

// messagePlace is the position of a message.
type messagePlace struct {
	source  int64
	strand  uint8
	message int
}

// moment scans a time from the database.
type moment time.Time

// Scan reads seconds since 1970; 0 is the zero time.
func (m *moment) Scan(from any) error {
	said, ok := from.(int64)
	if !ok {
		return fmt.Errorf("a time is %T", from)
	}
	if *m = moment(time.Time{}); said != 0 {
		*m = moment(time.Unix(said, 0))
	}
	return nil
}

// analyzers keeps analyzers for reuse, because they are expensive to make.
var analyzers = sync.Pool{New: func() any { return analysis.NewAnalyzer() }}

// Candidates implements recall.Server with one round trip.
func (s *Server) Candidates(ctx context.Context, asked recall.ServerQuestion) (recall.ServerFound, error) {
	there, err := s.db.forSearch(ctx)
	if err != nil {
		return recall.ServerFound{}, err
	}
	q := &question{ServerQuestion: &asked, messages: map[messagePlace]uint32{}}
	for _, t := range asked.Terms.Terms {
		if t.Class != analysis.ClassPair && len(q.terms) < maxTerms {
			q.terms = append(q.terms, t)
		}
	}
	args := q.args()
	s.statistics(ctx).gather(q, args)
	args["me"] = there.machine
	dims := 0
	if asked.Vector != nil && there.vectors != "" {
		model, err := s.db.modelForSearch(ctx, asked.Model)
		if err != nil {
			return recall.ServerFound{}, err
		}
		if model != 0 {
			dims = len(asked.Vector)
			args["model"], args["vector"], args["nearest"] = model, pgvector.NewHalfVector(asked.Vector).String(), nearest
		}
	}
	all := asked.ColdBefore == 0 || asked.Scope.Session != "" || len(asked.Terms.Spans) > 0
	var out recall.ServerFound
	var list []found
	err = s.db.again(ctx, func() (err error) {
		out, list, err = s.ask(ctx, q, args, all, dims)
		return err
	})
	if err == nil && !all && q.cold { // all sessions in the scope are cold, or this machine's clock is slow
		out, list, err = s.ask(ctx, q, args, true, dims)
	}
	if err != nil {
		return recall.ServerFound{}, explain(err)
	}
	q.rank(list, &out)
	return out, nil
}

// ask sends the statements in one batch.
func (s *Server) ask(ctx context.Context, q *question, args pgx.NamedArgs, all bool, dims int) (out recall.ServerFound, list []found, err error) {
	var batch pgx.Batch
	q.held = nil
	batch.Queue(counted, args).QueryRow(func(row pgx.Row) error {
		var docs, words int64
		err := row.Scan(&out.Cold, &docs, &words, &q.cold)
		q.docs, q.words = float64(max(docs, 1)), float64(words)
		return err
	})
	if len(q.terms) > 0 || dims > 0 {
		batch.Queue(candidates(all, q.MeaningOnly, dims), args).Query(func(rows pgx.Rows) error {
			list, err = pgx.CollectRows(rows, q.read)
			return err
		})
	}
	var then []found
	if q.Terms.OnlyTime {
		batch.Queue(saidThen, args).Query(func(rows pgx.Rows) error {
			then, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (f found, err error) {
				err = row.Scan(f.columns()...)
				return f, err
			})
			return err
		})
	}
	err = s.db.pool.SendBatch(ctx, &batch).Close()
	out.Passages, out.Candidates, out.Then = nil, nil, nil
	bySource := map[int64][]rank.Candidate{}
	for i := range then {
		then[i].whole()
		c := q.candidate(&then[i], len(out.Passages))
		out.Passages = append(out.Passages, then[i].ServerHit)
		bySource[then[i].source] = append(bySource[then[i].source], c)
	}
	for _, list := range bySource {
		out.Then = append(out.Then, list)
	}
	return out, list, err
}

// columns returns the destinations for the columns of a passage.
func (f *found) columns() []any {
	return []any{
		&f.id, &f.source, &f.Strand, &f.Message, &f.ServerPlace.Part, &f.Parts, &f.Block, &f.Turn, (*string)(&f.Kind), &f.Agent, &f.Path, (*moment)(&f.Time), &f.Untrusted, (*uint8)(&f.Sources),
		&f.Length, (*uint8)(&f.Marks), &f.Text, &f.Key, &f.Session, &f.Source, &f.Print, &f.Machine,
	}
}

// whole fills in what the columns imply.
func (f *found) whole() { f.Chunk.Part = f.ServerPlace.Part }

// read reads a row of candidates.
func (q *question) read(row pgx.CollectableRow) (f found, err error) {
	var counts, terms []int64
	err = row.Scan(append(f.columns(), &f.session, &f.around, &f.terms, &f.nears, &counts, &terms, &f.cosine, &f.before, &f.after, &f.average)...)
	if q.held == nil {
		q.held = map[int64]float64{}
		for i, t := range terms {
			q.held[t] = float64(counts[i])
		}
		maps.Copy(q.held, q.common)
	}
	f.whole()
	return f, err
}

// args returns the parameters of the statements.
func (q *question) args() pgx.NamedArgs {
	w := q.Weights
	var from, to []int64
	for _, t := range q.Terms.Spans {
		from, to = append(from, t.From.Unix()), append(to, t.To.Unix())
	}
	var offsets []int32
	for i := range rank.Reach {
		by := int32(i + 1) //nolint:gosec // 1 or 2
		offsets = append(offsets, by, -by)
		q.shares = append(q.shares, float64(w.Beside.After[i]), float64(w.Beside.Before[i]))
	}
	answers := w.Spread
	if q.Terms.AboutAnswers {
		answers -= w.AboutAnswers
	}
	origins := make([]string, len(q.Scope.Sources))
	for i, o := range q.Scope.Sources {
		origins[i] = clean(o)
	}
	return pgx.NamedArgs{
		"from": from, "to": to, "cutoff": q.ColdBefore, "offsets": offsets, "shares": q.shares,
		"session": clean(q.Scope.Session), "not_session": clean(q.Scope.NotSession), "memory": !q.Scope.NoMemory, "origins": origins,
		"beginning": float64(w.Beside.Beginning), "k": float64(w.K), "rarity": w.Rarity, "reply": float64(w.Beside.Reply), "own": float64(w.Own), "session_k": w.Session.K, "session_b": w.Session.B,
		"spread": w.Spread, "assistant": string(corpus.KindAssistant), "answers": answers, "session_share": w.Session.Share, "limit": w.Candidates,
	}
}

// rank computes the features that candidates are ranked by, in the same way as the index of a
// machine (see recall/index).
func (q *question) rank(list []found, out *recall.ServerFound) {
	own := q.count(list)
	w := q.Weights
	user, answer := w.Shares(q.Terms.AboutAnswers)
	sum := 1.0
	for _, s := range q.shares {
		sum += s
	}
	average := max(q.words/q.docs, 1)
	weights, whole := make([]float64, len(q.terms)), 1e-9
	for i, t := range q.terms {
		weights[i] = t.Weight * w.Idf(int(q.held[int64(i+1)]), int(q.docs)) * float64(w.K+1)
		if t.Class != analysis.ClassMoment {
			whole += weights[i]
		}
	}
	scores, most := make([]float64, len(list)), 0.0
	for i := range list {
		f := &list[i]
		near := make([]float64, len(q.terms))
		for j, t := range f.terms {
			near[t-1] = f.nears[j]
		}
		norm := float64(w.K) * (1 - float64(w.B) + float64(w.B)*(float64(f.Length)+f.around)/sum/average)
		for t, mine := range own[i] {
			if n := mine + near[t]; n > 0 {
				scores[i] += weights[t] * (n/(n+norm) + float64(w.Own)*mine/(mine+norm))
			}
		}
		most = max(most, scores[i])
	}
	for i := range list {
		f := &list[i]
		c := q.candidate(f, len(out.Passages))
		out.Passages = append(out.Passages, f.ServerHit)
		share := user
		if f.Kind == corpus.KindAssistant {
			share = answer
		}
		c.Share = float64(share.Of(uint8(min(f.Parts, math.MaxUint8)))) //nolint:gosec // bounded
		for t, mine := range own[i] {
			c.Exact = c.Exact || mine > 0 && q.terms[t].Class == analysis.ClassExact
		}
		c.Relevance = min(1, scores[i]/whole)
		if scores[i] > 0 {
			c.Words, c.Session = scores[i]/most, f.session
		}
		if f.cosine != nil {
			c.HasVector, c.Cosine = true, *f.cosine
		}
		for at, cosine := range []*float64{f.before, f.after} {
			if cosine != nil {
				c.Beside[at] = *cosine
			}
		}
		if f.average != nil {
			if out.Meaning == nil {
				out.Meaning = &rank.Meaning{Average: *f.average, Best: -1}
			}
			out.Meaning.Best = max(out.Meaning.Best, c.Cosine)
		}
		out.Candidates = append(out.Candidates, c)
	}
}

// candidate returns the features of a passage that don't depend on the question.
func (q *question) candidate(f *found, at int) rank.Candidate {
	place := messagePlace{f.source, f.Strand, f.Message}
	if q.messages[place] == 0 {
		q.messages[place] = uint32(len(q.messages) + 1) //nolint:gosec // a few hundred
	}
	said := int64(0)
	if !f.Time.IsZero() {
		said = f.Time.Unix()
	}
	return rank.Candidate{
		At: uint32(at), Message: q.messages[place], Source: uint32(f.source), Number: uint32(f.id), Time: said, Ages: f.Session != "", Share: 1, Length: f.Length, Marks: f.Marks, //nolint:gosec // bits are what is wanted
	}
}

// count counts how often each term of the question occurs in each text.
func (q *question) count(list []found) [][]float64 {
	out := make([][]float64, len(list))
	number := map[string][]int{}
	for i, t := range q.terms {
		for _, v := range t.Variants {
			number[v.Term] = append(number[v.Term], i)
		}
	}
	workers := min(runtime.GOMAXPROCS(0), 4)
	var work sync.WaitGroup
	for n := range workers {
		work.Go(func() {
			a := analyzers.Get().(*analysis.Analyzer) //nolint:forcetypeassert // nothing else is in it
			defer analyzers.Put(a)
			for i := n; i < len(list); i += workers {
				out[i] = make([]float64, len(q.terms))
				for _, f := range a.Chunk(list[i].Text, list[i].Time).Freqs {
					for _, t := range number[f.Term] {
						at := slices.IndexFunc(q.terms[t].Variants, func(v analysis.Variant) bool { return v.Term == f.Term })
						out[i][t] += q.terms[t].Variants[at].Weight * float64(f.N)
					}
				}
			}
		})
	}
	work.Wait()
	return out
}
