package vectors

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkSignsFindTheNearest measures how many of the 50 nearest are among the vectors whose
// signs agree best.
func BenchmarkSignsFindTheNearest(b *testing.B) {
	const docs, dims = 60_000, 768
	r := rand.New(rand.NewPCG(5, 6))
	themes := make([][]float32, 301)
	for i := range themes {
		themes[i] = randomVector(r, dims)
	}
	vector := func() []float32 { // as models make them: around themes, and all leaning the same way
		v := randomVector(r, dims)
		theme := themes[1+r.IntN(300)]
		for i := range v {
			v[i] += .9*themes[0][i] + .7*theme[i]
		}
		return v
	}
	p := &Set{pages: map[uint32]*vectorPage{}}
	var all []slotRef
	for i := range uint32(docs) {
		page := p.pages[i>>pageBits]
		if page == nil {
			page = newVectorPage(dims)
			p.pages[i>>pageBits] = page
		}
		scale, data, _ := quantize(vector())
		page.put(byte(i&(pageVectors-1)), scale, data)
		all = append(all, slotRef{page, i, i, int32(i & (pageVectors - 1))})
	}
	for _, page := range p.pages {
		page.reindex()
	}
	missed, n := 0, 0
	for b.Loop() {
		d, _ := NewDirection(vector())
		exact := make([]Near, len(all))
		parallel(len(all), func(i int) { exact[i] = Near{all[i].at, d.cosine(all[i].page, int(all[i].slot))} })
		slices.SortFunc(exact, func(a, b Near) int { return int(1e6 * (b.Cosine - a.Cosine)) })
		kept := map[uint32]bool{}
		for _, s := range d.closestBySigns(slices.Clone(all), maxExact) {
			kept[s.at] = true
		}
		for _, e := range exact[:50] {
			if n++; !kept[e.At] {
				missed++
			}
		}
	}
	b.ReportMetric(100*float64(missed)/float64(n), "missed-%")
}
