package index

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/rank"
)

// heads is what a process keeps in memory of all passages, at one moment.
type heads struct {
	change, removed int64
	byID            []*Indexed // nil: there is none
	sources         []*Indexed // in the order of their positions
	docs, words     int        // passages that can be found, and words in them
	different       int        // texts of them; 0: not counted yet
	owner           []uint32   // places of the sources, by position
	end             uint32     // of the positions
}

// Indexed is a source in the index.
type Indexed struct {
	Source
	Docs        int   // passages that can be found
	First, Last int64 // times of the oldest and the newest passage, in seconds since 1970; 0: none

	id      int
	place   uint32 // in heads.sources
	words   int
	strands [Strands]strand
}

// strand is a strand in memory. Its passages have the positions from base on.
type strand struct {
	base  uint32
	heads []head
}

// load brings the heads to the moment of a transaction. The caller holds mu.
func (x *Index) load(ctx context.Context, tx *sql.Tx) error {
	var change, removed, sources int64
	for key, value := range map[string]*int64{metaChange: &change, metaRemoved: &removed, metaSources: &sources} {
		if err := tx.QueryRowContext(ctx, "SELECT value FROM meta WHERE key=?", key).Scan(value); errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: %s is missing", ErrDamaged, key)
		} else if err != nil {
			return err
		}
	}
	h := x.heads
	if h != nil && h.change == change {
		return nil
	}
	x.heads = nil // half changed until it is whole
	if h == nil || h.removed != removed {
		h = &heads{}
	}
	rows, err := tx.QueryContext(ctx, "SELECT id, key, stamp, about, heads FROM source WHERE change > ?", h.change)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for rows.Next() {
		k := &Indexed{}
		var about, data sql.RawBytes
		if err := rows.Scan(&k.id, &k.Key, &k.Stamp, &about, &data); err != nil {
			return err
		}
		if err := k.decode(about); err != nil {
			return err
		}
		if err := k.read(data); err != nil {
			return err
		}
		if k.id >= len(h.byID) {
			h.byID = append(h.byID, make([]*Indexed, k.id+1-len(h.byID))...)
		}
		h.byID[k.id] = k
	}
	if err := rows.Err(); err != nil {
		return err
	}
	h.change, h.removed = change, removed
	h.sources, h.docs, h.words, h.different, h.owner, h.end = nil, 0, 0, 0, h.owner[:0], 0
	positions := 0
	for _, k := range h.byID {
		if k != nil {
			positions += len(k.strands[Talk].heads) + len(k.strands[Work].heads)
		}
	}
	h.owner = slices.Grow(h.owner, positions)
	for _, k := range h.byID {
		if k == nil {
			continue
		}
		k.place = uint32(len(h.sources)) //nolint:gosec // small
		h.sources, h.docs, h.words = append(h.sources, k), h.docs+k.Docs, h.words+k.words
		for s := range k.strands {
			k.strands[s].base = h.end
			h.end += uint32(len(k.strands[s].heads)) //nolint:gosec // room for thousands of millions of passages
			for range k.strands[s].heads {
				h.owner = append(h.owner, k.place)
			}
		}
	}
	if len(h.sources) != int(sources) { // no checksum shows that a row is missing
		return fmt.Errorf("%w: it has %d of %d sources", ErrDamaged, len(h.sources), sources)
	}
	x.heads = h
	return nil
}

