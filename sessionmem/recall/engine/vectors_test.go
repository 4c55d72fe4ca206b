package engine

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/vectors"
	"mac-stats/sessionmem/recall/rank"
)

var model = vectors.Model{Name: "fake", Digest: "d1", Dims: 8}

// direction returns a vector that differs from those of other numbers.
func direction(n int) []float32 {
	v := make([]float32, model.Dims)
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// wanted returns all passages without a vector, by text.
func (x *index) wanted(m vectors.Model, limit int, skip map[uint32]string) (texts []string, numbers map[string]uint32, made int) {
	x.Helper()
	numbers = map[string]uint32{}
	x.read(x.e, func(s *Snapshot) {
		some, n, err := s.Unembedded(x.Context(), m, limit, skip)
		if err != nil {
			x.Fatal(err)
		}
		made = n
		for _, w := range some {
			texts = append(texts, w.Passage.Block)
			numbers[w.Passage.Block] = w.Number
		}
	})
	return texts, numbers, made
}

// embed gives passages vectors: that of the n-th text is direction(n).
func (x *index) embed(texts ...string) map[string]uint32 {
	x.Helper()
	_, numbers, _ := x.wanted(model, 1000, nil)
	var all []Vector
	for i, text := range texts {
		all = append(all, Vector{numbers[text], direction(i)})
	}
	if err := x.e.PutVectors(x.Context(), model, all, func(i int, now format.Passage, _ *Source) bool { return now.Block == texts[i] }); err != nil {
		x.Fatal(err)
	}
	return numbers
}

// vectored returns the texts of the passages that have vectors.
func (x *index) vectored(e *Engine, m vectors.Model) (out []string) {
	x.Helper()
	x.read(e, func(s *Snapshot) {
		for _, k := range s.Sources() {
			if k == nil {
				continue
			}
			if err := s.Each(x.Context(), k, func(_ uint32, d format.Passage) error {
				v, dims, err := s.VectorsOf(x.Context(), m, []uint32{d.Number})
				if len(v) > 0 && v[0] != nil {
					out = append(out, d.Block)
					if dims != m.Dims {
						x.Errorf("%d dimensions", dims)
					}
				}
				return err
			}); err != nil {
				x.Fatal(err)
			}
		}
		if n, known, err := s.Vectors(x.Context(), m); err != nil || n != len(out) || known != (n > 0) && len(out) > 0 {
			x.Errorf("%d vectors are counted, known %v, %v; %d passages have one", n, known, err, len(out))
		}
	})
	slices.Sort(out)
	return out
}

func TestVectorsOfPassagesAreKeptUntilTheyChange(t *testing.T) {
	x := newIndex(t, tinyLimits())
	has := func(want ...string) {
		t.Helper()
		if d := cmp.Diff(want, x.vectored(x.e, model)); d != "" {
			t.Error(d)
		}
	}
	x.put("cpu-a", map[uint32]string{0: "ant", 10: "bee", 20: "cat", 30: "dog"})
	has()
	numbers := x.embed("ant", "bee", "cat")
	has("ant", "bee", "cat")
	x.put("cpu-a", map[uint32]string{0: "ape"})
	has("bee", "cat")
	x.putPassages("cpu-a", []format.Passage{{Seq: 40, Block: "bee", Number: numbers["bee"]}}, 10) // it only moved
	has("bee", "cat")
	for range 3 {
		x.put("cpu-b", map[uint32]string{0: "eel", 10: "fox", 20: "gnu", 30: "hen", 40: "ibis", 50: "jay", 60: "kiwi", 70: "lynx"})
		if err := x.e.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	has("bee", "cat")
	x.erase("cpu-a", 20)
	has("bee")
	x.drop("cpu-a")
	has()
	if err := x.e.PutVectors(t.Context(), model, []Vector{{numbers["bee"], direction(1)}}, func(int, format.Passage, *Source) bool { return true }); err != nil {
		t.Fatal(err)
	}
	has() // it is gone
	if err := x.e.PutVectors(t.Context(), model, []Vector{{1, []float32{1}}}, nil); !errors.Is(err, vectors.ErrForeign) {
		t.Errorf("%v, want ErrForeign", err)
	}
}

func TestTheMostValuableVectorsAreWantedFirst(t *testing.T) {
	x := newIndex(t, tinyLimits())
	x.putPassages("cpu-a", []format.Passage{
		{Seq: 0, Block: "answer", Kind: format.RoleAssistant, Time: 50},
		{Seq: 1, Block: "its rest", Kind: format.RoleAssistant, Continues: true, Time: 50},
		{Seq: 2, Block: "old", Kind: format.RoleUser, Time: 10},
		{Seq: 3, Block: "new", Kind: format.RoleUser, Time: 20},
		{Seq: 4, Block: "summary", Kind: format.RoleSummary, Time: 90},
		{Seq: 5, Block: "tool", Kind: format.RoleTool, Time: 91},
		{Seq: 6, Block: "learned", Kind: format.RoleMemory, Time: 5},
	})
	texts, numbers, made := x.wanted(model, 100, nil)
	if d := cmp.Diff([]string{"new", "old", "learned", "summary", "answer", "tool", "its rest"}, texts); d != "" || made != 0 {
		t.Error(made, d)
	}
	x.embed("old", "learned")
	if texts, _, made = x.wanted(model, 2, map[uint32]string{numbers["new"]: "it can't have one"}); cmp.Diff([]string{"summary", "answer"}, texts) != "" || made != 2 {
		t.Errorf("%q, %d made", texts, made)
	}
	x.embed("answer", "its rest", "summary", "tool")
	if texts, _, made = x.wanted(model, 100, map[uint32]string{numbers["new"]: "it can't have one"}); len(texts) != 0 || made != 7 {
		t.Errorf("%q are wanted, %d made; want that all are done", texts, made)
	}
	other := model
	other.Digest = "d2"
	if texts, _, _ = x.wanted(other, 100, nil); len(texts) != 7 {
		t.Errorf("%q are wanted of another model, want all", texts)
	}
}

func TestARebuiltIndexTakesOverVectors(t *testing.T) {
	old := newIndex(t, tinyLimits())
	old.put("cpu-a", map[uint32]string{0: "ant", 10: "bee", 20: "cat"})
	old.put("cpu-gone", map[uint32]string{0: "dog"})
	old.embed("ant", "bee", "cat", "dog")
	x := newIndex(t, tinyLimits())
	x.put("cpu-new", map[uint32]string{0: "ant"})
	x.put("cpu-a", map[uint32]string{0: "ape", 10: "ant", 20: "bee", 30: "bee"}) // the numbers are others
	for range 2 {
		if err := x.e.CarryVectors(t.Context(), old.path); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"ant", "bee", "bee"}, x.vectored(x.e, model)); d != "" {
			t.Error(d)
		}
	}
	want, _ := vectors.NewDirection(direction(1))
	found, places := x.ask(x.e, Question{Vector: want, Model: model, MeaningOnly: true})
	if len(places) != 3 || found.Vectors != CoverSome || found.Candidates[0].Cosine < .99 {
		t.Errorf("%+v", found)
	}
	for what, path := range map[string]string{"nothing": filepath.Join(t.TempDir(), "none.db"), "no index": x.noIndex()} {
		if err := x.e.CarryVectors(t.Context(), path); err != nil {
			t.Errorf("%s: %v, want that the vectors are made anew", what, err)
		}
	}
}

