package prompt

import (
	"slices"
	"time"

	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/rank"
)

// Named is an agent or a skill in the roster.
type Named struct {
	Name        string
	Description string
	Skill       bool
	Pinned      bool // always listed
}

// descriptionRunes limits the description of an agent or a skill in the roster, in
// characters.
const descriptionRunes = 120

// Line returns "name: description" as one line, with the description cut to
// descriptionRunes, at the end of a word if one is near.
func (n Named) Line() string {
	if description := excerpt.OneLine(n.Description); description != "" {
		return n.Name + ": " + excerpt.Shorten(description, descriptionRunes)
	}
	return n.Name
}

// Relevant returns the entries whose name or description matches the text, best first. It
// ranks names and descriptions as recall ranks passages for a question. A name counts
// twice, because it says in a word what the description explains.
func Relevant(text string, all []Named) []Named {
	if len(all) == 0 {
		return nil
	}
	a, w := analysis.NewAnalyzer(), rank.Default()
	docs, words := make([]map[string]float64, len(all)), 0
	lengths := make([]int, len(all))
	for i, n := range all {
		docs[i] = map[string]float64{}
		for _, part := range []string{n.Name, n.Name, n.Description} {
			terms := a.Chunk(part, time.Time{})
			for _, f := range terms.Freqs {
				docs[i][f.Term] += float64(f.N)
			}
			lengths[i] += terms.Words
			words += terms.Words
		}
	}
	query := a.Message(text, time.Now())
	sums, best := make([]float64, len(all)), 0.0
	for _, t := range query.Terms {
		has, n := make([]float64, len(all)), 0
		for i := range docs {
			for _, v := range t.Variants {
				has[i] += v.Weight * docs[i][v.Term]
			}
			if has[i] > 0 {
				n++
			}
		}
		for i, tf := range has {
			k := float64(w.K) * (1 - float64(w.B) + float64(w.B)*float64(lengths[i]*len(all))/float64(max(words, 1)))
			sums[i] += t.Weight * w.Idf(n, len(all)) * tf * (float64(w.K) + 1) / (tf + k)
			best = max(best, sums[i])
		}
	}
	var found []rank.Candidate
	for i, sum := range sums {
		if sum > 0 {
			at := uint32(i) //nolint:gosec // there are never that many
			found = append(found, rank.Candidate{At: at, Message: at, Number: at, Words: sum / best, Share: 1, Length: lengths[i]})
		}
	}
	out := make([]Named, 0, len(found))
	for _, c := range rank.Order(rank.Query{Terms: query}, &w, found, nil) {
		out = append(out, all[c.At])
	}
	return slices.Clip(out)
}