// read decodes the heads of a source, counts the parts of its messages, and gives each passage a
// share of the words of the messages beside it, roughly as their words count in scoring.
func (k *Indexed) read(data []byte) error {
	data, err := unseal(data, k.Key)
	if err != nil {
		return err
	}
	all, err := decodeHeads(data)
	if err != nil {
		return err
	}
	w := rank.Default().Beside
	sum := float32(1)
	for i := range w.After {
		sum += w.After[i] + w.Before[i]
	}
	for s, all := range all {
		k.strands[s].heads = all
		for i := range all {
			h := &all[i]
			if !h.gone() {
				k.Docs++
				k.words += int(h.words)
				if h.time != 0 && (k.First == 0 || h.time < k.First) {
					k.First = h.time
				}
				k.Last = max(k.Last, h.time)
			}
			h.around += float32(h.words) / sum
			if h.continues() {
				continue
			}
			end := i + 1
			for end < len(all) && all[end].continues() {
				end++
			}
			for j := i; j < end; j++ {
				all[j].parts = uint8(min(end-i, math.MaxUint8)) //nolint:gosec // cut
			}
			words := min(float32(h.words), w.Beginning) / sum
			for d := range w.After {
				if after := i + d + 1; after < len(all) {
					all[after].around += w.After[d] * words
				}
				if before := i - d - 1; before >= 0 {
					all[before].around += w.Before[d] * words
				}
			}
		}
	}
	return nil
}

// Within reports whether the source may hold something said within one of the spans.
func (k *Indexed) Within(spans []analysis.Span) bool {
	return k.Last != 0 && slices.ContainsFunc(spans, func(s analysis.Span) bool {
		return time.Unix(k.First, 0).Before(s.To) && !time.Unix(k.Last, 0).Before(s.From)
	})
}

// sums is memory for scoring, kept for the next question. Between questions all of it is zero.
type sums struct {
	own, near []float32 // of the current term, by position: its occurrences, and what the messages beside say
	words     []float32 // scores of the passages
	exact     []bool    // the passage holds an identifier of the question
	sessions  []float64 // scores of the sources, by place
	held      []uint32  // positions of the passages that hold the current term
}

func (s *sums) fit(positions, sources int) {
	if len(s.own) < positions {
		n := positions + positions/8
		*s = sums{own: make([]float32, n), near: make([]float32, n), words: make([]float32, n), exact: make([]bool, n), sessions: s.sessions, held: s.held}
	}
	if len(s.sessions) < sources {
		n := sources + sources/8
		s.sessions = make([]float64, n)
	}
}

// Snapshot is the index at one moment.
type Snapshot struct {
	x       *Index
	tx      *sql.Tx
	h       *heads
	details map[int]passages // of sources that were read, by ID
	source  *sql.Stmt        // reads one; nil: not prepared yet
}

// Read calls use with the index at this moment. use must not keep its argument, nor read again.
func (x *Index) Read(ctx context.Context, use func(now *Snapshot) error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	tx, err := x.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // read only
	if err := x.load(ctx, tx); err != nil {
		return explain(err)
	}
	return explain(use(&Snapshot{x: x, tx: tx, h: x.heads, details: map[int]passages{}}))
}

// Sources returns all sources. The Source of a candidate is a place in this list.
func (s *Snapshot) Sources() []*Indexed { return s.h.sources }

// Source returns the source with a key; nil if there is none.
func (s *Snapshot) Source(key string) *Indexed {
	if i := slices.IndexFunc(s.h.sources, func(k *Indexed) bool { return k.Key == key }); i >= 0 {
		return s.h.sources[i]
	}
	return nil
}

// OfSession returns the sources of a session; of "", the memory files.
func (s *Snapshot) OfSession(name string) (out []*Indexed) {
	for _, k := range s.h.sources {
		if k.Session == name {
			out = append(out, k)
		}
	}
	return out
}

// Passages returns how many passages can be found.
func (s *Snapshot) Passages() int { return s.h.docs }

// Older reports whether the index is of another version, see Index.Older.
func (s *Snapshot) Older() bool { return s.x.older }

// Synced returns when the index was last up to date; the zero time if never.
func (s *Snapshot) Synced(ctx context.Context) (time.Time, error) {
	var at int64
	if err := s.tx.QueryRowContext(ctx, "SELECT value FROM meta WHERE key=?", metaSynced).Scan(&at); err != nil || at == 0 {
		return time.Time{}, err
	}
	return time.Unix(at, 0), nil
}

