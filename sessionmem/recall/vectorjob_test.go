package recall

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
)

// fakeEmbedder treats some words as synonyms; any other word means itself.
type fakeEmbedder struct {
	mu     sync.Mutex
	model  EmbedModel
	err    error // of the next calls
	dims   int   // of its vectors; 0: the model's
	odd    func(vectors [][]float32) [][]float32
	hang   bool          // until the context ends
	deaf   chan struct{} // ignores the context until it is closed
	texts  []string
	calls  atomic.Int32
	poison string // a word that makes the server fail
	hangs  bool   // then it doesn't answer at all
	gate   func() // called in every Embed of several texts
}

func newFakeEmbedder() *fakeEmbedder {
	return &fakeEmbedder{model: EmbedModel{Name: "fake", Digest: "d1", Dims: 64}}
}

var sameMeaning = map[string]string{"dog": "animal", "hound": "animal", "puppy": "animal", "automobile": "car", "vehicle": "car", "physician": "doctor", "surgeon": "doctor"}

func (f *fakeEmbedder) Model(context.Context) (EmbedModel, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if errors.Is(f.err, ErrNoModel) {
		return EmbedModel{}, f.err
	}
	return f.model, nil
}

func (f *fakeEmbedder) Embed(ctx context.Context, m EmbedModel, _ EmbedAs, texts []string) ([][]float32, error) {
	f.calls.Add(1)
	f.mu.Lock()
	err, dims, odd, hang, deaf, gate := f.err, f.dims, f.odd, f.hang, f.deaf, f.gate
	f.mu.Unlock()
	if deaf != nil {
		<-deaf
	}
	if hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if dims == 0 {
		dims = m.Dims
	}
	var out [][]float32
	for _, text := range texts {
		if f.poison != "" && strings.Contains(text, f.poison) {
			if f.hangs {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return nil, errors.New("the server failed")
		}
		f.mu.Lock()
		f.texts = append(f.texts, text)
		f.mu.Unlock()
		out = append(out, vectorOf(text, dims))
	}
	if gate != nil && len(texts) > 1 {
		gate()
	}
	if odd != nil {
		out = odd(out)
	}
	return out, nil
}

// set changes the server.
func (f *fakeEmbedder) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// vectorOf returns a vector with a direction for each meaning in a text.
func vectorOf(text string, dims int) []float32 {
	v := make([]float32, dims)
	v[0] = .2
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if m, ok := sameMeaning[w]; ok {
			w = m
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(w)) // never fails
		v[1+h.Sum32()%uint32(dims-1)]++
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// withEmbedder gives the bench an index with an embedder.
func (b *bench) withEmbedder(f *fakeEmbedder, change ...func(*Config)) {
	b.Helper()
	if err := b.x.Close(); err != nil {
		b.Fatal(err)
	}
	cfg := Config{Root: b.root, CacheDir: b.cache, Store: b.store, Memory: b.memory, Embedder: f, EmbedPatience: time.Minute} // for slow machines
	for _, c := range change {
		c(&cfg)
	}
	var err error
	if b.x, err = Open(cfg); err != nil {
		b.Fatal(err)
	}
}

// embedAll makes all missing vectors.
func (b *bench) embedAll() {
	b.Helper()
	j := &vectorJob{v: &b.x.vectors}
	for {
		more, err := j.step(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if !more {
			return
		}
	}
}

// vectors returns the number of vectors.
func (b *bench) vectors() (n int) {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+b.x.file.Path())
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("SELECT count(*) FROM vector").Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

func said(a Answer) (out []string) {
	for _, h := range a.Hits {
		out = append(out, h.Text)
	}
	return out
}

func TestMeaningFindsTextWithoutTheWord(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	b.talk("cpu-a", "the hound barks at night", "the automobile is red", "rain falls", "bread bakes", "the piano sounds")
	b.sync()
	if a := b.search("dog"); len(a.Hits) != 0 || a.State.Vectors != VectorsBuilding {
		t.Fatalf("before there are vectors: %q, vectors %s", said(a), a.State.Vectors)
	}
	b.embedAll()
	a := b.search("dog")
	if len(a.Hits) == 0 || a.Hits[0].Text != "the hound barks at night" || a.State.Vectors != VectorsReady || a.Hits[0].Semantic != 1 {
		t.Fatalf("%q, vectors %s", said(a), a.State.Vectors)
	}
	if a, err := b.x.Search(t.Context(), Query{Now: b.now, Text: "dog", Strategy: Lexical}); err != nil || len(a.Hits) != 0 {
		t.Errorf("by words alone: %q %v", said(a), err)
	}
	if a, err := b.x.Search(t.Context(), Query{Now: b.now, Text: "vehicle", Strategy: Semantic}); err != nil || len(a.Hits) == 0 || a.Hits[0].Text != "the automobile is red" {
		t.Errorf("by meaning alone: %q %v", said(a), err)
	}
}

func TestAnIdentifierIsNeverBelowASimilarMeaning(t *testing.T) {
	b := newBench(t)
	b.withEmbedder(newFakeEmbedder())
	b.talk("cpu-a", "the dog and the puppy and the hound and the dog failed", "something else", "E0432 was seen in a long text about many other things that have nothing to do with it at all", "a dog", "the hound E043 E0433")
	b.sync()
	b.embedAll()
	for _, strategy := range []Strategy{Hybrid, Lexical} {
		a, err := b.x.Search(t.Context(), Query{Now: b.now, Text: "did the dog fail with E0432", Strategy: strategy})
		if err != nil || len(a.Hits) == 0 || !strings.HasPrefix(a.Hits[0].Text, "E0432") {
			t.Errorf("%s: %q %v", strategy, said(a), err)
		}
	}
}

func TestAFailingEmbedderOnlyChangesTheState(t *testing.T) {
	for _, c := range []struct {
		what  string
		broke func(f *fakeEmbedder)
		want  VectorState
		wait  time.Duration // 0: a minute
	}{
		{"dead", func(f *fakeEmbedder) { f.err = errors.New("connection refused") }, VectorsPartial, 0},
		{"slow", func(f *fakeEmbedder) { f.hang = true }, VectorsPartial, embedWait},
		{"deaf to its context", func(f *fakeEmbedder) { f.deaf = make(chan struct{}) }, VectorsPartial, embedWait},
		{"of other dimensions", func(f *fakeEmbedder) { f.dims = 32 }, VectorsPartial, 0},
		{"of other dimensions, and says so", func(f *fakeEmbedder) { f.model.Dims = 32 }, VectorsPaused, 0},
		{"without a vector", func(f *fakeEmbedder) { f.odd = func([][]float32) [][]float32 { return nil } }, VectorsPartial, 0},
		{"with a vector that is no direction", func(f *fakeEmbedder) {
			f.odd = func([][]float32) [][]float32 { return [][]float32{make([]float32, 64)} }
		}, VectorsPartial, 0},
		{"with another model", func(f *fakeEmbedder) { f.model.Digest = "d2" }, VectorsPaused, 0},
		{"without a model", func(f *fakeEmbedder) { f.err = ErrNoModel }, VectorsPaused, 0},
	} {
		b := newBench(t)
		f := newFakeEmbedder()
		b.withEmbedder(f, func(cfg *Config) { cfg.EmbedPatience = cmp.Or(c.wait, cfg.EmbedPatience) })
		b.talk("cpu-a", "the hound barks", "the automobile is red")
		b.sync()
		b.embedAll()
		f.set(func() { c.broke(f) })
		begun := time.Now()
		a, err := b.x.Search(t.Context(), Query{Now: b.now, Text: "automobile dog"})
		if err != nil || len(a.Hits) == 0 || a.Hits[0].Text != "the automobile is red" || a.State.Vectors != c.want {
			t.Errorf("a server %s: %q, vectors %s, %v", c.what, said(a), a.State.Vectors, err)
		}
		calls := f.calls.Load()
		if a, err = b.x.Search(t.Context(), Query{Now: b.now, Text: "automobile dog"}); err != nil || a.State.Vectors != c.want {
			t.Errorf("a server %s, asked again: vectors %s, %v", c.what, a.State.Vectors, err)
		}
		if (f.hang || f.deaf != nil) && f.calls.Load() != calls {
			t.Errorf("a server %s is asked again at once", c.what)
		}
		if took := time.Since(begun); took > 20*embedWait {
			t.Errorf("a server %s: two searches took %v", c.what, took)
		}
		if f.deaf != nil {
			close(f.deaf)
		}
	}
}

func TestASlowEmbedderLeavesTimeForTheWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &meaningAsker{cfg: &Config{Embedder: slowModel{}, Logger: slog.New(slog.DiscardHandler)}}
		for limit, want := range map[time.Duration]time.Duration{100 * time.Millisecond: 50 * time.Millisecond, time.Hour: embedWait} {
			ctx, stop := context.WithTimeout(t.Context(), limit)
			begun := time.Now()
			m, err := x.ask(ctx, "a question")
			if took := time.Since(begun); took != want || err == nil || m.d != nil {
				t.Errorf("of %v it took %v, want %v (%v)", limit, took, want, err)
			}
			stop()
		}
	})
}

