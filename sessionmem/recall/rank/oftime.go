package rank

import (
	"cmp"
	"slices"

	"mac-stats/sessionmem/recall/analysis"
)

// stillGoing is the relevance of what was said at a time that is not over: enough for who
// looks for it, too little to go with a message by itself ("how are you today" asks for
// nothing that was said).
const stillGoing = .3

// OfTime answers a question that names a time and nothing else to look for with all that
// was said then, before what Order found: first how each session begins then, the newest
// session first, then what comes next in each, and so on. The last places of the list that
// is asked for are for what only mentions the time. said are the messages of that time by
// their sessions, each in its order; where there are none the hits stay as they are.
func OfTime(q Query, most int, found []Candidate, said [][]Candidate) []Candidate {
	slices.SortFunc(said, func(a, b []Candidate) int {
		return cmp.Or(cmp.Compare(b[0].Time, a[0].Time), cmp.Compare(a[0].Number, b[0].Number))
	})
	then := inTurn(said, max(most, q.Limit))
	if len(then) == 0 {
		return found
	}
	relevance := 1.0
	if slices.ContainsFunc(q.Terms.Spans, func(t analysis.Span) bool { return t.To.After(q.Now) }) {
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

// inTurn takes one of each list after the other, at most so many.
func inTurn(lists [][]Candidate, most int) []Candidate {
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
