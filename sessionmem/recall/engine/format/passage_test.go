package format

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/recall/analysis"
)

// randomPassages returns passages as sessions and memory files have them, with holes.
func randomPassages(r *rand.Rand, n int) []Passage {
	d := Passage{Source: 1, Number: 5, Turn: -1}
	var out []Passage
	for range n {
		switch r.IntN(8) {
		case 0: // another session
			d = Passage{Source: d.Source + int64(r.IntN(3)), Strand: uint8(r.IntN(Strands)), Number: d.Number, Turn: -1, Agent: []string{"", "coder"}[r.IntN(2)], File: r.IntN(2)}
		case 1: // a hole
			out = append(out, Passage{})
			continue
		case 2: // something between is empty
			d.Seq += uint32(r.IntN(5))
			d.Number += uint32(r.IntN(50))
		}
		if d.Continues = r.IntN(4) == 0; d.Continues {
			d.Part++
		} else {
			d.Offset, d.Part, d.Turn, d.Size = d.Offset+d.Size+int64(r.IntN(2)), r.IntN(10)/8, d.Turn+1+r.IntN(10)/9, int64(r.IntN(2000))
			d.Block = []string{"abcdefg2", "zzzzzzz7", "no ID of ours", ""}[r.IntN(4)]
			d.Kind, d.Untrusted, d.Bare = Role(r.IntN(7)), r.IntN(5) == 0, r.IntN(9) == 0
		}
		d.Seq, d.Number = d.Seq+1, d.Number+1
		d.Words, d.Marks, d.Hash = uint32(r.IntN(300)), analysis.Marks(r.IntN(4)), uint32(r.IntN(1<<24))
		d.Time = []int64{0, 1_780_000_000 + int64(r.IntN(1<<20)), -5}[r.IntN(3)]
		out = append(out, d)
	}
	return out
}

func TestPassagesRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for range 200 {
		want := randomPassages(r, 1+r.IntN(DetailBlock))
		heads, details := AppendHeads(nil, want), AppendDetails(nil, want)
		got, err := readPassages(heads, details)
		if d := cmp.Diff(want, got); d != "" || err != nil || CountHeads(heads) != len(want) {
			t.Fatal(err, d)
		}
		only, err := DecodeHeads(Seal(heads), len(want))
		if err != nil {
			t.Fatal(err)
		}
		row := NewDetailRow(details)
		for i := range want {
			if want[i].Source == 0 {
				continue
			}
			var d Passage
			if err := row.Read(i, &d); err != nil {
				t.Fatal(err)
			}
			if only[i].SetDetail(&d); only[i] != want[i] {
				t.Fatalf("passage %d: %s", i, cmp.Diff(want[i], only[i]))
			}
		}
		if _, err := DecodeHeads(Seal(heads), len(want)+1); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%v where a passage is missing, want damage", err)
		}
	}
}

func TestAPassageWithoutATimeHasNone(t *testing.T) {
	for at, want := range map[int64]time.Time{0: {}, 1_780_000_000: time.Unix(1_780_000_000, 0)} {
		if got := (&Passage{Time: at}).When(); !got.Equal(want) {
			t.Errorf("%d is %v, want %v", at, got, want)
		}
	}
}

// segment is what the rows of a segment hold.
type segment struct{ heads, details, block []byte }

// segmentOf encodes passages, each with a word of its own, one of every tenth, and one of all.
func segmentOf(t *testing.T, docs []Passage) segment {
	t.Helper()
	b := NewBuilder()
	for i, d := range docs {
		b.Add(d, analysis.Terms{Freqs: []analysis.TermFreq{{Term: "all", N: 1}, {Term: fmt.Sprintf("tenth%d", i/10), N: 2}, {Term: own(i), N: 1 + i}}})
	}
	sorted, eachTerm := b.Sorted()
	s := segment{heads: Seal(AppendHeads(nil, sorted)), details: Seal(AppendDetails(nil, sorted))}
	w := NewDictWriter(len(docs), func(_ string, block []byte) error { s.block = slices.Clone(block); return nil })
	if err := errors.Join(eachTerm(w.Add), w.Flush()); err != nil {
		t.Fatal(err)
	}
	return s
}

// own returns a word of a passage.
func own(i int) string { return fmt.Sprintf("%c%cyzzyva", 'a'+i%26, 'a'+i/26) }

// inARow returns passages of one session in order.
func inARow(n int) []Passage {
	out := make([]Passage, n)
	for i := range out {
		out[i] = Passage{Source: 1, Seq: uint32(i), Number: uint32(i + 1), Block: fmt.Sprintf("block of %s", own(i)), Turn: i, Hash: uint32(i)}
	}
	return out
}