// slowModel doesn't answer until its context ends.
type slowModel struct{ Embedder }

func (slowModel) Model(ctx context.Context) (EmbedModel, error) {
	<-ctx.Done()
	return EmbedModel{}, ctx.Err()
}

func TestAnotherModelReplacesAllVectors(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	b.talk("cpu-a", "the hound barks", "the automobile is red", "rain falls")
	b.sync()
	b.embedAll()
	f.set(func() { f.model = EmbedModel{Name: "other", Digest: "d9", Dims: 48} })
	if a := b.search("dog"); a.State.Vectors != VectorsPaused || len(a.Hits) != 0 {
		t.Fatalf("%q, vectors %s, want them paused", said(a), a.State.Vectors)
	}
	b.embedAll()
	if a := b.search("dog"); a.State.Vectors != VectorsReady || len(a.Hits) == 0 || a.Hits[0].Text != "the hound barks" {
		t.Errorf("%q, vectors %s", said(a), a.State.Vectors)
	}
	if n := b.vectors(); n != 3 {
		t.Errorf("%d vectors, want 3 of the new model alone", n)
	}
}

func TestVectorsAreRemovedWithTheirChunks(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	dead := map[string]bool{}
	b.withEmbedder(f, func(c *Config) { c.Forgotten = func() corpus.Tombstones { return tombs(dead) } })
	blocks := b.talk("cpu-a", "the automobile is red", "the hound barks", "rain falls", "bread bakes")
	b.talk("cpu-b", "the physician waits", "secret words")
	dead["secret words"] = true
	b.sync()
	b.embedAll()
	if n := b.vectors(); n != 5 || slices.Contains(f.texts, "secret words") {
		t.Fatalf("%d vectors of %q", n, f.texts)
	}
	kept := vectorBytes(t, "the hound barks")
	if !b.inFile(kept) {
		t.Fatal("a vector is in no file: this test proves nothing")
	}
	dead["the hound barks"] = true
	if err := b.x.Erase(t.Context(), []string{"cpu-a/" + blocks[1].ID + "/0"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if b.inFile(kept) {
		t.Error("the vector of an erased chunk is still in a file")
	}
	if a := b.search("dog"); slices.Contains(said(a), "the hound barks") {
		t.Errorf("%q", said(a))
	}
	if n := b.vectors(); n != 4 {
		t.Errorf("%d vectors, want 4", n)
	}
	b.rewrite(b.transcript("cpu-a"), func(s string) string { return strings.Replace(s, "rain falls", "snow falls high", 1) })
	b.sync()
	b.embedAll()
	if i := slices.Index(f.texts, "snow falls high"); i != len(f.texts)-1 || i != 6 {
		t.Errorf("%q were embedded, want the edited text alone to be new", f.texts)
	}
	if n := b.vectors(); n != 4 {
		t.Errorf("%d vectors after an edit, want 4", n)
	}
	if err := b.x.Erase(t.Context(), nil, []string{"cpu-a", "cpu-b"}, nil); err != nil {
		t.Fatal(err)
	}
	if n := b.vectors(); n != 0 {
		t.Errorf("%d vectors, want none", n)
	}
}

type tombs map[string]bool

func (d tombs) HasIn(_, text string) bool                  { return d[text] }
func (d tombs) HasBlock(_ string, b transcript.Block) bool { return d[b.Text] }

func vectorBytes(t *testing.T, text string) []byte {
	t.Helper()
	v := vectorOf(text, 64)
	out := make([]byte, len(v))
	for i, x := range v {
		out[i] = byte(int8(math.Round(float64(x / slices.Max(v) * math.MaxInt8))))
	}
	return out
}

// inFile reports whether any file of the cache folder contains these bytes.
func (b *bench) inFile(want []byte) bool {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(b.cache, "*"))
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		if bytes.Contains(data, want) {
			return true
		}
	}
	return false
}

