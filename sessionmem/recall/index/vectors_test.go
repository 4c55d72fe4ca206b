package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
)

var model = index.Model{Name: "m", Digest: "d", Dims: 24}

// direction returns a vector that points away from all others.
func direction(of uint64, dims int) []float32 {
	r := rand.New(rand.NewPCG(of, 8))
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// embed makes all missing vectors, one batch after another, and returns how many it made.
func embed(t *testing.T, x *index.Index, m index.Model) (made int) {
	t.Helper()
	for {
		var all []index.Vector
		err := x.Read(t.Context(), func(now *index.Snapshot) error {
			some, _, err := now.Unembedded(t.Context(), m, 7, nil)
			for _, w := range some {
				all = append(all, index.Vector{TextKey: w.TextKey, Values: direction(w.Hash, m.Dims)})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == 0 {
			return made
		}
		made += len(all)
		if err := x.PutVectors(t.Context(), m, all); err != nil {
			t.Fatal(err)
		}
	}
}

// alike returns the blocks whose texts have vectors within a narrow cone of that of a text.
func alike(t *testing.T, x *index.Index, m index.Model, text string) (out []string, covers index.Coverage) {
	t.Helper()
	w := rank.Default()
	d, ok := index.NewDirection(direction(index.Hash(text), m.Dims))
	if !ok {
		t.Fatal("no direction")
	}
	err := x.Read(t.Context(), func(now *index.Snapshot) error {
		found, err := now.Candidates(t.Context(), index.Question{Weights: &w, Vector: d, Model: m, MeaningOnly: true})
		if err != nil || found.VectorsErr != nil {
			return errors.Join(err, found.VectorsErr)
		}
		covers = found.Vectors
		for _, c := range found.Candidates {
			if p, _, err := now.Passage(t.Context(), c.At); err != nil {
				return err
			} else if c.HasVector && c.Cosine > .99 {
				out = append(out, p.Block)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out, covers
}

// vectorsOf returns how many passages have a vector of a model.
func vectorsOf(t *testing.T, x *index.Index, m index.Model) (n int) {
	t.Helper()
	err := x.Read(t.Context(), func(now *index.Snapshot) (err error) {
		n, _, err = now.Vectors(t.Context(), m)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestATextHasOneVectorWhoeverSaidIt(t *testing.T) {
	x, path := newIndex(t)
	other := open(t, path, false)
	update(t, x, []index.Entry{session("a", "the otter swims", "yes"), session("b", "yes", "bread bakes")})
	if _, covers := alike(t, x, model, "yes"); covers != index.CoverNone {
		t.Errorf("%v before there are vectors", covers)
	}
	if n := embed(t, x, model); n != 3 {
		t.Errorf("%d vectors were made for three texts", n)
	}
	for i, x := range []*index.Index{x, other} {
		if got, covers := alike(t, x, model, "yes"); !slices.Equal(got, []string{"a-1", "b-0"}) || covers != index.CoverAll {
			t.Errorf("file %d: %v, %v", i, got, covers)
		}
	}
	update(t, x, []index.Entry{session("a", "the otter swims", "no")}) // b still says yes
	if got, covers := alike(t, other, model, "yes"); !slices.Equal(got, []string{"b-0"}) || covers != index.CoverSome {
		t.Errorf("%v, %v", got, covers)
	}
	update(t, x, nil, "session/b.md")
	if n := vectorsOf(t, x, model); n != 1 {
		t.Errorf("%d vectors, want that of the otter alone", n)
	}
	if got, _ := alike(t, other, model, "yes"); len(got) > 0 {
		t.Errorf("what nobody says any more is near to %v", got)
	}
}

func TestAnErasedTextLeavesNoVector(t *testing.T) {
	x, path := newIndex(t)
	update(t, x, []index.Entry{session("a", "the otter swims", "it dives"), session("b", "bread bakes")})
	embed(t, x, model)
	stored := func(text string) bool {
		v := direction(index.Hash(text), model.Dims)
		most := float32(0)
		for _, f := range v {
			most = max(most, float32(math.Abs(float64(f))))
		}
		bytesOf := make([]byte, len(v))
		for i, f := range v {
			bytesOf[i] = byte(int8(math.Round(float64(f) / float64(most) * math.MaxInt8)))
		}
		for _, end := range []string{"", "-wal"} {
			if data, _ := os.ReadFile(path + end); bytes.Contains(data, bytesOf) {
				return true
			}
		}
		return false
	}
	if !stored("it dives") {
		t.Fatal("the vector is in no file: this proves nothing")
	}
	late := index.Vector{TextKey: index.TextKey{Source: "session/a.md", Hash: index.Hash("it dives")}, Values: direction(1, model.Dims)}
	if err := x.Erase(t.Context(), nil, []index.Place{{Source: "session/a.md", Number: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := x.PutVectors(t.Context(), model, []index.Vector{late}); err != nil { // it was made meanwhile
		t.Fatal(err)
	}
	if n := vectorsOf(t, x, model); n != 2 || stored("it dives") {
		t.Errorf("%d vectors, want two", n)
	}
}

func TestVectorsOfAnotherModelAreNeverCompared(t *testing.T) {
	x, _ := newIndex(t)
	update(t, x, []index.Entry{session("a", "the otter swims", "it dives")})
	embed(t, x, model)
	for what, m := range map[string]index.Model{"of another name": {Name: "n", Digest: "d", Dims: 24}, "of another digest": {Name: "m", Digest: "e", Dims: 24}, "of other dimensions": {Name: "m", Digest: "d", Dims: 48}} {
		if got, covers := alike(t, x, m, "it dives"); len(got) > 0 || covers != index.CoverNone {
			t.Errorf("a model %s: %v, %v", what, got, covers)
		}
	}
	if err := x.PutVectors(t.Context(), model, []index.Vector{{TextKey: index.TextKey{Source: "session/a.md", Hash: 1}, Values: direction(1, 48)}}); !errors.Is(err, index.ErrForeign) {
		t.Errorf("%v, want that a vector of other dimensions is refused", err)
	}
	newer := index.Model{Name: "m", Digest: "e", Dims: 24}
	embed(t, x, newer)
	if err := x.KeepVectorsOf(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	if a, b := vectorsOf(t, x, model), vectorsOf(t, x, newer); a != 0 || b != 2 {
		t.Errorf("%d old and %d new vectors", a, b)
	}
}

// Of many vectors only those are compared whose signs agree best.
func TestTheNearestOfManyVectorsIsFound(t *testing.T) {
	x, _ := newIndex(t)
	var all []index.Entry
	for i := range 300 {
		texts := make([]string, 20)
		for j := range texts {
			texts[j] = fmt.Sprintf("text %d of %d", j, i)
		}
		all = append(all, session(fmt.Sprint("s", i), texts...))
	}
	update(t, x, all)
	err := x.Read(t.Context(), func(now *index.Snapshot) error {
		wanted, _, err := now.Unembedded(t.Context(), model, now.Passages(), nil)
		var vectors []index.Vector
		for _, w := range wanted {
			vectors = append(vectors, index.Vector{TextKey: w.TextKey, Values: direction(w.Hash, model.Dims)})
		}
		return errors.Join(err, x.PutVectors(t.Context(), model, vectors))
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		text := fmt.Sprintf("text %d of %d", i%20, i*10)
		if got, covers := alike(t, x, model, text); !slices.Equal(got, []string{fmt.Sprintf("s%d-%d", i*10, i%20)}) || covers != index.CoverAll {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestANewFileTakesTheVectors: so a new version of the analysis costs none.
func TestANewFileTakesTheVectors(t *testing.T) {
	x, path := newIndex(t)
	update(t, x, []index.Entry{session("a", "the otter swims", "it dives"), session("b", "bread bakes")})
	embed(t, x, model)
	next := open(t, filepath.Join(t.TempDir(), "recall.db.new"), true)
	update(t, next, []index.Entry{session("c", "bread bakes", "the otter swims", "something new")})
	if err := next.TakeVectors(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if n := vectorsOf(t, next, model); n != 2 {
		t.Errorf("%d vectors, want those of the two texts that are in both", n)
	}
	if got, covers := alike(t, next, model, "the otter swims"); !slices.Equal(got, []string{"c-1"}) || covers != index.CoverSome {
		t.Errorf("%v, %v", got, covers)
	}
	if n := embed(t, next, model); n != 1 {
		t.Errorf("%d vectors are missing, want one", n)
	}
	broken := filepath.Join(t.TempDir(), "broken.db")
	if err := os.WriteFile(broken, bytes.Repeat([]byte("no database"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := next.TakeVectors(t.Context(), broken); !errors.Is(err, index.ErrDamaged) {
		t.Errorf("%v of a damaged file", err)
	}
	if n := vectorsOf(t, next, model); n != 3 {
		t.Errorf("%d vectors afterwards, want three", n)
	}
}

// TestVectorsAreTakenUnderTheirModel, whatever number it has in either file.
func TestVectorsAreTakenUnderTheirModel(t *testing.T) {
	x, path := newIndex(t)
	update(t, x, []index.Entry{session("a", "the otter swims", "it dives")})
	embed(t, x, model)
	next := open(t, filepath.Join(t.TempDir(), "recall.db.new"), true)
	update(t, next, []index.Entry{session("a", "the otter swims", "it dives"), session("b", "bread bakes")})
	other := index.Model{Name: "other", Digest: "d", Dims: 24}
	if n := embed(t, next, other); n != 3 {
		t.Fatal(n)
	}
	for _, from := range []string{"once", "again"} {
		if err := next.TakeVectors(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		if n := vectorsOf(t, next, model); n != 2 {
			t.Errorf("%s: %d vectors of the old file's model, want two", from, n)
		}
		if n := vectorsOf(t, next, other); n != 3 {
			t.Errorf("%s: %d vectors of the new file's model, want three", from, n)
		}
		if got, _ := alike(t, next, model, "it dives"); !slices.Equal(got, []string{"a-1"}) {
			t.Errorf("%s: %v", from, got)
		}
	}
}

func TestTheMostValuableTextsAreEmbeddedFirst(t *testing.T) {
	x, _ := newIndex(t)
	e := session("a", "first question", "an answer", "second question")
	e.Passages[1].Continues = false
	e.Passages = append(e.Passages, index.Passage{Kind: index.Tool, Strand: index.Work, Block: "tool", Text: "a page", Time: noon.AddDate(0, 0, 1)})
	update(t, x, []index.Entry{e})
	err := x.Read(t.Context(), func(now *index.Snapshot) error {
		skip := map[index.TextKey]string{{Source: "session/a.md", Hash: index.Hash("an answer")}: "it failed"}
		for _, c := range []struct {
			skip map[index.TextKey]string
			want []string
		}{{nil, []string{"a-2", "a-0", "a-1", "tool"}}, {skip, []string{"a-2", "a-0", "tool"}}} {
			some, _, err := now.Unembedded(t.Context(), model, 9, c.skip)
			if err != nil {
				return err
			}
			var got []string
			for _, w := range some {
				got = append(got, w.Passage.Block)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWordsAndMeaningTogether(t *testing.T) {
	x, _ := newIndex(t)
	update(t, x, []index.Entry{session("a", "the otter swims", "it dives", "a long river"), session("b", "bread bakes", "in the oven")})
	embed(t, x, model)
	w := rank.Default()
	d, _ := index.NewDirection(direction(index.Hash("bread bakes"), model.Dims))
	err := x.Read(t.Context(), func(now *index.Snapshot) error {
		found, err := now.Candidates(t.Context(), index.Question{Terms: analysis.NewAnalyzer().Query("otter", noon), Weights: &w, Vector: d, Model: model})
		if err != nil || found.VectorsErr != nil || found.Meaning == nil || found.Meaning.Best < .99 {
			t.Errorf("%+v, %v", found, err)
		}
		words, meaning := 0, 0
		for _, c := range found.Candidates {
			if c.Words > 0 {
				words++
			}
			if c.HasVector {
				meaning++
			}
			if p, _, err := now.Passage(t.Context(), c.At); err != nil {
				return err
			} else if p.Block == "b-1" && c.Beside[0] < .99 {
				t.Errorf("the passage after the nearest has %v beside it", c.Beside)
			}
		}
		if words != 3 || meaning != 5 {
			t.Errorf("%d by words and %d with a vector, want 3 and 5", words, meaning)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
