package rank

import (
	"cmp"
	"slices"

	"mac-stats/sessionmem/recall/analysis"
)

// stillGoing is the relevance of messages from a time that isn't over: enough for a search,
// too little to be added to a message unasked ("how are you today" asks for nothing that was
// said).
const stillGoing = .3

// OfTime answers a question that only names a time: everything said then comes before what
// Order found. First comes the beginning of each session at that time, the newest session
// first, then what follows in each, and so on. The last places of the requested list are for
// texts that only mention the time. said holds the messages of that time by session, each in
// order; if it is empty, found is returned unchanged.
func OfTime(q Query, most int, found []Candidate, said [][]Candidate) []Candidate {
	slices.SortFunc(said, func(a, b []Candidate) int {
		return cmp.Or(cmp.Compare(b[0].Time, a[0].Time), cmp.Compare(a[0].Number, b[0].Number))
	})
	then := interleave(said, max(most, q.Limit))
	if len(then) == 0 {
		return found
	}
	relevance := 1.0
	if slices.ContainsFunc(q.Terms.Spans, func(t analysis.Span) bool { return t.Contains(q.Now) }) {
		relevance = stillGoing
	}
	for i := range then {
		then[i].Relevance = relevance
	}
	found = slices.DeleteFunc(slices.Clone(found), func(c Candidate) bool { return c.Lexical == 0 })
	places := min(q.Limit-1, max(1, q.Limit/4))
	head := then[:min(len(then), q.Limit-places)]
	var out []Candidate
	taken := map[uint32]bool{}
	take := func(from []Candidate, most int) {
		for _, c := range from {
			if most > 0 && !taken[c.Message] {
				taken[c.Message], most = true, most-1
				out = append(out, c)
			}
		}
	}
	take(head, len(head))
	take(found, places)
	take(then, len(then))
	take(found, len(found))
	for i := range out {
		out[i].Score = rounded(1 - float64(i)/float64(len(out)))
	}
	return out
}

// interleave takes elements of the lists in turn, at most most of them.
func interleave(lists [][]Candidate, most int) []Candidate {
	var out []Candidate
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
