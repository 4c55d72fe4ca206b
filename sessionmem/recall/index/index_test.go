package index_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
)

var noon = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, path string, create bool) *index.Index {
	t.Helper()
	x, err := index.Open(t.Context(), path, "root", create, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func newIndex(t *testing.T) (x *index.Index, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "recall.db")
	return open(t, path, true), path
}

// session returns a session in which the user and the assistant take turns.
func session(name string, texts ...string) index.Entry {
	e := index.Entry{Source: index.Source{Name: index.Name{Key: "session/" + name + ".md", Session: name, From: "cpu"}, Stamp: strings.Join(texts, "|"), Files: []string{name + ".md"}}}
	for i, text := range texts {
		p := index.Passage{Kind: index.User, Time: noon.Add(time.Duration(i) * time.Minute), Block: fmt.Sprintf("%s-%d", name, i), Turn: i, Offset: int64(100 * i), Size: int64(len(text)), Text: text}
		if i%2 == 1 {
			p.Kind = index.Assistant
		}
		e.Passages = append(e.Passages, p)
	}
	return e
}

func update(t *testing.T, x *index.Index, put []index.Entry, gone ...string) {
	t.Helper()
	if _, err := x.Update(t.Context(), put, gone); err != nil {
		t.Fatal(err)
	}
}

// hit is what a question finds: a passage with its features.
type hit struct {
	Session, Block string
	Part           int
	C              rank.Candidate
}

// ask returns what a question finds, best first.
func ask(t *testing.T, x *index.Index, question string) (hits []hit) {
	t.Helper()
	w := rank.Default()
	terms := analysis.NewAnalyzer().Query(question, noon)
	err := x.Read(t.Context(), func(now *index.Snapshot) error {
		found, err := now.Candidates(t.Context(), index.Question{Terms: terms, Weights: &w})
		if err != nil {
			return err
		}
		hits = nil
		for _, c := range rank.Order(rank.Query{Terms: terms, Now: noon, Limit: 50, All: true}, &w, found.Candidates, nil) {
			p, k, err := now.Passage(t.Context(), c.At)
			if err != nil {
				return err
			}
			hits = append(hits, hit{k.Session, p.Block, p.Part, c})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// blocks returns the blocks that a question finds, best first.
func blocks(t *testing.T, x *index.Index, question string) (out []string) {
	t.Helper()
	for _, h := range ask(t, x, question) {
		out = append(out, h.Block)
	}
	return out
}

func TestPassagesAreFoundByTheWordsInAndAroundThem(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		texts    []string
		question string
		want     []string
	}{
		"the message itself comes before its neighbours": {[]string{"snow falls", "the otter!", "it swims well"}, "otter", []string{"a-1", "a-0", "a-2"}},
		"another form of a word":                         {[]string{"the otters swim"}, "otter", []string{"a-0"}},
		"an identifier as it is written":                 {[]string{"see thermald.conf:12"}, "thermald.conf", []string{"a-0"}},
		"a word that nobody said":                        {[]string{"the otter swims"}, "heron", nil},
		"no words":                                       {[]string{"the otter swims"}, "", nil},
		"only the first words of a long question":        {[]string{"the otter swims"}, manyWords(300) + " otter", nil},
	} {
		x, _ := newIndex(t)
		update(t, x, []index.Entry{session("a", c.texts...), session("b", "bread bakes", "the piano sounds")})
		if d := cmp.Diff(c.want, blocks(t, x, c.question)); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
}

func manyWords(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%cx%c", 'a'+i%26, 'a'+i/26)
	}
	return strings.Join(words, " ")
}

func TestAPassageKeepsItsPlace(t *testing.T) {
	x, _ := newIndex(t)
	e := session("a", "the otter swims", "", "it dives")
	want := index.Passage{
		Strand: index.Work, Kind: index.Tool, Untrusted: true, Continues: true, Time: noon, Block: "tool", Part: 3, Turn: -1, Agent: "FETCH",
		File: 1, Offset: 1 << 33, Size: 99, Bare: true, Text: "what the heron ate",
	}
	e.Passages = append(e.Passages, want, index.Passage{Strand: index.Work, Kind: index.Agent, Block: "", Turn: -1, Text: "a block without an ID"})
	update(t, x, []index.Entry{e})
	want.Words, want.Hash, want.Text = 4, index.Hash(want.Text), ""
	err := x.Read(t.Context(), func(now *index.Snapshot) error {
		var got []index.Passage
		var numbers []string
		k := now.Sources()[0]
		err := now.Each(t.Context(), k, func(at uint32, p *index.Passage) error {
			got = append(got, *p)
			before, after, hasBefore, hasAfter := now.Beside(at)
			numbers = append(numbers, fmt.Sprint(p.Block, " ", at, " ", hasBefore && before < at, hasAfter && after > at))
			return nil
		})
		if err != nil {
			return err
		}
		if d := cmp.Diff([]string{"a-0 0 false true", "a-2 2 true false", "tool 3 false true", " 4 true false"}, numbers); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(want, got[2], cmpopts.EquateApproxTime(0)); d != "" {
			t.Error(d)
		}
		if got[3].Block != "" || k.Session != "a" || k.From != "cpu" || !slices.Equal(k.Files, e.Files) || k.Docs != 4 || now.Passages() != 4 {
			t.Errorf("%+v of %+v", got[3], k)
		}
		if _, _, err := now.Passage(t.Context(), 1); !errors.Is(err, index.ErrNone) {
			t.Errorf("an empty place: %v", err)
		}
		if _, _, err := now.Passage(t.Context(), 99); !errors.Is(err, index.ErrNone) {
			t.Errorf("beyond the end: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// worlds returns how many random worlds a test tries of n: with -short one.
func worlds(n uint64) uint64 {
	if testing.Short() {
		return 1
	}
	return n
}

// TestAnyWayToAStateGivesTheSameAnswers changes an index at random, through two open files in turn,
// and compares it with one that was built at once.
func TestAnyWayToAStateGivesTheSameAnswers(t *testing.T) {
	for seed := range worlds(3) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := func() string {
			var words []string
			for range 1 + r.IntN(60) {
				words = append(words, strings.Fields("otter heron wolf bear lynx swims dives flies what river lake when main.go:42 Überfluss yesterday 河川 кот")[r.IntN(17)])
			}
			return strings.Join(words, " ") + []string{"", ".", "?"}[r.IntN(3)]
		}
		x, path := newIndex(t)
		handles := []*index.Index{x, open(t, path, false)}
		state := map[string]index.Entry{}
		passage := func(name string, i int) index.Passage {
			p := index.Passage{Kind: index.Kind(r.IntN(3)), Strand: index.Strand(r.IntN(5) / 4), Continues: i > 0 && r.IntN(4) == 0, Block: fmt.Sprint(name, "-", i, "-", r.IntN(1000)), Part: r.IntN(3), Text: text()}
			if r.IntN(8) > 0 {
				p.Time = noon.Add(-time.Duration(r.IntN(1e6)) * time.Second)
			}
			if r.IntN(6) == 0 {
				p.Text = ""
			}
			return p
		}
		for step := range 40 {
			x := handles[step%2]
			name := fmt.Sprint("s", r.IntN(12))
			e := state[name]
			e.Source = session(name).Source
			e.Passages = slices.Clone(e.Passages)
			switch r.IntN(5) {
			case 0, 1: // it grows
				for range 1 + r.IntN(5) {
					e.Passages = append(e.Passages, passage(name, len(e.Passages)))
				}
			case 2: // somebody edits it
				for i := range e.Passages {
					if r.IntN(3) == 0 {
						e.Passages[i] = passage(name, i)
					}
				}
				e.Passages = e.Passages[:len(e.Passages)-min(r.IntN(3), len(e.Passages))]
			case 3: // it is removed
				delete(state, name)
				update(t, x, nil, e.Key, "session/nothing.md")
				continue
			case 4: // passages of it are erased
				if len(e.Passages) == 0 {
					continue
				}
				numbers := [2]int{}
				var places []index.Place
				for i := range e.Passages {
					p := &e.Passages[i]
					if r.IntN(2) == 0 {
						places = append(places, index.Place{Source: e.Key, Strand: p.Strand, Number: numbers[p.Strand]})
						p.Text = ""
					}
					numbers[p.Strand]++
				}
				if err := x.Erase(t.Context(), nil, append(places, index.Place{Source: e.Key, Strand: 7}, index.Place{Source: e.Key, Number: 1 << 20}, index.Place{Source: "none"})); err != nil {
					t.Fatal(err)
				}
				state[name] = e
				continue
			}
			state[name] = e
			update(t, x, []index.Entry{e})
		}
		fresh, _ := newIndex(t)
		for _, name := range slices.Sorted(maps.Keys(state)) {
			update(t, fresh, []index.Entry{state[name]})
		}
		for range 30 {
			question := text()
			want := ask(t, fresh, question)
			for i, x := range handles {
				same := cmp.Options{cmpopts.IgnoreFields(rank.Candidate{}, "At", "Message", "Source", "Number"), cmpopts.EquateApprox(0, 1e-5), cmpopts.SortSlices(func(a, b hit) bool {
					return a.Block+fmt.Sprint(a.Part, a.C.Length) < b.Block+fmt.Sprint(b.Part, b.C.Length)
				})}
				if d := cmp.Diff(want, ask(t, x, question), same); d != "" {
					t.Fatalf("seed %d, file %d, %q: %s", seed, i, question, d)
				}
			}
		}
	}
}

func TestManySourcesFillBuckets(t *testing.T) {
	x, _ := newIndex(t)
	var all []index.Entry
	for i := range 600 {
		all = append(all, session(fmt.Sprintf("s%03d", i), "the otter swims", fmt.Sprintf("number%d is here", i)))
	}
	for some := range slices.Chunk(all, 200) {
		update(t, x, some)
	}
	for _, i := range []int{0, 254, 255, 256, 257, 511, 512, 599} {
		if got := blocks(t, x, fmt.Sprintf("number%d", i)); len(got) == 0 || got[0] != fmt.Sprintf("s%03d-1", i) {
			t.Errorf("number%d: %q", i, got)
		}
	}
	if got := len(blocks(t, x, "otter")); got != rank.Default().Candidates {
		t.Errorf("%d candidates of 1,200, want the most there may be", got)
	}
	update(t, x, nil, "session/s255.md", "session/s256.md")
	got := blocks(t, x, "number255 number256")
	if slices.Contains(got, "s255-1") || slices.Contains(got, "s256-1") || len(got) == 0 {
		t.Errorf("removed sessions are found: %q", got)
	}
}

func TestAStoppedBuildKeepsWhatItWrote(t *testing.T) {
	x, path := newIndex(t)
	update(t, x, []index.Entry{session("a", "otter")})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := x.Update(ctx, []index.Entry{session("b", "heron")}, nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	again := open(t, path, false)
	err := again.Read(t.Context(), func(now *index.Snapshot) error {
		if k := now.Source("session/a.md"); k == nil || k.Stamp != "otter" || now.Source("session/b.md") != nil {
			t.Errorf("%+v, want that the first one is there", now.Sources())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Update(t.Context(), []index.Entry{session("c"), session("c")}, nil); err == nil {
		t.Error("a source is taken twice")
	}
}

func TestOnlyAllowedSourcesAndTimesAreFound(t *testing.T) {
	x, _ := newIndex(t)
	old := session("old", "the otter swims", "it does")
	for i := range old.Passages {
		old.Passages[i].Time = noon.AddDate(0, -6, 0)
	}
	update(t, x, []index.Entry{session("new", "the otter sleeps"), old})
	w := rank.Default()
	terms := analysis.NewAnalyzer().Query("the otter in November 2025", noon)
	err := x.Read(t.Context(), func(now *index.Snapshot) error {
		allowed := make([]bool, len(now.Sources()))
		for i, k := range now.Sources() {
			allowed[i] = k.Session == "old"
		}
		found, err := now.Candidates(t.Context(), index.Question{Terms: terms, Weights: &w, Allowed: allowed})
		if len(found.Candidates) != 2 || err != nil {
			t.Errorf("%d candidates (%v), want the two of the old session", len(found.Candidates), err)
		}
		if said := now.MessagesWithin(terms.Spans, nil); len(said) != 1 || len(said[0]) != 2 {
			t.Errorf("said at that time: %v", said)
		}
		clear(allowed)
		if said := now.MessagesWithin(terms.Spans, allowed); len(said) != 0 {
			t.Errorf("not allowed: %v", said)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFileOfAnotherIndexIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "recall.db")
	if _, err := index.Open(t.Context(), path, "root", false, index.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	x := open(t, path, true)
	update(t, x, []index.Entry{session("a", "otter")})
	if _, err := index.Open(t.Context(), path, "elsewhere", true, index.Options{}); !errors.Is(err, index.ErrOther) {
		t.Errorf("an index of another folder: %v", err)
	}
	broken := filepath.Join(dir, "broken.db")
	if err := os.WriteFile(broken, bytes.Repeat([]byte("no database"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := index.Open(t.Context(), broken, "root", true, index.Options{}); !errors.Is(err, index.ErrDamaged) {
		t.Errorf("no database: %v", err)
	}
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := index.Open(t.Context(), broken, "root", false, index.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty file: %v", err)
	}
}

func TestUnloadedHeadsAreReadAgain(t *testing.T) {
	x, _ := newIndex(t)
	update(t, x, []index.Entry{session("a", "the otter swims", "well")})
	want := ask(t, x, "otter")
	x.Unload()
	if d := cmp.Diff(want, ask(t, x, "otter")); d != "" {
		t.Error(d)
	}
	for _, h := range want {
		if math.IsNaN(h.C.Score) || h.C.Score <= 0 || h.C.Score > 1 || h.C.Relevance <= 0 {
			t.Errorf("%+v", h)
		}
	}
}
