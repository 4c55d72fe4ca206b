package recall

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/recall/index"
)

const (
	benchChunks = 60000
	benchDims   = 768
)

// unitVector returns a vector of length one.
func unitVector(r *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	sum := 0.0
	for i := range v {
		x := r.NormFloat64()
		v[i] = float32(x)
		sum += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// crowd makes vectors as models do: around themes, and all leaning the same way.
type crowd struct {
	r      *rand.Rand
	lean   []float32
	themes [][]float32
}

func newCrowd(dims int) *crowd {
	c := &crowd{r: rand.New(rand.NewPCG(5, 6))}
	c.lean = unitVector(c.r, dims)
	for range 300 {
		c.themes = append(c.themes, unitVector(c.r, dims))
	}
	return c
}

func (c *crowd) vector() []float32 {
	v := unitVector(c.r, len(c.lean))
	theme := c.themes[c.r.IntN(len(c.themes))]
	for i := range v {
		v[i] += .9*c.lean[i] + .7*theme[i]
	}
	return v
}

// bigIndex returns an index of many chunks, each with a vector.
func bigIndex(b *testing.B, chunks int, e Embedder) *Index {
	b.Helper()
	root := b.TempDir()
	dir := filepath.Join(root, "session")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	const perSession = 100
	texts := filetest.SampleTexts(chunks)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for s := range chunks / perSession {
		var text strings.Builder
		name := fmt.Sprintf("cli-s%d", s)
		fmt.Fprintf(&text, "---\nformat: mac-stats-session/1\nsession: %s\nsource: cli\n---\n", name)
		for i, t := range texts[s*perSession : (s+1)*perSession] {
			kind := [2]string{"User", "Assistant"}[i%2]
			at = at.Add(time.Minute)
			fmt.Fprintf(&text, "\n## %s · %s\n<!-- id=b%d -->\n\n%s\n", kind, at.Format(time.RFC3339), i, t)
		}
		if err := os.WriteFile(filepath.Join(dir, "session-memory-"+name+"-"+at.Format("20060102-150405")+"-talk.md"), []byte(text.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	store, err := sessionmem.Open(sessionmem.Config{Root: root})
	if err != nil {
		b.Fatal(err)
	}
	x, err := Open(Config{Root: root, CacheDir: b.TempDir(), Store: store, Embedder: e})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = x.Close(), store.Close() })
	if _, err := x.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	return x
}

// fill gives every chunk a vector.
func fill(b *testing.B, x *Index, c *crowd, m EmbedModel) {
	b.Helper()
	err := x.file.Write(b.Context(), func(e *index.Index) error {
		var all []index.Vector
		err := e.Read(b.Context(), func(now *index.Snapshot) error {
			some, _, err := now.Unembedded(b.Context(), m, now.Passages(), nil)
			for _, w := range some {
				all = append(all, index.Vector{TextKey: w.TextKey, Values: c.vector()})
			}
			return err
		})
		if err != nil {
			return err
		}
		return e.PutVectors(b.Context(), m, all)
	})
	if err != nil {
		b.Fatal(err)
	}
}

// fixedEmbedder returns its vector at once, because only the index's time is measured.
type fixedEmbedder struct {
	model EmbedModel
	give  func() []float32
}

func (f *fixedEmbedder) Model(context.Context) (EmbedModel, error) { return f.model, nil }

func (f *fixedEmbedder) Embed(_ context.Context, _ EmbedModel, _ EmbedAs, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = f.give()
	}
	return out, nil
}

func BenchmarkSearchByMeaning(b *testing.B) {
	for _, chunks := range []int{benchChunks, 10 * benchChunks} {
		if chunks > benchChunks && os.Getenv("RECALL_LARGE") == "" {
			continue // minutes: on request
		}
		b.Run(fmt.Sprint(chunks), func(b *testing.B) { benchMeaning(b, chunks) })
	}
}

func benchMeaning(b *testing.B, chunks int) {
	c := newCrowd(benchDims)
	f := &fixedEmbedder{model: EmbedModel{Name: "m", Digest: "d", Dims: benchDims}, give: c.vector}
	x := bigIndex(b, chunks, f)
	fill(b, x, c, f.model)
	questions := filetest.SampleTexts(400)
	for i, q := range questions {
		words := strings.Fields(q)
		questions[i] = strings.Join(words[:min(8, len(words))], " ")
	}
	var took []time.Duration
	search := func(i int, strategy Strategy) time.Duration {
		begun := time.Now()
		a, err := x.Search(b.Context(), Query{Text: questions[i%len(questions)], Limit: 8, Cold: true, Strategy: strategy})
		if err != nil || len(a.Hits) == 0 || strategy != Lexical && a.State.Vectors != VectorsReady {
			b.Fatalf("%d hits, %s, %v", len(a.Hits), a.State, err)
		}
		return time.Since(begun)
	}
	search(0, Lexical)
	before := heapUsed()
	cold := search(0, Hybrid)
	held := heapUsed() - before
	i := 0
	for b.Loop() {
		for range 100 {
			took = append(took, search(i, Hybrid))
			i++
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(held)/(1<<20), "heap-MB-of-vectors")
	b.ReportMetric(float64(cold.Microseconds())/1000, "first-ms")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	if chunks == benchChunks {
		b.ReportMetric(40, "p95-ms-promised")
	}
}