func TestPurgedPassagesLeaveNothing(t *testing.T) {
	docs := inARow(60)
	for name, dead := range map[string][]int{"the first": {0}, "the last": {59}, "some": {3, 10, 11, 12, 40}, "a whole ten": {20, 21, 22, 23, 24, 25, 26, 27, 28, 29}} {
		s, gone := segmentOf(t, docs), make([]bool, len(docs))
		for _, i := range dead {
			gone[i] = true
		}
		set := NewDead(gone)
		block, first, err := set.Purge(s.block)
		if err != nil || block == nil {
			t.Fatalf("%s: %v", name, err)
		}
		heads, err := PurgeHeads(s.heads, gone)
		if err != nil {
			t.Fatal(err)
		}
		details, err := PurgeDetails(s.details, gone)
		if err != nil {
			t.Fatal(err)
		}
		rows := string(block) + string(heads) + string(details)
		for i := range docs {
			if has := strings.Contains(rows, own(i)); has == gone[i] {
				t.Errorf("%s: passage %d is left: %v", name, i, has)
			}
		}
		lists := map[string][]Posting{}
		var terms []string
		if err := EachTerm(block, func(term string, postings []Posting) error {
			lists[term] = slices.Clone(postings)
			terms = append(terms, term)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(terms) || terms[0] != first || len(lists["all"]) != len(docs)-len(dead) {
			t.Errorf("%s: %d passages with all, the first term is %q of %q", name, len(lists["all"]), first, terms)
		}
		for i := range docs {
			want := []Posting{{uint32(i), uint32(i + 1)}}
			if gone[i] {
				want = nil
			}
			if d := cmp.Diff(want, lists[own(i)]); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
		left, err := readPassages(heads[:len(heads)-sealSize], details[:len(details)-sealSize])
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range left {
			if want := docs[i]; gone[i] && d != (Passage{}) || !gone[i] && d != want {
				t.Errorf("%s: passage %d is %+v", name, i, d)
			}
		}
		if block, _, err := set.Purge(block); block != nil || err != nil {
			t.Errorf("%s: there is more to purge: %v", name, err)
		}
	}
}

func TestDamageIsAnError(t *testing.T) {
	docs := inARow(20)
	s, name := segmentOf(t, docs), Name{Key: "session/a.md", Session: "cpu-a", From: "cpu"}
	b := NewBuilder()
	for _, d := range append(docs, Passage{}) {
		b.Add(d, analysis.Terms{Freqs: []analysis.TermFreq{{Term: "otter", N: 2}, {Term: own(int(d.Seq)), N: 1}}})
	}
	state := State{Files: []File{{"a.md", 9, 8, 7}, {"b.md", 1, 2, 3}}, Bytes: 17, End: Resume{Ok: true, Block: "abcdefg2", Offset: 12}}
	gone := make([]bool, len(docs))
	gone[3] = true
	dead := NewDead(gone)
	for what, c := range map[string]struct {
		blob   []byte
		decode func(blob []byte) error
	}{
		"delta":             {b.EncodeDelta(), func(blob []byte) error { _, err := DecodeDelta(blob); return err }},
		"heads":             {s.heads, func(blob []byte) error { _, err := DecodeHeads(blob, len(docs)); return err }},
		"heads, purged":     {s.heads, func(blob []byte) error { _, err := PurgeHeads(blob, gone); return err }},
		"details, purged":   {s.details, func(blob []byte) error { _, err := PurgeDetails(blob, gone); return err }},
		"dictionary":        {s.block, func(blob []byte) error { return EachTerm(blob, func(string, []Posting) error { return nil }) }},
		"dictionary purged": {s.block, func(blob []byte) error { _, _, err := dead.Purge(blob); return err }},
		"first terms":       {EncodeFirsts([]string{"ant", "bee"}), func(blob []byte) error { _, err := DecodeFirsts(blob); return err }},
		"state":             {state.Encode(&name), func(blob []byte) error { _, err := DecodeState(blob, &name); return err }},
	} {
		if err := c.decode(c.blob); err != nil {
			t.Errorf("%s, as it was written: %v", what, err)
		}
		whole := c.blob[:len(c.blob)-sealSize]
		for i := range c.blob {
			bad := slices.Clone(c.blob)
			bad[i] ^= 1 << (i % 8)
			if err := c.decode(bad); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s with another byte %d: %v, want damage", what, i, err)
			}
			if err := c.decode(c.blob[:i]); !errors.Is(err, ErrDamaged) {
				t.Errorf("the first %d bytes of %s: %v, want damage", i, what, err)
			}
			// With a right checksum, what was not written this way may be read as something
			// else, but never crash.
			for _, odd := range [][]byte{whole[:min(i, len(whole))], bad[:len(whole)]} {
				if err := c.decode(Seal(slices.Clone(odd))); err != nil && !errors.Is(err, ErrDamaged) {
					t.Errorf("%s, changed at byte %d before it was sealed: %v", what, i, err)
				}
			}
		}
	}
}

func TestAStateBelongsToItsSource(t *testing.T) {
	name := Name{Key: "session/a.md", Session: "cpu-a", From: "cpu"}
	for what, want := range map[string]State{
		"nothing":      {},
		"a memory":     {Files: []File{{"agents/memory.md", 90, 5, 1}}, Bytes: 80},
		"one file":     {Files: []File{{"a.md", 90, 1_780_000_000_000_000_000, 1 << 60}}, Bytes: 80},
		"that resumes": {Files: []File{{"a.md", 1, 2, 3}, {"archive/2026-05/b.md", 4, 5, 6}}, Bytes: 7, End: Resume{Ok: true, Turn: 3, Seq: [Strands]int{5, 6}, File: 1, Offset: 900, Size: 80, Bare: true, Block: "abcdefg2", Hash: 77, Before: 1 << 31}},
	} {
		of := name
		if what == "a memory" {
			of = Name{Key: "agents/memory.md"}
		}
		got, err := DecodeState(want.Encode(&of), &of)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v %s", what, err, d)
		}
		for _, other := range []Name{{Key: of.Key + "x", Session: of.Session, From: of.From}, {Key: of.Key, Session: "cpu-b", From: of.From}, {Key: of.Key, Session: of.Session, From: "cli"}} {
			if _, err := DecodeState(want.Encode(&of), &other); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %v for %+v, want damage", what, err, other)
			}
		}
		stale := want.Stale()
		for i, f := range stale.Files {
			if f.File != want.Files[i].File || f == want.Files[i] {
				t.Errorf("%s: %+v isn't compared again", what, f)
			}
		}
		if stale.End.Ok || stale.Bytes != want.Bytes {
			t.Errorf("%s: %+v, want that the whole source is read again", what, stale)
		}
	}
}