func TestARunningVectorJobRestoresNothing(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	dead := tombs{}
	b.withEmbedder(f, func(c *Config) { c.Forgotten = func() corpus.Tombstones { return dead } })
	blocks := b.talk("cpu-a", "the automobile is red", "the hound barks", "rain falls", "bread bakes")
	b.sync()
	f.gate = func() {
		f.gate = nil
		dead["rain falls"] = true
		if err := b.x.Erase(t.Context(), []string{"cpu-a/" + blocks[1].ID + "/0"}, nil, nil); err != nil {
			t.Error(err)
		}
	}
	j := &vectorJob{v: &b.x.vectors}
	if _, err := j.step(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b.inFile(vectorBytes(t, "the hound barks")) || b.inFile(vectorBytes(t, "rain falls")) {
		t.Error("a vector came back that was erased, or forgotten, while it was made")
	}
	if n := b.vectors(); n != 2 {
		t.Errorf("%d vectors, want those of the two others", n)
	}
}

func TestARebuildDuringAVectorJobMixesNothingUp(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	b.talk("cpu-a", "the hound barks", "the automobile is red")
	b.sync()
	f.gate = func() {
		f.gate = nil
		b.say("cpu-0", transcript.KindUser, "bread bakes")
		b.say("cpu-0", transcript.KindUser, "rain falls")
		if _, err := b.x.Rebuild(t.Context()); err != nil {
			t.Error(err)
		}
	}
	b.embedAll()
	for question, want := range map[string]string{"dog": "the hound barks", "vehicle": "the automobile is red"} {
		if got := b.first(question); got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}

func TestVectorsAreMadeInTheBackground(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	var all []string
	for i := range 3*vectorBatch + 5 {
		all = append(all, fmt.Sprintf("text number%d", i))
	}
	b.talk("cpu-a", all...)
	b.sync()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { b.x.vectors.run(ctx); close(done) }()
	filetest.Until(t, "all vectors", func() bool { return b.vectors() == len(all) })
	stop()
	<-done
	if f.texts[0] != all[len(all)-1] && !slices.Contains(f.texts[:vectorBatch], all[len(all)-1]) {
		t.Errorf("the newest is not among the first: %q", f.texts[:vectorBatch])
	}
	if len(f.texts) != len(all) {
		t.Errorf("%d texts were embedded, want each once", len(f.texts))
	}
}

func TestARebuiltIndexKeepsItsVectors(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	b.talk("cpu-a", "the hound barks", "the automobile is red", "rain falls", "rain falls")
	b.sync()
	b.embedAll()
	calls := f.calls.Load()
	b.rewrite(b.transcript("cpu-a"), func(s string) string { return strings.Replace(s, "the automobile is red", "[forgotten]", 1) })
	b.say("cpu-b", transcript.KindUser, "bread bakes")
	if _, err := b.x.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := b.vectors(); n != 2 {
		t.Errorf("%d vectors after a rebuild, want those of the two texts that are still there", n)
	}
	if b.inFile(vectorBytes(t, "the automobile is red")) {
		t.Error("the vector of a chunk that is gone was taken over")
	}
	b.embedAll()
	if n := f.calls.Load() - calls; n != 1 || f.texts[len(f.texts)-1] != "bread bakes" {
		t.Errorf("%d calls for %q, want one for what is new", n, f.texts)
	}
	if got := b.first("dog"); got != "the hound barks" {
		t.Errorf("%q", got)
	}
}

// A damaged vector is noticed, and made anew: the new file must not take it over.
func TestADamagedVectorIsMadeAnew(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	b.talk("cpu-a", "the hound barks", "the automobile is red", "rain falls")
	b.sync()
	b.embedAll()
	db, err := sql.Open("sqlite", "file:"+b.x.file.Path())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE vector SET data=zeroblob(length(data)) WHERE id=1"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	calls := len(f.texts)
	b.withEmbedder(f)
	if a := b.search("dog"); a.State.Vectors != VectorsPartial {
		t.Errorf("%v, want that the vectors can't be read", a.State.Vectors)
	}
	b.sync()
	b.embedAll()
	if made := len(f.texts) - calls; b.vectors() != 3 || made != 2 {
		t.Errorf("%d vectors, %d texts embedded; want three, and one besides the question", b.vectors(), made)
	}
	if a := b.search("dog"); a.State.Vectors != VectorsReady || len(a.Hits) == 0 || a.Hits[0].Text != "the hound barks" {
		t.Errorf("%v %q", a.State.Vectors, said(a))
	}
}

func TestAKilledVectorJobResumes(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	var all []string
	for i := range 2*vectorBatch + 3 {
		all = append(all, fmt.Sprintf("text number%d", i))
	}
	b.talk("cpu-a", all...)
	b.sync()
	j := &vectorJob{v: &b.x.vectors}
	if _, err := j.step(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.withEmbedder(f) // another process
	if n := b.vectors(); n != vectorBatch {
		t.Fatalf("%d vectors", n)
	}
	b.embedAll()
	if n := b.vectors(); n != len(all) || len(f.texts) != len(all) {
		t.Errorf("%d vectors of %d texts, want %d and each embedded once", n, len(f.texts), len(all))
	}
}

func TestAFailingEmbedderIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeEmbedder()
		f.err = errors.New("connection refused")
		var asked atomic.Int32
		x := &vectorMaker{cfg: &Config{Embedder: embedderFunc(func() (EmbedModel, error) {
			asked.Add(1)
			return EmbedModel{}, f.err
		}), Logger: slog.New(slog.DiscardHandler)}, wake: make(chan struct{}, 1)}
		ctx, stop := context.WithCancel(t.Context())
		go x.run(ctx)
		time.Sleep(time.Hour)
		if n := asked.Load(); n < 5 || n > 16 {
			t.Errorf("asked %d times in an hour", n)
		}
		for range 100 {
			nudge(x.wake)
			synctest.Wait()
		}
		if n := asked.Load(); n > 17 {
			t.Errorf("asked %d times: new chunks don't wait for the server's rest", n)
		}
		stop()
		synctest.Wait()
	})
}