// Number returns the number of a passage in its source by its position: of all passages in it, those
// of the first strand first.
func (s *Snapshot) Number(at uint32) int {
	_, strand, i := s.h.find(at)
	return int(strand)<<numberStrand | i
}

// numberStrand is the shift of the strand in a number.
const numberStrand = 28

// EachHead calls do with the number, the hash of the text and the time, in seconds since 1970, of each
// passage that can be found.
func (k *Indexed) EachHead(do func(number int, hash uint64, at int64)) {
	for strand := range k.strands {
		for i := range k.strands[strand].heads {
			if h := &k.strands[strand].heads[i]; !h.gone() {
				do(strand<<numberStrand|i, h.hash, h.time)
			}
		}
	}
}

// Place returns the place of a passage by its position.
func (s *Snapshot) Place(at uint32) Place {
	k, strand, i := s.h.find(at)
	return Place{k.Key, strand, i}
}

// each calls do with the heads of all passages that can be found.
func (h *heads) each(do func(k *Indexed, s Strand, i int, h *head)) {
	for _, k := range h.sources {
		for s := range k.strands {
			for i := range k.strands[s].heads {
				if one := &k.strands[s].heads[i]; !one.gone() {
					do(k, Strand(s), i, one) //nolint:gosec // two of them
				}
			}
		}
	}
}

// find returns the source, the strand and the place there of a position.
func (h *heads) find(at uint32) (k *Indexed, s Strand, i int) {
	k = h.sources[h.owner[at]]
	for s+1 < Strands && at >= k.strands[s+1].base {
		s++
	}
	return k, s, int(at - k.strands[s].base)
}

// Passage returns the passage at a position, without its text, and its source; ErrNone if there is
// none.
func (s *Snapshot) Passage(ctx context.Context, at uint32) (Passage, *Indexed, error) {
	if at >= s.h.end {
		return Passage{}, nil, ErrNone
	}
	k, strand, i := s.h.find(at)
	if k.strands[strand].heads[i].gone() {
		return Passage{}, nil, ErrNone
	}
	all, err := s.of(ctx, k)
	if err != nil {
		return Passage{}, nil, err
	}
	return all[strand][i], k, nil
}

// Each calls do with the passages of a source that can be found, strand by strand in order.
func (s *Snapshot) Each(ctx context.Context, k *Indexed, do func(at uint32, p *Passage) error) error {
	all, err := s.of(ctx, k)
	if err != nil {
		return err
	}
	for strand := range all {
		for i := range all[strand] {
			if p := &all[strand][i]; p.Hash != 0 {
				if err := do(k.strands[strand].base+uint32(i), p); err != nil { //nolint:gosec // small
					return err
				}
			}
		}
	}
	return nil
}

