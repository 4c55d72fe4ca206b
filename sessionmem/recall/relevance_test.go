package recall

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// BenchmarkRelevance measures from which Relevance a hit is worth quoting unasked: how often
// the first hits above a limit are right, and how often a question gets a hit although the
// index has no answer, because the question is about another conversation or because the only
// session with the answer is excluded.
func BenchmarkRelevance(b *testing.B) {
	all := slices.DeleteFunc(loadChats(b), func(c *benchChat) bool { return c.set != setPeople })
	for b.Loop() {
		var own, foreign, without []float64 // relevance of the best hit
		var right []bool                    // the first three hold evidence
		for i := range all {
			other := all[(i+1)%len(all)]
			for _, q := range all[i].questions {
				hits := all[i].hits(b, q.text, "")
				own = append(own, best(hits))
				right = append(right, slices.ContainsFunc(hits[:min(3, len(hits))], func(h Hit) bool { return slices.Contains(q.evidence, h.Block) }))
				if s := session(q.evidence[0]); !slices.ContainsFunc(q.evidence, func(e string) bool { return session(e) != s }) {
					without = append(without, best(all[i].hits(b, q.text, strings.Replace(s, "D", "cli-s", 1))))
				}
				foreign = append(foreign, best(other.hits(b, q.text, "")))
			}
		}
		for _, q := range []float64{.05, .25, .5, .75, .95} {
			b.Logf("quantile %.2f: own %.3f, without its session %.3f, foreign %.3f", q, quantile(own, q), quantile(without, q), quantile(foreign, q))
		}
		for bar := .2; bar < .61; bar += .05 {
			asked, good := 0, 0
			for i, r := range own {
				if r >= bar {
					asked++
					if right[i] {
						good++
					}
				}
			}
			b.Logf("from %.2f on: %s of the questions have a hit, %s of those hold evidence; a hit without an answer: %s with the session left out, %s in another conversation",
				bar, share(asked, len(own)), share(good, asked), share(above(without, bar), len(without)), share(above(foreign, bar), len(foreign)))
		}
	}
}

func session(block string) string { s, _, _ := strings.Cut(block, "-"); return s }

func (a *benchChat) hits(b *testing.B, text, notSession string) []Hit {
	b.Helper()
	got, err := a.index.Search(b.Context(), Query{Text: text, Limit: 8, Now: a.now, Cold: true, Scope: Scope{NotSession: notSession}})
	if err != nil {
		b.Fatal(err)
	}
	return got.Hits
}

// best returns the highest relevance.
func best(hits []Hit) (r float64) {
	for _, h := range hits {
		r = max(r, h.Relevance)
	}
	return r
}

func above(all []float64, bar float64) (n int) {
	for _, r := range all {
		if r >= bar {
			n++
		}
	}
	return n
}

func quantile(all []float64, q float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[int(q*float64(len(all)-1))]
}

func share(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(of, 1))) }