type embedderFunc func() (EmbedModel, error)

func (f embedderFunc) Model(context.Context) (EmbedModel, error) { return f() }

func (f embedderFunc) Embed(context.Context, EmbedModel, EmbedAs, []string) ([][]float32, error) {
	return nil, errors.New("not asked for")
}

func TestOneFailingTextHoldsUpNoOther(t *testing.T) {
	t.Run("with an error", func(t *testing.T) { oneTextFails(t, false, 4) })
	t.Run("without an answer", func(t *testing.T) { oneTextFails(t, true, 30) })
}

func oneTextFails(t *testing.T, hangs bool, most int) {
	b := newBench(t)
	f := newFakeEmbedder()
	f.poison, f.hangs = "unlucky", hangs
	b.withEmbedder(f)
	var all []string
	for i := range 2*vectorBatch + 5 {
		all = append(all, fmt.Sprintf("text number%d", i))
	}
	all[vectorBatch] = "an unlucky text"
	b.talk("cpu-a", all...)
	b.sync()
	j, failures := &vectorJob{v: &b.x.vectors, wait: time.Second}, 0
	for more := true; more && failures < 2*most; {
		var err error
		if more, err = j.step(t.Context()); err != nil {
			failures++
			more = true
		}
	}
	if n := b.vectors(); n != len(all)-1 || failures > most {
		t.Errorf("%d vectors of %d, %d failures", n, len(all), failures)
	}
}

