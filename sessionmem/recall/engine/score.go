package engine

import (
	"context"
	"math/bits"
	"slices"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/rank"
)

// ranking ranks the chunks of a view for one question.
type ranking struct {
	*scratch
	v       *view
	w       *rank.Weights
	terms   analysis.QueryTerms
	allowed []bool       // by source; nil: all
	weights []float64    // of each term: its part of the highest possible score
	user    *rank.Shares // shares of message parts, by kind
	answer  *rank.Shares
}

// score scores each chunk and session by the terms of the question.
func (r *ranking) score(ctx context.Context, dict *dictReader) error {
	r.fit(len(r.v.lay.refs), len(r.v.sources))
	r.terms.Terms = r.terms.Terms[:min(len(r.terms.Terms), maxTerms)]
	r.user, r.answer = r.w.Shares(r.terms.AboutAnswers)
	r.weights = make([]float64, len(r.terms.Terms))
	words := slices.DeleteFunc(slices.Clone(r.terms.Terms), func(t analysis.QueryTerm) bool { return t.Class == analysis.ClassPair })
	if err := dict.load(ctx, words); err != nil {
		return err
	}
	for i, t := range r.terms.Terms {
		if t.Class == analysis.ClassPair {
			continue
		}
		n, err := r.gather(dict, t)
		if err != nil {
			return err
		}
		r.weights[i] = t.Weight * r.w.Idf(n, r.v.docs)
		if n > 0 {
			r.addTerm(t, float32(r.weights[i]))
		}
	}
	return nil
}

// maxTerms is how many terms of a question count.
const maxTerms = 256

// gather counts how often a term and its variants occur in each chunk, and returns the
// number of chunks.
func (r *ranking) gather(dict *dictReader, t analysis.QueryTerm) (n int, err error) {
	for _, variant := range t.Variants {
		w := float32(variant.Weight)
		delta := r.v.parts[0]
		n += r.count(delta.positions, delta.lists[variant.Term], w)
		for i, list := range dict.next() {
			for list.Left > 0 {
				n += r.count(r.v.parts[i+1].positions, list.Read(r.batch[:]), w)
			}
			if list.Bad {
				return n, format.ErrDamaged
			}
		}
	}
	return n, nil
}

// count adds postings and returns for how many chunks they are the first.
func (r *ranking) count(positions []uint32, postings []format.Posting, w float32) (n int) {
	own, held := r.own, r.held
	for _, p := range postings {
		if int(p.Doc) >= len(positions) {
			continue
		}
		at := positions[p.Doc]
		if at == noPosition {
			continue
		}
		if own[at] == 0 {
			n++
			held[at>>6] |= 1 << (at & 63)
		}
		own[at] += w * float32(p.N)
	}
	return n
}

// addTerm adds a gathered term to the scores.
func (r *ranking) addTerm(t analysis.QueryTerm, weight float32) {
	if t.Class == analysis.ClassExact {
		r.markExact()
	}
	r.addChunks(weight)
	r.addSessions(t.Weight)
}

// release clears one word of held after adding the chunks in it to the counts of their
// sessions.
func (r *ranking) release(i int, word uint64) {
	r.held[i] = 0
	sources, parts, own, bySource := r.v.lay.sources, r.v.lay.parts, r.own, r.bySource
	for ; word != 0; word &= word - 1 {
		at := i<<6 + bits.TrailingZeros64(word)
		source := sources[at]
		if bySource[source] == 0 {
			r.seen = append(r.seen, source)
		}
		bySource[source] += own[at] * r.user.Of(parts[at])
		own[at] = 0
	}
}

// addSessions adds a term to the scores of the sessions that hold it.
func (r *ranking) addSessions(weight float64) {
	n := len(r.v.byID)
	idf := weight * r.w.Idf(len(r.seen), n)
	average := float64(r.v.words) / float64(max(n, 1))
	for _, source := range r.seen {
		tf := float64(r.bySource[source])
		r.bySource[source] = 0
		length := float64(r.v.sources[source].words) / average
		r.sessions[source] += idf * tf * (r.w.Session.K + 1) / (tf + r.w.Session.K*(1-r.w.Session.B+r.w.Session.B*length))
	}
	r.seen = r.seen[:0]
}

// bestChunks returns the chunks that are worth a closer look.
func (r *ranking) bestChunks() []uint32 {
	l := &r.v.lay
	r.bestSession = 0
	for _, s := range r.sessions {
		r.bestSession = max(r.bestSession, s)
	}
	top := heap{limit: r.w.Candidates, items: make([]heapItem, 0, r.w.Candidates)}
	for _, room := range l.rooms {
		if r.sessions[room.source] == 0 || r.allowed != nil && !r.allowed[room.source] {
			continue
		}
		session := r.sessions[room.source] / r.bestSession
		enough := r.threshold(&top, session)
		for i, sum := range r.acc[room.base : room.base+room.size] {
			if sum <= enough {
				continue
			}
			at := room.base + uint32(i) //nolint:gosec // positions are 32 bits
			score := r.w.Base(float64(sum)/float64(r.most), session, float64(r.shareOf(at)))
			if score > top.worst() && !l.refs[at].none() {
				top.push(at, score)
				enough = r.threshold(&top, session)
			}
		}
	}
	out := make([]uint32, len(top.items))
	for i, item := range top.items {
		out[i] = item.at
	}
	return out
}

// shareOf returns the share of its score that a chunk keeps as one part of many.
func (r *ranking) shareOf(at uint32) float32 {
	l := &r.v.lay
	if format.RoleOf(l.flags[at]) == format.RoleAssistant {
		return r.answer.Of(l.parts[at])
	}
	return r.user.Of(l.parts[at])
}

// threshold returns a sum that is certainly too low for a chunk of a session to be among the
// top ones, even if it were a whole message; a higher sum may suffice.
func (r *ranking) threshold(top *heap, session float64) float32 {
	return max(0, float32((top.worst()-r.w.Session.Share*session)*float64(r.most)*(1-1e-6)))
}

// candidates returns the features of chunks.
func (r *ranking) candidates(places []uint32) []rank.Candidate {
	l := &r.v.lay
	all := 1e-9
	for i, w := range r.weights {
		if r.terms.Terms[i].Class != analysis.ClassMoment { // one of many days that may be meant
			all += w * float64(r.w.K+1)
		}
	}
	out := make([]rank.Candidate, len(places))
	for i, at := range places {
		out[i] = r.v.candidate(at)
		c := &out[i]
		c.Share, c.Exact, c.Relevance = float64(r.shareOf(at)), r.isExact(at), min(1, float64(r.acc[at])/all)
		if r.acc[at] > 0 {
			c.Words, c.Session = float64(r.acc[at])/float64(r.most), r.sessions[l.sources[at]]/r.bestSession
		}
	}
	return out
}

// candidate returns the features of a chunk that don't depend on a question.
func (v *view) candidate(at uint32) rank.Candidate {
	l := &v.lay
	message, _ := l.message(at)
	k := v.sources[l.sources[at]]
	return rank.Candidate{
		At: at, Message: message, Source: l.sources[at], Number: l.numbers[at], Time: l.times[at], Ages: k != nil && k.Session != "", Share: 1,
		Length: int(l.words[at]), Marks: format.MarksOf(l.flags[at]),
	}
}
