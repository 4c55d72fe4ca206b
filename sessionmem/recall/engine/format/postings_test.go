package format

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func everySo(step, n uint32, times func(i uint32) uint32) []Posting {
	var out []Posting
	for i := range n {
		out = append(out, Posting{i * step, times(i)})
	}
	return out
}

func TestPostingsRoundTrip(t *testing.T) {
	once := func(uint32) uint32 { return 1 }
	r := rand.New(rand.NewPCG(1, 2))
	uneven := []Posting{}
	for at := uint32(0); len(uneven) < 3000; at += 1 + uint32(math.Exp(r.Float64()*9)) {
		uneven = append(uneven, Posting{at, 1 + uint32(r.IntN(3)*r.IntN(20))})
	}
	for name, list := range map[string][]Posting{
		"the first document":      {{0, 1}},
		"one, often":              {{70_000, 3}},
		"one far away":            {{math.MaxUint32 >> 1, 1}},
		"two far apart":           {{0, 1}, {1 << 20, 1}},
		"all documents":           everySo(1, 4000, once),
		"every third":             everySo(3, 4000, once),
		"rare":                    everySo(5000, 12, once),
		"all at the end":          {{59_999, 1}, {60_000, 1}, {60_001, 1}},
		"a gap after many":        append(everySo(1, 2000, once), Posting{1 << 22, 1}),
		"the largest number":      {{4, 1}, {9, math.MaxUint16}},
		"numbers around the step": everySo(2, 40, func(i uint32) uint32 { return 1 + i }),
		"uneven":                  uneven,
	} {
		var block []byte
		w := DictWriter{docs: int(list[len(list)-1].Doc) + 1, emit: func(_ string, data []byte) error {
			block = data
			return nil
		}}
		if err := w.Add("term", list); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		err := EachTerm(block, func(term string, got []Posting) error {
			if term != "term" || !slices.Equal(got, list) {
				t.Errorf("%s: %q with %d postings, want %d: %v", name, term, len(got), len(list), cmp.Diff(first(list, 5), first(got, 5)))
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func first(list []Posting, n int) string { return fmt.Sprint(list[:min(n, len(list))]) }

func TestFrequentTermsTakeFewBits(t *testing.T) {
	for _, c := range []struct {
		step uint32
		most float64 // bits per passage
	}{{1, 1.1}, {3, 3.5}, {30, 7}, {1000, 12}} {
		list := everySo(c.step, 4000, func(uint32) uint32 { return 1 })
		if got := float64(8*len(appendPostings(nil, list, false))) / 4000; got > c.most {
			t.Errorf("in one of %d documents: %.2f bits each, want at most %.2f", c.step, got, c.most)
		}
	}
}

// blocksOf writes a dictionary and returns its blocks, without their checksums.
func blocksOf(t *testing.T, terms []string, postings func(i int) []Posting) (blocks [][]byte) {
	t.Helper()
	w := NewDictWriter(1<<16, func(_ string, data []byte) error {
		blocks = append(blocks, slices.Clone(data[:len(data)-sealSize]))
		return nil
	})
	for i, term := range terms {
		if err := w.Add(term, postings(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return blocks
}

func TestBlocksFillPages(t *testing.T) {
	var terms []string
	for i := range 30_000 {
		terms = append(terms, fmt.Sprintf("term%07d", i*37))
	}
	blocks := blocksOf(t, terms, func(i int) []Posting {
		if i%2000 == 7 { // one that takes more than a page
			return everySo(1+uint32(i%3), 20_000, func(uint32) uint32 { return 2 })
		}
		return everySo(7, 1+uint32(i%9), func(uint32) uint32 { return 1 })
	})
	used, room := 0, 0
	for _, data := range blocks {
		used += len(data) + sealSize
		room += roomFor(len(data))
	}
	if float64(used) < .97*float64(room) {
		t.Errorf("%d bytes of %d are used, want 97 %%", used, room)
	}
}

// FuzzBlock reads arbitrary bytes as a block: they may be refused, but must not make the
// reader allocate more than they justify.
func FuzzBlock(f *testing.F) {
	for _, list := range [][]Posting{{{5, 1}}, {{5, 9}}, everySo(3, 300, func(i uint32) uint32 { return 1 + i%9 })} {
		var block []byte
		w := DictWriter{docs: 1 << 16, emit: func(_ string, data []byte) error { block = data; return nil }}
		for _, term := range []string{"a", "an", "another with a long name", "be"} {
			if err := w.Add(term, list); err != nil {
				f.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			f.Fatal(err)
		}
		f.Add(block[:len(block)-sealSize])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		err := EachTerm(Seal(slices.Clone(data)), func(term string, postings []Posting) error {
			n += len(postings)
			return nil
		})
		if err == nil && n > 8*len(data) {
			t.Errorf("%d postings in %d bytes", n, len(data))
		}
		var an, be ListReader
		_ = LookUp(data, []Lookup{{"an", &an}, {"be", &be}}) // damage is found here or by the checksum
	})
}

// FuzzDetails reads arbitrary bytes as details.
func FuzzDetails(f *testing.F) {
	f.Add(AppendDetails(nil, []Passage{
		{Source: 1, Block: "abcdefg2", Size: 90, Hash: 7, Turn: 4},
		{},
		{Source: 1, Block: "no packed id", Part: 2, Size: 1200, Offset: 90, Agent: "coder", File: 1, Bare: true},
		{Source: 1, Block: "no packed id", Part: 3, Size: 1200, Offset: 90, Agent: "coder", File: 1},
	}), 4)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		docs := make([]Passage, max(0, min(n, DetailBlock)))
		if err := readDetails(data, docs); err != nil {
			return
		}
		row := NewDetailRow(data)
		for i := len(docs) - 1; i >= 0; i-- { // backwards, which no code does
			var d Passage
			if err := row.Read(i, &d); err != nil || d != docs[i] {
				t.Fatalf("document %d alone is %+v, %v, of all %+v", i, d, err, docs[i])
			}
		}
	})
}
