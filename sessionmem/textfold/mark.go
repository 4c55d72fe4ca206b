package textfold

import "slices"

// Mark is a range of a text in bytes: From inclusive, To exclusive.
type Mark struct{ From, To int }

// JoinMarks sorts marks and joins those that touch.
func JoinMarks(marks []Mark) []Mark {
	slices.SortFunc(marks, func(a, b Mark) int { return a.From - b.From })
	var out []Mark
	for _, m := range marks {
		if n := len(out); n > 0 && m.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, m.To)
			continue
		}
		out = append(out, m)
	}
	return out
}