func (x *index) noIndex() string {
	x.Helper()
	path := filepath.Join(x.TempDir(), "recall.db")
	if err := os.WriteFile(path, []byte("no index"), 0o600); err != nil {
		x.Fatal(err)
	}
	return path
}

func TestOnlyTheModelInUseKeepsItsVectors(t *testing.T) {
	x := newIndex(t, DefaultLimits())
	x.put("cpu-a", map[uint32]string{0: "ant", 10: "bee"})
	other := vectors.Model{Name: "other", Dims: 3}
	x.embed("ant", "bee")
	_, numbers, _ := x.wanted(other, 10, nil)
	if err := x.e.PutVectors(t.Context(), other, []Vector{{numbers["bee"], []float32{1, 2, 3}}}, func(int, format.Passage, *Source) bool { return true }); err != nil {
		t.Fatal(err)
	}
	count := func() (n int) {
		x.read(x.e, func(s *Snapshot) {
			var err error
			if n, err = s.Models(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		return n
	}
	if count() != 2 {
		t.Errorf("%d models, want 2", count())
	}
	if err := x.e.KeepVectorsOf(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if got := x.vectored(x.e, other); count() != 1 || len(got) != 1 || len(x.vectored(x.e, model)) != 0 {
		t.Errorf("%d models, %q have vectors", count(), got)
	}
}

func TestMeaningIsComparedWithItsNeighborhood(t *testing.T) {
	x := newIndex(t, DefaultLimits())
	x.put("cpu-a", map[uint32]string{0: "ant", 1: "bee", 2: "cat", 30: "dog"})
	d, _ := vectors.NewDirection(direction(1))
	if found, places := x.ask(x.e, Question{Terms: x.terms("dog"), Vector: d, Model: model}); found.Meaning != nil || found.Vectors != CoverNone || len(places) != 1 {
		t.Errorf("without vectors: %+v", found)
	}
	x.embed("ant", "bee", "cat", "dog")
	found, places := x.ask(x.e, Question{Terms: x.terms("dog"), Vector: d, Model: model})
	if found.Meaning == nil || found.Meaning.Best < .99 || found.Vectors != CoverAll || len(places) != 4 {
		t.Fatalf("%+v %v", found, places)
	}
	cosines := map[string]rank.Candidate{}
	x.read(x.e, func(s *Snapshot) {
		for _, c := range found.Candidates {
			p, _, err := s.Passage(t.Context(), c.At)
			if err != nil {
				t.Fatal(err)
			}
			cosines[p.Block] = c
		}
	})
	near := func(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }
	ant, bee, cat, dog := cosines["ant"], cosines["bee"], cosines["cat"], cosines["dog"]
	if !near(bee.Beside[0], ant.Cosine) || !near(bee.Beside[1], cat.Cosine) || ant.Beside[0] != 0 || dog.Beside != [2]float64{} || dog.Words != 1 || bee.Words != 0 {
		t.Errorf("%+v", cosines)
	}
	x.read(x.e, func(s *Snapshot) {
		allowed := make([]bool, len(s.Sources()))
		w := rank.Default()
		if got, err := s.Candidates(t.Context(), Question{Terms: x.terms("dog"), Weights: &w, Vector: d, Model: model, Allowed: allowed}); err != nil || len(got.Candidates) != 0 {
			t.Errorf("%+v, %v; want that nothing is found where nothing may be", got, err)
		}
	})
	if _, err := x.e.db.ExecContext(t.Context(), "UPDATE vector SET data=zeroblob(length(data)), version=version+1; UPDATE meta SET value=value+1 WHERE key='vectors'"); err != nil {
		t.Fatal(err)
	}
	if found, places := x.ask(x.e, Question{Terms: x.terms("dog"), Vector: d, Model: model}); found.VectorsErr == nil || len(places) != 1 {
		t.Errorf("damaged vectors: %+v, want what the words find, and the error", found)
	}
}
