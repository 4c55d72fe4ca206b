package vectors

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/recall/engine/format"
)

// randomVector returns a vector of length one.
func randomVector(r *rand.Rand, dims int) []float32 {
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

func TestQuantizingKeepsTheAngleBetweenVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dims := range []int{3, 64, 100, 768, 1024} {
		p := newVectorPage(dims)
		var vectors [][]float32
		for i := range 20 {
			v := randomVector(r, dims)
			scale, data, ok := quantize(v)
			if !ok {
				t.Fatal("a vector was refused")
			}
			p.put(byte(i*3), scale, data)
			vectors = append(vectors, v)
		}
		p.reindex()
		d, _ := NewDirection(vectors[7])
		for i, v := range vectors {
			want := float32(0)
			for j := range v {
				want += v[j] * vectors[7][j]
			}
			if got := d.cosine(p, i); math.Abs(float64(got-want)) > .02 {
				t.Errorf("%d dimensions: cosine %.4f, want %.4f", dims, got, want)
			}
		}
		if n := d.signDistance(p, 7); n != 0 {
			t.Errorf("a vector is apart from itself in %d signs", n)
		}
	}
}

func TestVectorsWithoutADirectionAreRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{nil, {}, {0, 0}, {nan, 1}, {1, inf}, make([]float32, maxDims+1)} {
		if _, _, ok := quantize(v); ok {
			t.Errorf("%v was taken", v[:min(len(v), 3)])
		}
	}
}

func TestPagesOfVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const dims = 10
	model := map[byte][]byte{}
	p := newVectorPage(dims)
	for range 500 {
		slot := byte(r.IntN(pageVectors))
		if r.IntN(3) == 0 {
			if p.remove(slot) != (model[slot] != nil) {
				t.Fatal("removed what was not there")
			}
			delete(model, slot)
		} else {
			_, data, _ := quantize(randomVector(r, dims))
			p.put(slot, 1, data)
			model[slot] = data
		}
		read, err := decodeVectorPage(p.encode(), dims)
		if err != nil {
			t.Fatal(err)
		}
		got := map[byte][]byte{}
		for i, slot := range read.slots {
			got[slot] = slices.Clone(read.vector(i))
			if int(read.index[slot]) != i {
				t.Fatal("a slot is not where it is")
			}
		}
		if d := cmp.Diff(model, got); d != "" {
			t.Fatal(d)
		}
	}
}

func FuzzVectorPage(f *testing.F) {
	p := newVectorPage(3)
	p.put(2, 1, []byte{1, 2, 3})
	f.Add(p.encode(), 3)
	f.Add(format.Seal([]byte{65}), 0)
	f.Add(format.Seal([]byte{1, 200, 0, 0, 0, 0, 9}), 1)
	f.Fuzz(func(t *testing.T, blob []byte, dims int) {
		p, err := decodeVectorPage(blob, dims)
		if err != nil {
			return
		}
		if again, err := decodeVectorPage(p.encode(), dims); err != nil || !slices.Equal(again.slots, p.slots) {
			t.Fatalf("%v: %v, was %v", err, again, p)
		}
	})
}

func FuzzModelNumbers(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Fuzz(func(t *testing.T, data []byte) {
		v := make([]float32, len(data)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		d, ok := NewDirection(v)
		if !ok {
			return
		}
		p := newVectorPage(len(v))
		p.put(0, d.scale, d.data)
		p.reindex()
		if c := d.cosine(p, 0); !(c > .5 && c < 1.5) {
			t.Errorf("the cosine with itself is %v", c)
		}
	})
}
