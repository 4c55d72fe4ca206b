package vectors

import (
	"database/sql"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

// file is an index file with vectors, and what it has to hold.
type file struct {
	*testing.T
	db     *tables.DB
	caches []*Cache // one holds all vectors in memory, the other only their signs
	want   map[Model]map[uint32][]float32
}

func newFile(t *testing.T) *file {
	t.Helper()
	db, err := tables.Open(t.Context(), filepath.Join(t.TempDir(), "recall.db"), "root", true, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := &file{T: t, db: db, caches: []*Cache{{Budget: 1 << 20}, {Budget: 100}}, want: map[Model]map[uint32][]float32{}}
	t.Cleanup(func() {
		for _, c := range f.caches {
			c.Forget()
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func (f *file) change(do func(tx *sql.Tx) error) {
	f.Helper()
	if err := f.db.InTx(f.Context(), do); err != nil {
		f.Fatal(err)
	}
}

// put stores random vectors of passages.
func (f *file) put(r *rand.Rand, m Model, numbers ...uint32) {
	f.Helper()
	var all []Packed
	if f.want[m] == nil {
		f.want[m] = map[uint32][]float32{}
	}
	for _, n := range numbers {
		v := randomVector(r, m.Dims)
		f.want[m][n] = v
		packed, err := m.Pack(n, v)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, packed)
	}
	f.change(func(tx *sql.Tx) error { return Put(f.Context(), tx, m, all) })
}

// drop deletes the vectors of passages.
func (f *file) drop(numbers ...uint32) {
	f.Helper()
	f.change(func(tx *sql.Tx) error { return Drop(f.Context(), tx, numbers) })
	for _, all := range f.want {
		for _, n := range numbers {
			delete(all, n)
		}
	}
}

// cosine compares exactly.
func cosine(a, b []float32) float32 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i])*float64(b[i]), aa+float64(a[i])*float64(a[i]), bb+float64(b[i])*float64(b[i])
	}
	return float32(ab / math.Sqrt(aa*bb))
}

// check compares everything that can be asked of a model's vectors with what they were.
func (f *file) check(r *rand.Rand, m Model) {
	f.Helper()
	want := f.want[m]
	if n, known, err := Count(f.Context(), f.db, m); err != nil || n != len(want) || known != (want != nil) {
		f.Errorf("%+v: %d vectors, known %v, %v; want %d", m, n, known, err, len(want))
	}
	question := randomVector(r, m.Dims)
	d, _ := NewDirection(question)
	var numbers []uint32
	for n := range uint32(200) {
		numbers = append(numbers, n)
	}
	for _, c := range f.caches {
		set, err := c.Of(f.Context(), f.db, m)
		if err != nil {
			f.Fatal(err)
		}
		if set.IsEmpty() != (want == nil) {
			f.Fatalf("%+v: empty %v", m, set.IsEmpty())
		}
		if set.IsEmpty() {
			continue
		}
		values, err := set.Values(f.Context(), f.db, numbers)
		if err != nil {
			f.Fatal(err)
		}
		cosines, err := set.Cosines(f.Context(), f.db, d, numbers)
		if err != nil {
			f.Fatal(err)
		}
		for i, n := range numbers {
			v, has := want[n]
			if set.Has(n) != has || (values[i] != nil) != has {
				f.Fatalf("%+v: passage %d has a vector: %v, want %v", m, n, set.Has(n), has)
			}
			if !has && cosines[i] != 0 || has && (math.Abs(float64(cosines[i]-cosine(question, v))) > .03 || cosine(values[i], v) < .99) {
				f.Errorf("%+v: passage %d has another vector than it was given", m, n)
			}
		}
		if set.Count != len(want) || set.Dims() != m.Dims {
			f.Errorf("%d vectors of %d dimensions, want %d of %d", set.Count, set.Dims(), len(want), m.Dims)
		}
		f.checkNearest(set, d, question, want)
	}
}

func (f *file) checkNearest(set *Set, d *Direction, question []float32, want map[uint32][]float32) {
	f.Helper()
	passages := func(yield func(at, number uint32) bool) {
		for n := uint32(0); n < 200 && yield(1000+n, n); n++ {
		}
	}
	found, err := set.Nearest(f.Context(), f.db, d, 5, passages)
	if err != nil {
		f.Fatal(err)
	}
	var exact []float32
	sum := float32(0)
	for _, v := range want {
		exact = append(exact, cosine(question, v))
		sum += exact[len(exact)-1]
	}
	slices.SortFunc(exact, func(a, b float32) int { return int(math.Copysign(1, float64(b-a))) })
	if len(found.Near) != min(5, len(want)) {
		f.Fatalf("%d are near, want %d", len(found.Near), min(5, len(want)))
	}
	for i, n := range found.Near {
		if math.Abs(float64(n.Cosine-exact[i])) > .03 || math.Abs(float64(cosine(question, want[n.At-1000])-n.Cosine)) > .03 {
			f.Errorf("place %d: %+v, want a cosine of %v", i, n, exact[i])
		}
	}
	if len(want) > 0 && math.Abs(float64(found.Average-sum/float32(len(want)))) > .03 {
		f.Errorf("average %v, want %v", found.Average, sum/float32(len(want)))
	}
}

func TestVectorsStayWithTheirPassages(t *testing.T) {
	f, r := newFile(t), rand.New(rand.NewPCG(11, 12))
	one, other := Model{Name: "one", Digest: "d1", Dims: 40}, Model{Name: "one", Digest: "d2", Dims: 24}
	check := func() {
		t.Helper()
		f.check(r, one)
		f.check(r, other)
		f.checkEach()
	}
	check()
	f.put(r, one, 1, 2, 3, 17, 180)
	check()
	f.put(r, other, 2, 5)
	f.put(r, one, 3, 4, 199) // one is replaced
	check()
	f.drop(2, 17, 90)
	check()
	f.drop()
	f.drop(90) // has none
	check()
	for _, m := range []Model{{Name: "none", Digest: "d", Dims: 3}, one} { // a model without vectors replaces no other
		f.change(func(tx *sql.Tx) error { return Keep(t.Context(), tx, m) })
	}
	delete(f.want, other)
	check()
	if n, err := CountModels(t.Context(), f.db); err != nil || n != 1 {
		t.Errorf("%d models, %v, want the one that was kept", n, err)
	}
	f.drop(1, 3, 4, 180, 199)
	check()
	if set, err := f.caches[0].Of(t.Context(), f.db, Model{Name: "one", Digest: "d1"}); err != nil || set.Dims() != one.Dims {
		t.Errorf("a model whose dimensions aren't known: %v, %v", set.Dims(), err)
	}
}

// checkEach compares all vectors of all models.
func (f *file) checkEach() {
	f.Helper()
	got := map[Model]int{}
	err := Each(f.Context(), f.db, func(m Model, some []Packed) error {
		for _, p := range some {
			if f.want[m][p.Number] == nil {
				f.Errorf("%+v has a vector of passage %d", m, p.Number)
			}
			got[m]++
		}
		return nil
	})
	for m, all := range f.want {
		if err != nil || got[m] != len(all) {
			f.Errorf("%+v: %d vectors, %v, want %d", m, got[m], err, len(all))
		}
	}
	stop := errors.New("stop")
	if err := Each(f.Context(), f.db, func(Model, []Packed) error { return stop }); len(got) > 0 && !errors.Is(err, stop) {
		f.Errorf("%v, want that it was stopped", err)
	}
}

func TestAVectorMustFitItsModel(t *testing.T) {
	m := Model{Name: "one", Dims: 3}
	if _, err := m.Pack(1, []float32{1, 2}); !errors.Is(err, ErrForeign) {
		t.Errorf("%v, want ErrForeign", err)
	}
	f, r := newFile(t), rand.New(rand.NewPCG(1, 1))
	f.put(r, m, 7)
	nowhere, err := m.Pack(8, make([]float32, 3))
	if err != nil {
		t.Fatal(err)
	}
	f.change(func(tx *sql.Tx) error { return Put(t.Context(), tx, m, []Packed{nowhere}) })
	set, err := f.caches[0].Of(t.Context(), f.db, m)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := NewDirection(f.want[m][7])
	if got, err := set.Cosines(t.Context(), f.db, d, []uint32{7, 8}); err != nil || got[0] < .99 || got[1] != 0 {
		t.Errorf("%v, %v; want that a text without a direction is near nothing", got, err)
	}
}

func TestDamagedVectorsAreAnError(t *testing.T) {
	for _, harm := range []string{"UPDATE vector SET data=substr(data, 2)", "UPDATE vector SET data=zeroblob(length(data))", "DROP TABLE vector", "DROP TABLE model"} {
		f, r := newFile(t), rand.New(rand.NewPCG(1, 1))
		m := Model{Name: "one", Dims: 3}
		f.put(r, m, 7)
		if _, err := f.db.ExecContext(t.Context(), harm); err != nil {
			t.Fatal(err)
		}
		_, loaded := f.caches[0].Of(t.Context(), f.db, m)
		for what, err := range map[string]error{
			"loading": loaded,
			"copying": Each(t.Context(), f.db, func(Model, []Packed) error { return nil }),
			"removal": f.db.InTx(t.Context(), func(tx *sql.Tx) error { return Drop(t.Context(), tx, []uint32{7}) }),
		} {
			if !tables.IsDamaged(err) {
				t.Errorf("%s after %s: %v, want %v", what, harm, err, format.ErrDamaged)
			}
		}
	}
}

func TestOfManyOnlyTheNearestBySignsAreCompared(t *testing.T) {
	f, r := newFile(t), rand.New(rand.NewPCG(21, 22))
	m := Model{Name: "one", Dims: 64}
	var numbers []uint32
	for n := range uint32(2 * maxExactRead) {
		numbers = append(numbers, n)
	}
	f.put(r, m, numbers...)
	passages := func(yield func(at, number uint32) bool) {
		for _, n := range numbers {
			if !yield(n, n) {
				return
			}
		}
	}
	for _, c := range f.caches {
		set, err := c.Of(t.Context(), f.db, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []uint32{0, 700, 2000} {
			d, _ := NewDirection(f.want[m][n])
			if got, err := set.Nearest(t.Context(), f.db, d, 3, passages); err != nil || len(got.Near) != 3 || got.Near[0].At != n || got.Near[0].Cosine < .99 {
				t.Errorf("%+v, %v; want passage %d, which is the question", got.Near, err, n)
			}
		}
	}
}