func TestHitsOfAverageSimilarityHaveAScore(t *testing.T) {
	b := newBench(t)
	b.withEmbedder(newFakeEmbedder())
	b.talk("cpu-a", "the hound barks")
	b.talk("cpu-b", "the hound barks")
	b.sync()
	b.embedAll()
	a, err := b.x.Search(t.Context(), Query{Now: b.now, Text: "how many puppies"})
	if err != nil || len(a.Hits) == 0 {
		t.Fatalf("%q, %v", said(a), err)
	}
	for _, h := range a.Hits {
		if !(h.Score >= 0 && h.Score <= 1) {
			t.Errorf("%q has the score %v", h.Text, h.Score)
		}
	}
}

func TestTextsAreNotSkippedWhenTheEmbedderIsDown(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	b.talk("cpu-a", "one text", "another text", "a third text")
	b.sync()
	f.err = errors.New("connection refused")
	j := &vectorJob{v: &b.x.vectors}
	for range 6 {
		if _, err := j.step(t.Context()); err == nil {
			t.Fatal("no error")
		}
	}
	f.set(func() { f.err = nil })
	for more := true; more; {
		var err error
		if more, err = j.step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := b.vectors(); n != 3 {
		t.Errorf("%d vectors", n)
	}
}

func TestVectorsWaitForARemovedModel(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	b.talk("cpu-a", "the hound barks")
	b.sync()
	b.embedAll()
	f.set(func() { f.err = ErrNoModel })
	a, err := b.x.Search(t.Context(), Query{Text: "dog"})
	if err != nil || a.State.Vectors != VectorsPaused {
		t.Errorf("%+v, %v", a.State, err)
	}
	if s, err := b.x.Status(t.Context()); err != nil || s.Vectors != VectorsPaused {
		t.Errorf("%+v, %v", s, err)
	}
	f.set(func() { f.err = nil })
	if got := b.first("dog"); got != "the hound barks" {
		t.Errorf("when it is there again: %q", got)
	}
}

// Text typed again after it was forgotten gets a vector; text restored from before doesn't.
func TestTextTypedAgainAfterForgettingGetsAVector(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	record := forgotten.NewRecord(b.root, nil)
	b.withEmbedder(f, func(c *Config) { c.Forgotten = func() corpus.Tombstones { return record } })
	traces, err := record.New(true, false)
	if err != nil {
		t.Fatal(err)
	}
	traces.AddWords("hound barks")
	traces.AddPhrase("the hound barks", traces.Phrase("hound barks"))
	if err := errors.Join(record.Begin(traces), record.Done(traces.Traces, nil)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond) // block times have a resolution of seconds
	b.now = time.Now()
	b.talk("cpu-a", "the hound barks", "the automobile is red")
	b.sync()
	b.embedAll()
	if !slices.Contains(f.texts, "the hound barks") {
		t.Errorf("embedded were %q", f.texts)
	}
}
