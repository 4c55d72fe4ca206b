package recall

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"mac-stats/sessionmem/recall/analysis"
)

// What answers a question that names a time and nothing else to look for: all that was
// said then.

// stillGoing is the relevance of what was said at a time that is not over: enough for who
// looks for it, too little to go with a message by itself ("how are you today" asks for
// nothing that was said).
const stillGoing = .3

// ofTime puts what was said at the times that are asked for before what was found by
// words: first how each session begins then, the newest session first, then what comes
// next in each, and so on. The last places of the list that is asked for are for what
// only mentions the time. Where nothing was said then, the hits stay as they are.
func (s *search) ofTime(top []candidate, allowed []bool) []candidate {
	said := inTurn(s.saidThen(allowed), max(s.x.weights.candidates, s.pool+spare))
	if len(said) == 0 {
		return top
	}
	relevance := 1.0
	if slices.ContainsFunc(s.terms.Spans, func(t analysis.Span) bool { return t.To.After(s.q.Now) }) {
		relevance = stillGoing
	}
	for i := range said {
		said[i].relevance = relevance
	}
	byWords := slices.DeleteFunc(slices.Clone(top), func(c candidate) bool { return c.lexical == 0 })
	places := min(s.q.Limit-1, max(1, s.q.Limit/4))
	head := said[:min(len(said), s.q.Limit-places)]
	out := make([]candidate, 0, len(said)+len(byWords))
	taken := make(map[uint32]bool, cap(out))
	take := func(from []candidate, most int) {
		for _, c := range from {
			if most > 0 && !taken[c.at] {
				taken[c.at], most = true, most-1
				out = append(out, c)
			}
		}
	}
	take(head, len(head))
	take(byWords, places)
	take(said, len(said))
	take(byWords, len(byWords))
	for i := range out {
		out[i].score = rounded(1 - float64(i)/float64(len(out)))
	}
	return out
}

// saidThen gives the chunks of the times that are asked for by their sources, each in
// its order, what was talked first.
func (s *search) saidThen(allowed []bool) [][]candidate {
	l := &s.v.lay
	work := make(map[int]bool) // rooms of what was not talked
	for key, stretch := range l.strands {
		work[stretch.room] = key.strand == strandWork
	}
	talked, worked := map[uint32][]candidate{}, map[uint32][]candidate{}
	for i, room := range l.rooms {
		if allowed != nil && !allowed[room.source] || !s.v.sources[room.source].within(s.terms.Spans) {
			continue
		}
		into := talked
		if work[i] {
			into = worked
		}
		for at := room.base; at < room.base+room.size; at++ {
			if !l.refs[at].none() && isWithin(l.times[at], s.terms.Spans) {
				into[room.source] = append(into[room.source], candidate{at: at, session: room.source, time: l.times[at], number: l.numbers[at]})
			}
		}
	}
	for source, more := range worked {
		talked[source] = append(talked[source], more...)
	}
	bySource := slices.Collect(maps.Values(talked))
	slices.SortFunc(bySource, func(a, b []candidate) int {
		return cmp.Or(cmp.Compare(b[0].time, a[0].time), cmp.Compare(a[0].number, b[0].number))
	})
	return bySource
}

// inTurn takes one of each list after the other, at most so many.
func inTurn(lists [][]candidate, most int) []candidate {
	var out []candidate
	for round := 0; len(out) < most; round++ {
		before := len(out)
		for _, list := range lists {
			if round < len(list) && len(out) < most {
				out = append(out, list[round])
			}
		}
		if len(out) == before {
			break
		}
	}
	return out
}

func isWithin(at int64, spans []analysis.Span) bool {
	t := time.Unix(at, 0)
	return at != 0 && slices.ContainsFunc(spans, func(s analysis.Span) bool { return s.Contains(t) })
}
