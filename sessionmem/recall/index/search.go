package index

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
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
	strands [strands]strand
}

// strand is a strand in memory. Its passages have the positions from base on.
type strand struct {
	base  uint32
	heads []head
}

// load brings the heads to the moment of a transaction. The caller holds mu.
func (x *Index) load(ctx context.Context, tx *sql.Tx) error {
	var change, removed int64
	if err := tx.QueryRowContext(ctx, "SELECT (SELECT value FROM meta WHERE key=?), (SELECT value FROM meta WHERE key=?)", metaChange, metaRemoved).Scan(&change, &removed); err != nil {
		return err
	}
	h := x.heads
	if h != nil && h.change == change {
		return nil
	}
	x.heads = nil // half changed until it is whole
	if h == nil || h.removed != removed {
		h = &heads{}
	}
	rows, err := tx.QueryContext(ctx, "SELECT id, key, session, origin, stamp, files, bytes, heads FROM source WHERE change > ?", h.change)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for rows.Next() {
		k := &Indexed{}
		var files, data sql.RawBytes
		if err := rows.Scan(&k.id, &k.Key, &k.Session, &k.From, &k.Stamp, &files, &k.Bytes, &data); err != nil {
			return err
		}
		r := decoder{data: files}
		for len(r.data) > 0 {
			k.Files = append(k.Files, r.string())
		}
		if r.bad {
			return ErrDamaged
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
	h.sources, h.docs, h.words, h.end = nil, 0, 0, 0
	for _, k := range h.byID {
		if k == nil {
			continue
		}
		k.place = uint32(len(h.sources)) //nolint:gosec // small
		h.sources, h.docs, h.words = append(h.sources, k), h.docs+k.Docs, h.words+k.words
		for s := range k.strands {
			k.strands[s].base = h.end
			h.end += uint32(len(k.strands[s].heads)) //nolint:gosec // room for thousands of millions of passages
		}
	}
	x.heads = h
	return nil
}

// read decodes the heads of a source, counts the parts of its messages, and gives each passage a
// share of the words of the messages beside it, roughly as their words count in scoring.
func (k *Indexed) read(data []byte) error {
	err := eachHead(data, func(s Strand, flags byte, words int, time int64) {
		h := head{time: time, flags: flags, words: uint16(min(words, math.MaxUint16))} //nolint:gosec // cut
		if !h.gone() {
			k.Docs++
			k.words += words
			if time != 0 && (k.First == 0 || time < k.First) {
				k.First = time
			}
			k.Last = max(k.Last, time)
		}
		k.strands[s].heads = append(k.strands[s].heads, h)
	})
	w := rank.Default().Beside
	sum := float32(1)
	for i := range w.After {
		sum += w.After[i] + w.Before[i]
	}
	for s := range k.strands {
		all := k.strands[s].heads
		for i := range all {
			h := &all[i]
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
	return err
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
	holds     []bool    // the source holds the current term
}

func (s *sums) fit(positions, sources int) {
	if len(s.own) < positions {
		n := positions + positions/8
		*s = sums{own: make([]float32, n), near: make([]float32, n), words: make([]float32, n), exact: make([]bool, n), sessions: s.sessions, holds: s.holds}
	}
	if len(s.sessions) < sources {
		n := sources + sources/8
		s.sessions, s.holds = make([]float64, n), make([]bool, n)
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

// Passages returns how many passages can be found.
func (s *Snapshot) Passages() int { return s.h.docs }

// find returns the source, the strand and the place there of a position.
func (h *heads) find(at uint32) (k *Indexed, s Strand, i int) {
	n, _ := slices.BinarySearchFunc(h.sources, at, func(k *Indexed, at uint32) int {
		if k.strands[Talk].base <= at {
			return -1
		}
		return 1
	})
	k = h.sources[n-1] // the last one that begins at or before the position
	for s := range strands {
		if i := int(at) - int(k.strands[s].base); i >= 0 && i < len(k.strands[s].heads) {
			return k, s, i
		}
	}
	return k, Talk, 0
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
		if s.source, err = s.tx.PrepareContext(ctx, "SELECT heads, details FROM source WHERE id=?"); err != nil {
			return passages{}, err
		}
	}
	var heads, details sql.RawBytes
	rows, err := s.source.QueryContext(ctx, k.id)
	if err != nil {
		return passages{}, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	if !rows.Next() {
		return passages{}, cmp.Or(rows.Err(), ErrDamaged)
	}
	if err := rows.Scan(&heads, &details); err != nil {
		return passages{}, err
	}
	all, err := decodePassages(heads, details)
	if err != nil {
		return all, err
	}
	for strand := range all {
		if len(all[strand]) != len(k.strands[strand].heads) {
			return all, ErrDamaged
		}
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
		for strand := range strands {
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

// selectLists reads the rows of a term in all buckets up to one.
const selectLists = `WITH RECURSIVE n(bucket) AS (SELECT 0 UNION ALL SELECT bucket+1 FROM n WHERE bucket < ?2)
SELECT posting.bucket, list FROM n CROSS JOIN posting ON posting.bucket = n.bucket AND term = ?1`

// Candidates finds passages that share words with a question, with their features. allowed tells
// which of the sources may be found; nil: all.
func (s *Snapshot) Candidates(ctx context.Context, q analysis.QueryTerms, w *rank.Weights, allowed []bool) ([]rank.Candidate, error) {
	if s.h.docs == 0 {
		return nil, nil
	}
	s.x.sums.fit(int(s.h.end), len(s.h.sources))
	lists, err := s.tx.PrepareContext(ctx, selectLists)
	if err != nil {
		return nil, err
	}
	defer lists.Close() //nolint:errcheck // the transaction is for reading
	r := &ranking{Snapshot: s, sums: &s.x.sums, w: w, lists: lists}
	r.user, r.answer = w.Shares(q.AboutAnswers)
	for _, t := range q.Terms[:min(len(q.Terms), maxTerms)] {
		if t.Class == analysis.ClassPair {
			continue
		}
		n, err := r.gather(ctx, t)
		if err != nil {
			s.x.sums = sums{} // in an unknown state
			return nil, err
		}
		weight := t.Weight * w.Idf(n, s.h.docs)
		if t.Class != analysis.ClassMoment { // one of many days that may be meant
			r.possible += weight * float64(w.K+1)
		}
		r.addTerm(t, float32(weight))
	}
	out := r.best(allowed)
	for _, place := range r.scored {
		k := s.h.sources[place]
		for i := range k.strands {
			lo, hi := k.strands[i].base, k.strands[i].base+uint32(len(k.strands[i].heads)) //nolint:gosec // small
			clear(r.words[lo:hi])
			clear(r.exact[lo:hi])
		}
		r.sessions[place] = 0
	}
	return out, nil
}

// ranking ranks the passages for one question.
type ranking struct {
	*Snapshot
	*sums
	w            *rank.Weights
	lists        *sql.Stmt    // selectLists
	user, answer *rank.Shares // of its score that a passage keeps as one part of many
	holding      []uint32     // places of the sources that hold the current term
	scored       []uint32     // and of those with a score
	most         float32      // highest score of a passage
	possible     float64      // score of a passage that contained the whole question
}

// gather counts how often a term and its variants occur in each passage, and returns in how many.
func (r *ranking) gather(ctx context.Context, t analysis.QueryTerm) (n int, err error) {
	r.holding = r.holding[:0]
	for _, v := range t.Variants {
		rows, err := r.lists.QueryContext(ctx, []byte(v.Term), (len(r.h.byID)-1)/bucketSources)
		if err != nil {
			return n, err
		}
		more, err := r.count(rows, float32(v.Weight))
		if n += more; err != nil {
			return n, err
		}
	}
	slices.Sort(r.holding)
	return n, nil
}

// count adds the postings of rows, and returns for how many passages they are the first.
func (r *ranking) count(rows *sql.Rows, weight float32) (n int, err error) {
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for rows.Next() {
		var bucket int
		var data sql.RawBytes
		if err := rows.Scan(&bucket, &data); err != nil {
			return n, err
		}
		l := newList(bucket, data)
		of := -1
		var t *strand
		for p, ok := l.next(); ok; p, ok = l.next() {
			if p.strand != of {
				of = p.strand
				id := of / int(strands)
				if id >= len(r.h.byID) || r.h.byID[id] == nil {
					return n, ErrDamaged
				}
				k := r.h.byID[id]
				t = &k.strands[of%int(strands)]
				if !r.holds[k.place] {
					r.holds[k.place] = true
					r.holding = append(r.holding, k.place)
				}
			}
			if p.passage >= len(t.heads) {
				return n, ErrDamaged
			}
			own := &r.own[t.base+uint32(p.passage)] //nolint:gosec // small
			if *own == 0 {
				n++
			}
			*own += weight * float32(p.n)
		}
		if l.bad {
			return n, ErrDamaged
		}
	}
	return n, rows.Err()
}

// addTerm adds the gathered term to the scores of passages and sources. Occurrences in a passage
// count together with those in the messages around it.
func (r *ranking) addTerm(t analysis.QueryTerm, weight float32) {
	w := r.w
	idf := t.Weight * w.Idf(len(r.holding), len(r.h.sources))
	averageSource := float64(r.h.words) / float64(len(r.h.sources))
	average := max(float32(r.h.words)/float32(r.h.docs), 1)
	floor, slope := w.K*(1-w.B), w.K*w.B/average
	weight *= w.K + 1
	for _, place := range r.holding {
		k := r.h.sources[place]
		r.holds[place] = false
		tf := float32(0)
		for s := range k.strands {
			strand := &k.strands[s]
			lo, hi := strand.base, strand.base+uint32(len(strand.heads)) //nolint:gosec // small
			own, near, words, heads := r.own[lo:hi], r.near[lo:hi], r.words[lo:hi], strand.heads
			r.spread(heads, own, near)
			for i, mine := range own {
				n := mine + near[i]
				if n == 0 {
					continue
				}
				h := &heads[i]
				norm := floor + slope*h.around
				words[i] += weight * (n/(n+norm) + w.Own*mine/(mine+norm))
				if words[i] > r.most && !h.gone() {
					r.most = words[i]
				}
				if mine > 0 {
					tf += mine * r.user.Of(h.parts)
					if t.Class == analysis.ClassExact {
						r.exact[lo+uint32(i)] = true //nolint:gosec // small
					}
				}
				own[i], near[i] = 0, 0
			}
		}
		if r.sessions[place] == 0 {
			r.scored = append(r.scored, place)
		}
		length := float64(k.words) / averageSource
		r.sessions[place] += idf * float64(tf) * (w.Session.K + 1) / (float64(tf) + w.Session.K*(1-w.Session.B+w.Session.B*length))
	}
}

// spread counts the occurrences of a term at the beginnings of messages for the messages beside
// them: an answer says much about its question, and a question about its answer.
func (r *ranking) spread(heads []head, own, near []float32) {
	beside := &r.w.Beside
	for i, n := range own {
		if n == 0 || heads[i].continues() {
			continue
		}
		if length := float32(heads[i].words); length > beside.Beginning {
			n *= beside.Beginning / length
		}
		at := i
		for _, share := range beside.Before {
			for at--; at >= 0; at-- {
				near[at] += n * share
				if !heads[at].continues() {
					break
				}
			}
		}
		last := i
		for at = i + 1; at < len(heads) && heads[at].continues(); at++ {
			last = at
		}
		for distance, share := range beside.After {
			if distance == 0 && heads[last].flags&byte(analysis.MarkQuestion) != 0 {
				share *= beside.Reply
			}
			for at < len(heads) {
				near[at] += n * share
				if at++; at < len(heads) && !heads[at].continues() {
					break
				}
			}
		}
	}
}

// shareOf returns the share of its score that a passage keeps as one part of many.
func (r *ranking) shareOf(h *head) float32 {
	if Kind(h.flags>>flagKind&7) == Assistant {
		return r.answer.Of(h.parts)
	}
	return r.user.Of(h.parts)
}

// best returns the candidates that are worth a closer look.
func (r *ranking) best(allowed []bool) []rank.Candidate {
	session := 0.0
	for _, place := range r.scored {
		session = max(session, r.sessions[place])
	}
	type item struct {
		place  uint32
		strand Strand
		i      int
		score  float64
	}
	better := func(a, b item) int { return cmp.Compare(b.score, a.score) }
	top, worst := make([]item, 0, 2*r.w.Candidates), -1.0
	for _, place := range r.scored {
		if allowed != nil && !allowed[place] {
			continue
		}
		k := r.h.sources[place]
		of := r.sessions[place] / session
		for s := range strands {
			strand := &k.strands[s]
			// A passage with fewer words can't be among the best, even as a whole message.
			enough := max(0, float32((worst-r.w.Session.Share*of)*float64(r.most)*(1-1e-6)))
			for i, sum := range r.words[strand.base : strand.base+uint32(len(strand.heads))] { //nolint:gosec // small
				if sum <= enough || strand.heads[i].gone() {
					continue
				}
				score := r.w.Base(float64(sum)/float64(r.most), of, float64(r.shareOf(&strand.heads[i])))
				if score <= worst {
					continue
				}
				if top = append(top, item{place, s, i, score}); len(top) == cap(top) {
					slices.SortFunc(top, better)
					top = top[:r.w.Candidates]
					worst = top[len(top)-1].score
				}
			}
		}
	}
	slices.SortFunc(top, better)
	out := make([]rank.Candidate, min(len(top), r.w.Candidates))
	for i := range out {
		t := &top[i]
		k := r.h.sources[t.place]
		out[i] = k.candidate(t.strand, t.i)
		c := &out[i]
		sum := r.words[c.At]
		c.Share, c.Exact = float64(r.shareOf(&k.strands[t.strand].heads[t.i])), r.exact[c.At]
		c.Words, c.Session, c.Relevance = float64(sum)/float64(r.most), r.sessions[t.place]/session, min(1, float64(sum)/(1e-9+r.possible))
	}
	return out
}
