package engine

import (
	"maps"
	"slices"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/rank"
)

// MessagesWithin returns the messages within spans, grouped by source, each in its order, with the
// conversation before other work.
func (s *Snapshot) MessagesWithin(spans []analysis.Span, allowed []bool) [][]rank.Candidate {
	l := &s.v.lay
	work := make(map[int]bool) // rooms of other work than conversation
	for key, stretch := range l.strands {
		work[stretch.room] = key.strand == format.StrandWork
	}
	talked, worked := map[uint32][]rank.Candidate{}, map[uint32][]rank.Candidate{}
	for i, room := range l.rooms {
		k := s.v.sources[room.source]
		if k == nil || allowed != nil && !allowed[room.source] || !k.Within(spans) {
			continue
		}
		into := talked
		if work[i] {
			into = worked
		}
		for at := room.base; at < room.base+room.size; at++ {
			if !l.refs[at].none() && rank.Within(l.times[at], spans) {
				into[room.source] = append(into[room.source], s.v.candidate(at))
			}
		}
	}
	for source, more := range worked {
		talked[source] = append(talked[source], more...)
	}
	return slices.Collect(maps.Values(talked))
}