// of reads the passages of a source.
func (s *Snapshot) of(ctx context.Context, k *Indexed) (passages, error) {
	if all, ok := s.details[k.id]; ok {
		return all, nil
	}
	if s.source == nil { // the transaction closes it
		var err error
		if s.source, err = s.tx.PrepareContext(ctx, "SELECT details FROM source WHERE id=?"); err != nil {
			return passages{}, err
		}
	}
	var data sql.RawBytes
	rows, err := s.source.QueryContext(ctx, k.id)
	if err != nil {
		return passages{}, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	if !rows.Next() {
		return passages{}, cmp.Or(rows.Err(), ErrDamaged)
	}
	if err := rows.Scan(&data); err != nil {
		return passages{}, err
	}
	var heads [Strands][]head
	for strand := range k.strands {
		heads[strand] = k.strands[strand].heads
	}
	all, err := decodePassages(k.Key, heads, data)
	if err != nil {
		return passages{}, err
	}
	s.details[k.id] = all
	return all, nil
}

// message returns the first passage of a message and the one after its last, given one of them.
func (s *strand) message(i int) (first, end int) {
	first, end = i, i+1
	for first > 0 && s.heads[first].continues() {
		first--
	}
	for end < len(s.heads) && s.heads[end].continues() {
		end++
	}
	return first, end
}

// Beside returns the positions where the messages before and after that of a passage begin; ok is
// false where there is none.
func (s *Snapshot) Beside(at uint32) (before, after uint32, hasBefore, hasAfter bool) {
	k, n, i := s.h.find(at)
	t := &k.strands[n]
	first, end := t.message(i)
	if hasBefore = first > 0; hasBefore {
		first, _ = t.message(first - 1)
	}
	return t.base + uint32(first), t.base + uint32(end), hasBefore, end < len(t.heads) //nolint:gosec // small
}

// candidate returns the features of a passage that don't depend on a question.
func (k *Indexed) candidate(s Strand, i int) rank.Candidate {
	t := &k.strands[s]
	h := &t.heads[i]
	first, _ := t.message(i)
	at := t.base + uint32(i) //nolint:gosec // small
	return rank.Candidate{
		At: at, Message: t.base + uint32(first), Source: k.place, Number: at, Time: h.time, Ages: k.Session != "", Share: 1, //nolint:gosec // small
		Length: int(h.words), Marks: analysis.Marks(h.flags & 3),
	}
}

// MessagesWithin returns the passages of times, grouped by source, each in its order, with the
// conversation before other work. allowed tells which of the sources may be found; nil: all.
func (s *Snapshot) MessagesWithin(spans []analysis.Span, allowed []bool) [][]rank.Candidate {
	var out [][]rank.Candidate
	for _, k := range s.h.sources {
		if allowed != nil && !allowed[k.place] || !k.Within(spans) {
			continue
		}
		var said []rank.Candidate
		for strand := range Strands {
			for i := range k.strands[strand].heads {
				if h := &k.strands[strand].heads[i]; !h.gone() && rank.Within(h.time, spans) {
					said = append(said, k.candidate(strand, i))
				}
			}
		}
		if len(said) > 0 {
			out = append(out, said)
		}
	}
	return out
}

// maxTerms is how many terms of a question count.
const maxTerms = 256

// Question is what candidates are searched for.
type Question struct {
	Terms       analysis.QueryTerms
	Weights     *rank.Weights
	Allowed     []bool // which of Sources may be found; nil: all
	Similar     bool   // look for similar words of all words, not only of those that occur nowhere
	MeaningOnly bool

	// Vector is the question's vector, made by Model; nil if unknown.
	Vector *Direction
	Model  Model
}

// Found holds candidates with their features.
type Found struct {
	Candidates []rank.Candidate
	Meaning    *rank.Meaning  // nil: there was nothing to compare the question's vector with
	Vectors    Coverage       // of the question's model
	Held       map[string]int // from the first variants of the terms to the numbers of passages that hold them
	// VectorsErr is set if the vectors can't be read; the search then used words alone.
	VectorsErr error
}

// Candidates finds passages that share words or meaning with a question.
func (s *Snapshot) Candidates(ctx context.Context, q Question) (found Found, err error) {
	if s.h.docs == 0 {
		return found, nil
	}
	s.x.sums.fit(int(s.h.end), len(s.h.sources))
	r := &ranking{Snapshot: s, sums: &s.x.sums, w: q.Weights, holding: map[string]int{}}
	r.user, r.answer = q.Weights.Shares(q.Terms.AboutAnswers)
	if err := r.score(ctx, q.Terms.Terms, q.Similar); err != nil {
		s.x.sums = sums{} // in an unknown state
		return found, err
	}
	found.Candidates, found.Held = r.best(q.Allowed), r.holding
	if q.Vector != nil {
		byWords := found.Candidates
		if err := r.addMeaning(ctx, &q, &found); err != nil {
			found.Candidates, found.Meaning, found.VectorsErr = byWords, nil, explain(err)
		}
	}
	for place, score := range r.sessions[:len(s.h.sources)] {
		if score == 0 {
			continue
		}
		r.sessions[place] = 0
		for _, t := range s.h.sources[place].strands {
			lo, hi := t.base, t.base+uint32(len(t.heads)) //nolint:gosec // small
			clear(r.words[lo:hi])
			clear(r.exact[lo:hi])
		}
	}
	return found, nil
}

// ranking ranks the passages for one question.
type ranking struct {
	*Snapshot
	*sums
	w            *rank.Weights
	user, answer *rank.Shares // of its score that a passage keeps as one part of many
	most         float32      // highest score of a passage
	session      float64      // highest score of a source
	possible     float64      // score of a passage that contained the whole question
	holding      map[string]int
}

// listsAtOnce is how many terms' rows a statement reads at most.
const listsAtOnce = 128

// selectLists returns the statement that reads the rows of terms, in their order, in all buckets up to
// one.
func selectLists(terms int) string {
	return `WITH RECURSIVE n(bucket) AS (SELECT 0 UNION ALL SELECT bucket+1 FROM n WHERE bucket < ?),
t(place, term) AS (VALUES` + strings.Repeat("(?,?),", terms-1) + `(?,?))
SELECT place, posting.bucket, list FROM t CROSS JOIN n CROSS JOIN posting ON posting.bucket = n.bucket AND posting.term = t.term`
}

// score scores passages and sources by the terms of a question, and by words similar to all of them or to
// those that occur nowhere. A long question says enough without, and looking for them takes time.
func (r *ranking) score(ctx context.Context, terms []analysis.QueryTerm, similar bool) error {
	terms = slices.DeleteFunc(slices.Clone(terms[:min(len(terms), maxTerms)]), func(t analysis.QueryTerm) bool { return t.Class == analysis.ClassPair })
	var err error
	if !similar || len(terms) > similarTerms {
		terms, err = r.scoreTerms(ctx, terms, false)
	}
	if err != nil || len(terms) == 0 {
		return err
	}
	v, err := r.vocabulary(ctx)
	if err != nil {
		return err
	}
	for i := range terms[:min(len(terms), similarTerms)] {
		if err := ctx.Err(); err != nil {
			return err
		}
		terms[i].Variants = append(slices.Clip(terms[i].Variants), v.similar(terms[i])...)
	}
	_, err = r.scoreTerms(ctx, terms, true)
	return err
}

// scoreTerms scores passages and sources by terms. Unless all is set, it leaves out those that occur
// nowhere and returns them.
func (r *ranking) scoreTerms(ctx context.Context, terms []analysis.QueryTerm, all bool) (nowhere []analysis.QueryTerm, err error) {
	type form struct { // a variant of a term
		term   int
		text   []byte
		weight float32
	}
	var forms []form
	for i, t := range terms {
		for _, v := range t.Variants {
			forms = append(forms, form{i, []byte(v.Term), float32(v.Weight)})
		}
	}
	next := 0 // the term that is gathered
	finish := func(end int) {
		for ; next < end; next++ {
			t := terms[next]
			if len(t.Variants) > 0 {
				r.holding[t.Variants[0].Term] = len(r.held)
			}
			if len(r.held) == 0 && !all {
				nowhere = append(nowhere, t)
				continue
			}
			weight := t.Weight * r.w.Idf(len(r.held), r.h.docs)
			if t.Class != analysis.ClassMoment { // one of many days that may be meant
				r.possible += weight * float64(r.w.K+1)
			}
			r.addTerm(t, float32(weight))
			r.held = r.held[:0]
		}
	}
	for some := range slices.Chunk(forms, listsAtOnce) {
		args := []any{(len(r.h.byID) - 1) / bucketSources}
		for i := range some {
			args = append(args, i, some[i].text)
		}
		rows, err := r.tx.QueryContext(ctx, selectLists(len(some)), args...)
		if err != nil {
			return nil, err
		}
		defer rows.Close() //nolint:errcheck // rows.Err reports errors
		for rows.Next() {
			var place, bucket int
			var data sql.RawBytes
			if err := rows.Scan(&place, &bucket, &data); err != nil {
				return nil, err
			}
			f := &some[place]
			finish(f.term)
			if err := r.count(newList(bucket, string(f.text), data), f.weight); err != nil {
				return nil, err
			}
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	finish(len(terms))
	return nowhere, nil
}

// count adds the postings of a row to the occurrences of the current term.
func (r *ranking) count(l list, weight float32) error {
	of, base := -1, uint32(0)
	var own []float32
	for p, ok := l.next(); ok; p, ok = l.next() {
		if p.strand != of {
			of = p.strand
			id := of / int(Strands)
			if id >= len(r.h.byID) || r.h.byID[id] == nil {
				return ErrDamaged
			}
			t := &r.h.byID[id].strands[of%int(Strands)]
			base, own = t.base, r.own[t.base:t.base+uint32(len(t.heads))] //nolint:gosec // small
		}
		if p.passage >= len(own) {
			return ErrDamaged
		}
		if own[p.passage] == 0 {
			r.held = append(r.held, base+uint32(p.passage)) //nolint:gosec // small
		}
		own[p.passage] += weight * float32(p.n)
	}
	if l.bad {
		return ErrDamaged
	}
	return nil
}

// addTerm adds the gathered term to the scores of passages and sources. Occurrences in a passage
// count together with those in the messages around it.
func (r *ranking) addTerm(t analysis.QueryTerm, weight float32) {
	w, held := r.w, r.held
	if !slices.IsSorted(held) { // several variants
		slices.Sort(held)
	}
	holding, last := 0, ^uint32(0)
	for _, at := range held {
		if of := r.h.owner[at]; of != last {
			holding, last = holding+1, of
		}
	}
	idf := t.Weight * w.Idf(holding, len(r.h.sources))
	averageSource := float64(r.h.words) / float64(len(r.h.sources))
	average := max(float32(r.h.words)/float32(r.h.docs), 1)
	floor, slope, ownWeight := w.K*(1-w.B), w.K*w.B/average, w.Own
	weight *= w.K + 1
	for len(held) > 0 {
		place := r.h.owner[held[0]]
		k := r.h.sources[place]
		tf := float32(0)
		for s := range k.strands {
			strand := &k.strands[s]
			lo, hi := strand.base, strand.base+uint32(len(strand.heads)) //nolint:gosec // small
			n := 0
			for n < len(held) && held[n] < hi {
				n++
			}
			own, near, words, heads := r.own[lo:hi], r.near[lo:hi], r.words[lo:hi], strand.heads
			from, to := r.spread(held[:n], lo, heads, own, near)
			held = held[n:]
			for i := from; i < to; i++ {
				mine := own[i]
				n := mine + near[i]
				if n == 0 {
					continue
				}
				h := &heads[i]
				norm := floor + slope*h.around
				share := n / (n + norm)
				if mine > 0 {
					share += ownWeight * mine / (mine + norm)
					tf += mine * r.user.Of(h.parts)
					if t.Class == analysis.ClassExact {
						r.exact[lo+uint32(i)] = true //nolint:gosec // small
					}
					own[i] = 0
				}
				near[i] = 0
				words[i] += weight * share
				if words[i] > r.most && !h.gone() {
					r.most = words[i]
				}
			}
		}
		length := float64(k.words) / averageSource
		r.sessions[place] += idf * float64(tf) * (w.Session.K + 1) / (float64(tf) + w.Session.K*(1-w.Session.B+w.Session.B*length))
	}
}

// spread counts the occurrences of a term at the beginnings of messages for the messages beside them:
// an answer says much about its question, and a question about its answer. held are the passages
// of a strand that hold the term; the strand begins at lo. It returns the range of passages in and
// beside which the term occurs.
func (r *ranking) spread(held []uint32, lo uint32, heads []head, own, near []float32) (from, to int) {
	if len(held) == 0 {
		return 0, 0
	}
	from, to = int(held[0]-lo), int(held[len(held)-1]-lo)+1
	beside := &r.w.Beside
	for _, at := range held {
		i := int(at - lo)
		if heads[i].continues() {
			continue
		}
		n := own[i]
		if length := float32(heads[i].words); length > beside.Beginning {
			n *= beside.Beginning / length
		}
		before := i
		for _, share := range beside.Before {
			for before--; before >= 0; before-- {
				near[before] += n * share
				if !heads[before].continues() {
					break
				}
			}
		}
		from = min(from, max(before, 0))
		last, after := i, i+1
		for ; after < len(heads) && heads[after].continues(); after++ {
			last = after
		}
		for distance, share := range beside.After {
			if distance == 0 && heads[last].flags&byte(analysis.MarkQuestion) != 0 {
				share *= beside.Reply
			}
			for after < len(heads) {
				near[after] += n * share
				if after++; after < len(heads) && !heads[after].continues() {
					break
				}
			}
		}
		to = max(to, after)
	}
	return from, to
}

// shareOf returns the share of its score that a passage keeps as one part of many.
func (r *ranking) shareOf(h *head) float32 {
	if Kind(h.flags>>flagKind&7) == Assistant {
		return r.answer.Of(h.parts)
	}
	return r.user.Of(h.parts)
}

// enough returns a score by words that is certainly too low for a passage to be better than the worst of
// the best, even as a whole message; of is the score of its source.
func (r *ranking) enough(worst, of float64) float32 {
	return max(0, float32((worst-r.w.Session.Share*of)*float64(r.most)*(1-1e-6)))
}

// best returns the candidates that are worth a closer look.
func (r *ranking) best(allowed []bool) []rank.Candidate {
	for _, score := range r.sessions[:len(r.h.sources)] {
		r.session = max(r.session, score)
	}
	type item struct {
		place  int
		strand Strand
		i      int
		score  float64
	}
	top := make([]item, 0, r.w.Candidates+1) // best first
	worst := -1.0
	for place, k := range r.h.sources {
		if r.sessions[place] == 0 || allowed != nil && !allowed[place] {
			continue
		}
		of := r.sessions[place] / r.session
		for s := range Strands {
			strand := &k.strands[s]
			enough := r.enough(worst, of)
			for i, sum := range r.words[strand.base : strand.base+uint32(len(strand.heads))] { //nolint:gosec // small
				if sum <= enough || strand.heads[i].gone() {
					continue
				}
				score := r.w.Base(float64(sum)/float64(r.most), of, float64(r.shareOf(&strand.heads[i])))
				if score <= worst {
					continue
				}
				at, _ := slices.BinarySearchFunc(top, score, func(i item, score float64) int { return cmp.Compare(score, i.score) })
				if top = slices.Insert(top, at, item{place, s, i, score}); len(top) < r.w.Candidates {
					continue
				}
				top = top[:r.w.Candidates]
				worst = top[len(top)-1].score
				enough = r.enough(worst, of)
			}
		}
	}
	out := make([]rank.Candidate, len(top))
	for i := range out {
		out[i] = r.candidate(r.h.sources[top[i].place], top[i].strand, top[i].i)
	}
	return out
}

// candidate returns a passage with all of its features but those of its meaning.
func (r *ranking) candidate(k *Indexed, s Strand, i int) rank.Candidate {
	c := k.candidate(s, i)
	sum := r.words[c.At]
	c.Share, c.Exact, c.Relevance = float64(r.shareOf(&k.strands[s].heads[i])), r.exact[c.At], min(1, float64(sum)/(1e-9+r.possible))
	if sum > 0 {
		c.Words, c.Session = float64(sum)/float64(r.most), r.sessions[k.place]/r.session
	}
	return c
}
