package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
	"mac-stats/sessionmem/recall/rank"
)

// index is an index file, and what it has to hold.
type index struct {
	*testing.T
	e      *Engine
	path   string
	limits Limits
	a      *analysis.Analyzer
	want   map[string]map[uint32]string // texts by source and place
	said   int
}

// tinyLimits make a small index take every form.
func tinyLimits() Limits {
	return Limits{BulkDocs: 24, BulkTerms: 1 << 10, DeltaDocs: 8, DeltaRows: 5, DeltaGrown: 14, FanIn: 2, Smallest: 8, Segment: 48, DeadShare: 3, Vectors: 300}
}

func newIndex(t *testing.T, l Limits) *index {
	t.Helper()
	x := &index{T: t, path: filepath.Join(t.TempDir(), "recall.db"), limits: l, a: analysis.NewAnalyzer(), want: map[string]map[uint32]string{}}
	x.e = x.open(true)
	return x
}

// open opens the file once more, as another process does.
func (x *index) open(create bool) *Engine {
	x.Helper()
	e, err := Open(x.Context(), x.path, "root", create, x.limits, slog.New(slog.DiscardHandler))
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(func() {
		e.vectors.Forget()
		if err := e.Close(); err != nil {
			x.Error(err)
		}
	})
	return e
}

func (x *index) read(e *Engine, use func(s *Snapshot)) {
	x.Helper()
	if err := e.Read(x.Context(), func(s *Snapshot) error { use(s); return nil }); err != nil {
		x.Fatal(err)
	}
}

// source returns the source with a key; nil if there is none.
func (x *index) source(key string) (k *Source) {
	x.Helper()
	x.read(x.e, func(s *Snapshot) { k = s.Source(key) })
	return k
}

// put writes passages of one message each to places of a source, and removes those at others.
func (x *index) put(key string, texts map[uint32]string, gone ...uint32) {
	x.Helper()
	all := make([]format.Passage, 0, len(texts))
	for _, seq := range slices.Sorted(maps.Keys(texts)) {
		all = append(all, format.Passage{Seq: seq, Kind: format.RoleUser, Block: texts[seq]})
	}
	x.putPassages(key, all, gone...)
}

// putPassages does the same with passages whose text is their block's name.
func (x *index) putPassages(key string, all []format.Passage, gone ...uint32) {
	x.Helper()
	b := &Batch{Name: format.Name{Key: key, Session: key}, Known: x.source(key), Last: true, State: format.State{Files: []format.File{{File: key, Size: int64(x.said)}}}}
	if x.want[key] == nil {
		x.want[key] = map[uint32]string{}
	}
	for _, d := range all {
		x.said++
		t := x.a.Chunk(d.Block, d.When())
		d.Words, d.Marks, d.Hash = uint32(t.Words), t.Marks, uint32(len(d.Block))
		b.Add(d, t)
		x.want[key][d.Seq] = d.Block
	}
	for _, seq := range gone {
		b.Gone = append(b.Gone, Place{Seq: seq})
		delete(x.want[key], seq)
	}
	x.write(func(w *writer) error { return w.Put(x.Context(), b) })
}

func (x *index) drop(key string) {
	x.Helper()
	delete(x.want, key)
	x.write(func(w *writer) error { w.Drop(key); return nil })
}

func (x *index) write(do func(w *writer) error) {
	x.Helper()
	w, err := x.e.NewWriter(x.Context())
	if err == nil {
		err = do(w)
	}
	if err == nil {
		err = w.Finish(x.Context(), time.Unix(1_780_000_000, 0))
	}
	if err != nil {
		x.Fatal(err)
	}
}

// erase erases passages of a source, or all of it.
func (x *index) erase(key string, seqs ...uint32) {
	x.Helper()
	err := x.e.Erase(x.Context(), func(now *Snapshot, out *Erasure) error {
		k := now.Source(key)
		if k == nil {
			return nil
		}
		for _, seq := range seqs {
			out.Passage(k, &format.Passage{Seq: seq})
		}
		if len(seqs) == 0 {
			out.Source(k)
		}
		return nil
	})
	if err = errors.Join(err, x.e.EmptyLog(x.Context())); err != nil {
		x.Fatal(err)
	}
	for _, seq := range seqs {
		delete(x.want[key], seq)
	}
	if len(seqs) == 0 {
		delete(x.want, key)
	}
}

// all returns the places of the texts that x has to hold, with them.
func (x *index) all() map[string]string {
	out := map[string]string{}
	for key, texts := range x.want {
		for seq, text := range texts {
			out[fmt.Sprint(key, " ", seq)] = text
		}
	}
	return out
}

// ask returns the candidates for a question with their places and texts.
func (x *index) ask(e *Engine, q Question) (found Found, places map[string]string) {
	x.Helper()
	w := rank.Default()
	w.Candidates = 1000
	q.Weights = &w
	places = map[string]string{}
	x.read(e, func(s *Snapshot) {
		var err error
		if found, err = s.Candidates(x.Context(), q); err != nil {
			x.Fatal(err)
		}
		if err := s.Prefetch(x.Context(), found.Candidates); err != nil {
			x.Fatal(err)
		}
		for _, c := range found.Candidates {
			d, k, err := s.Passage(x.Context(), c.At)
			if err != nil {
				x.Fatal(err)
			}
			places[fmt.Sprint(k.Key, " ", x.seqOf(s, k, c.At))] = d.Block
		}
	})
	return found, places
}

// seqOf returns the place of a position in its source.
func (x *index) seqOf(s *Snapshot, k *Source, at uint32) (seq uint32) {
	x.Helper()
	err := s.Each(x.Context(), k, func(a uint32, d format.Passage) error {
		if a == at {
			seq = d.Seq
		}
		return nil
	})
	if err != nil {
		x.Fatal(err)
	}
	return seq
}

func (x *index) terms(question string) analysis.QueryTerms {
	return x.a.Query(question, time.Unix(1_780_000_000, 0))
}

// check compares what the index holds, and what it finds for a word, with what it has to.
func (x *index) check(e *Engine, word string, log []string) {
	x.Helper()
	got, words, sources := map[string]string{}, 0, 0
	x.read(e, func(s *Snapshot) {
		for _, k := range s.Sources() {
			if k == nil {
				continue
			}
			sources++
			n := 0
			if err := s.Each(x.Context(), k, func(_ uint32, d format.Passage) error {
				got[fmt.Sprint(k.Key, " ", d.Seq)] = d.Block
				n++
				words += int(d.Words)
				return nil
			}); err != nil {
				x.Fatal(err)
			}
			if n != k.Docs || len(s.OfSession(k.Session)) != 1 {
				x.Fatalf("%s counts %d passages and has %d after\n%s", k.Key, k.Docs, n, strings.Join(log, "\n"))
			}
		}
		if s.Passages() != len(got) || s.Count() != sources || int(s.v.words) != words {
			x.Fatalf("%d passages, %d sources and %d words are counted, %d, %d and %d are there after\n%s", s.Passages(), s.Count(), s.v.words, len(got), sources, words, strings.Join(log, "\n"))
		}
	})
	if d := cmp.Diff(x.all(), got); d != "" {
		x.Fatalf("after\n%s\n%s", strings.Join(log, "\n"), d)
	}
	q := x.terms(word)
	found := map[string]string{}
	for place, text := range x.all() {
		for _, f := range x.a.Chunk(text, time.Time{}).Freqs {
			if slices.ContainsFunc(q.Terms[0].Variants, func(v analysis.Variant) bool { return v.Term == f.Term }) {
				found[place] = text
			}
		}
	}
	if _, got := x.ask(e, Question{Terms: q}); cmp.Diff(found, got) != "" {
		x.Fatalf("%s, after\n%s\n%s", word, strings.Join(log, "\n"), cmp.Diff(found, got))
	}
}

// apart is a distance of messages beyond which they aren't neighbours.
const apart = strandGap + 2

// TestRandomChangesKeepEveryPassage changes an index as indexing does, in random order, and reads
// it with the engine that writes and with another.
func TestRandomChangesKeepEveryPassage(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			x, r := newIndex(t, tinyLimits()), rand.New(rand.NewPCG(seed, 9))
			x.limits.Vectors = 1 << 20
			other := x.open(false)
			var words, log []string
			for i := range 20 {
				words = append(words, fmt.Sprintf("%c%c%cor", 'b'+i, "aeiou"[i%5], 'k'+i/4))
			}
			text := func() string {
				out := []string{fmt.Sprintf("no%d", x.said+r.IntN(1000))}
				for range 1 + r.IntN(5) {
					out = append(out, words[r.IntN(1+r.IntN(len(words)))])
				}
				return strings.Join(out, " ")
			}
			for range 110 {
				key := fmt.Sprintf("cpu-s%d", r.IntN(4))
				places := slices.Sorted(maps.Keys(x.want[key]))
				step := "put in " + key
				switch n := r.IntN(10); {
				case n < 5 || len(places) == 0:
					new := map[uint32]string{}
					for range 1 + r.IntN(4)*r.IntN(8) {
						new[uint32(apart*(len(places)+r.IntN(40)))] = text()
					}
					x.put(key, new)
				case n < 6:
					step = "replace and remove in " + key
					x.put(key, map[uint32]string{places[0]: text()}, places[(len(places)+1)/2:]...)
				case n < 7:
					step = "erase in " + key
					x.erase(key, places[r.IntN(len(places))], places[0])
				case n < 8:
					step = "drop " + key
					if r.IntN(2) == 0 {
						x.drop(key)
					} else {
						x.erase(key)
					}
				case n < 9:
					step = "tidy"
					if err := x.e.Tidy(t.Context()); err != nil {
						t.Fatal(err)
					}
				default:
					step = "open again"
					x.e = x.open(false)
				}
				log = append(log, step)
				x.check(x.e, words[r.IntN(6)], log)
				if r.IntN(3) == 0 {
					x.check(other, words[r.IntN(6)], log)
				}
			}
		})
	}
}

// holds reports whether any file of the index contains a word.
func (x *index) holds(word string) bool {
	x.Helper()
	files, err := filepath.Glob(x.path + "*")
	if err != nil {
		x.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		data, err := os.ReadFile(file)
		if err != nil {
			x.Fatal(err)
		}
		return bytes.Contains(data, []byte(word))
	})
}

func TestWhatIsErasedIsInNoFile(t *testing.T) {
	for what, docs := range map[string]int{"in the delta": 100, "in segments": 1} {
		x := newIndex(t, Limits{DeltaDocs: docs, BulkDocs: 1000, BulkTerms: 1 << 20, FanIn: 100, DeadShare: 1})
		texts := map[uint32]string{}
		for i := range uint32(60) {
			texts[apart*i] = fmt.Sprintf("the %c%cyzzyva crawls", 'a'+i%26, 'a'+i/26)
		}
		x.put("cpu-a", texts)
		x.put("cpu-b", map[uint32]string{0: "the xylophone plays"})
		x.put("cpu-a", nil, 9*apart) // one was removed before
		for _, word := range []string{"abyzzyva", "xylophon", "cpu-b"} {
			if !x.holds(word) {
				t.Fatalf("%s: %q is in no file before it is erased: this proves nothing", what, word)
			}
		}
		x.erase("cpu-a", 26*apart, 27*apart, 28*apart)
		x.erase("cpu-b")
		x.erase("cpu-b") // it is gone
		for _, word := range []string{"abyzzyva", "bbyzzyva", "cbyzzyva", "jayzzyva", "xylophon", "cpu-b"} {
			if x.holds(word) {
				t.Errorf("%s: %q is still in a file", what, word)
			}
		}
		x.e = x.open(false)
		x.check(x.e, "dbyzzyva", nil)
	}
}

func TestASourceIsReadAgainAfterAnErasure(t *testing.T) {
	x := newIndex(t, DefaultLimits())
	x.put("cpu-a", map[uint32]string{0: "the otter swims", 1: "the heron stands"})
	before := x.source("cpu-a").State
	before.Files[0].Changed = 77
	x.erase("cpu-a", 1)
	if after := x.source("cpu-a").State; cmp.Equal(after, before) {
		t.Errorf("%+v is what it was: nothing compares it with its file", after)
	}
}

func TestDamageIsNeverAnAnswer(t *testing.T) {
	t.Parallel()
	x, r := newIndex(t, tinyLimits()), rand.New(rand.NewPCG(3, 3))
	for i := range uint32(60) {
		x.put("cpu-a", map[uint32]string{i: fmt.Sprintf("the otter number %d swims in E0432", i)})
	}
	x.put("cpu-b", map[uint32]string{0: "a last otter"})
	_, want := x.ask(x.e, Question{Terms: x.terms("otter")})
	if err := x.e.EmptyLog(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(x.path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for round := range 60 {
		bad := slices.Clone(whole)
		for range 6 {
			at := r.IntN(len(bad) - 8)
			for j := range 8 {
				bad[at+j] ^= byte(1 + r.IntN(255))
			}
		}
		x.path = filepath.Join(t.TempDir(), "recall.db")
		if err := os.WriteFile(x.path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := Open(t.Context(), x.path, "root", false, x.limits, slog.New(slog.DiscardHandler))
		if err != nil {
			damaged++
			continue
		}
		got := map[string]string{}
		err = e.Read(t.Context(), func(s *Snapshot) error {
			w := rank.Default()
			found, err := s.Candidates(t.Context(), Question{Terms: x.terms("otter"), Weights: &w})
			for _, c := range found.Candidates {
				d, k, err := s.Passage(t.Context(), c.At)
				if err != nil {
					return err
				}
				got[fmt.Sprint(k.Key, " ", x.seqOf(s, k, c.At))] = d.Block
			}
			return err
		})
		if err != nil {
			damaged++
		} else if d := cmp.Diff(want, got); d != "" {
			t.Errorf("round %d: another answer and no error: %s", round, d)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if damaged < 10 {
		t.Errorf("only %d of 60 damages were in data that was read: this proves little", damaged)
	}
}

func TestMissingOrWrongRowsAreDamage(t *testing.T) {
	t.Parallel()
	x := newIndex(t, tinyLimits())
	texts := map[uint32]string{}
	for i := range uint32(10) {
		texts[i] = fmt.Sprintf("the otter number %d swims", i)
	}
	x.put("cpu-a", texts)
	x.put("cpu-b", texts)
	x.put("cpu-b", map[uint32]string{3: "another otter"}, 4)
	x.put("cpu-c", map[uint32]string{0: "a last otter", 1: "and its end"})
	if err := x.e.EmptyLog(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(x.path)
	if err != nil {
		t.Fatal(err)
	}
	w, terms := rank.Default(), x.terms("otter")
	search := func(e *Engine) error {
		return e.Read(t.Context(), func(s *Snapshot) error {
			found, err := s.Candidates(t.Context(), Question{Terms: terms, Weights: &w})
			if err == nil {
				err = s.Prefetch(t.Context(), found.Candidates)
			}
			return err
		})
	}
	uses := map[string]func(e *Engine) error{
		"a search": search,
		"an erasure": func(e *Engine) error {
			return e.Erase(t.Context(), func(now *Snapshot, out *Erasure) error {
				for _, key := range []string{"cpu-a", "cpu-c"} {
					out.Passage(now.Source(key), &format.Passage{Seq: 1})
				}
				return nil
			})
		},
		"a merge": func(e *Engine) error {
			parts := e.current().parts[1:]
			return errors.Join(e.merge(t.Context(), e.current(), parts), e.Tidy(t.Context()))
		},
		"a flush of the delta": func(e *Engine) error { return e.flushDelta(t.Context(), e.current()) },
		"another view":         func(e *Engine) error { e.forget(); return search(e) },
	}
	for _, c := range []struct {
		harm string
		by   string // what else finds it when the index is open already
	}{
		{"UPDATE segment SET docs=-1", ""},
		{"UPDATE segment SET docs=docs+1", ""},
		{"UPDATE segment SET firsts=heads", "another view"},
		{"UPDATE segment SET tombs=x'00'", "another view"},
		{"UPDATE segment SET heads=tombs", "a merge"},
		{"UPDATE segment SET heads=zeroblob(9)", "an erasure"},
		{"DELETE FROM segment WHERE id=(SELECT max(id) FROM segment)", "a merge"},
		{"DELETE FROM segment", "an erasure"},
		{"DELETE FROM delta", "a flush of the delta"},
		{"UPDATE delta SET data=zeroblob(9)", "an erasure"},
		{"DROP TABLE delta", "a flush of the delta"},
		{"DELETE FROM dict", "an erasure"},
		{"UPDATE dict SET data=zeroblob(9)", "a merge"},
		{"DROP TABLE dict", "a merge"},
		{"DELETE FROM detail", "an erasure"},
		{"UPDATE detail SET data=zeroblob(9)", "a merge"},
		{"DROP TABLE detail", "an erasure"},
		{"DELETE FROM source WHERE key='cpu-a'", ""},
		{"UPDATE source SET session='other'", "another view"},
		{"DROP TABLE source", "another view"},
		{"DELETE FROM meta WHERE key='rows'", "another view"},
		{"DELETE FROM meta WHERE key='change'", "a search"},
		{"DROP TABLE meta", "an erasure"},
	} {
		for what, use := range uses {
			before := what == c.by
			if !before && what != "a search" {
				continue
			}
			x.path = filepath.Join(t.TempDir(), "recall.db")
			if err := os.WriteFile(x.path, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			e := x.open(false)
			if before {
				x.read(e, func(*Snapshot) {})
			}
			if _, err := e.db.ExecContext(t.Context(), c.harm); err != nil {
				t.Fatal(err)
			}
			if err := use(e); !tables.IsDamaged(err) {
				t.Errorf("%s after %s, open before %v: %v, want damage", what, c.harm, before, err)
			}
		}
	}
}

func TestWritersNoticeEachOther(t *testing.T) {
	x := newIndex(t, tinyLimits())
	x.put("cpu-a", map[uint32]string{0: "the otter swims"})
	mine := x.e
	x.e = x.open(false)
	x.put("cpu-b", map[uint32]string{0: "the heron stands"})
	theirs := x.e
	x.e = mine
	x.put("cpu-c", map[uint32]string{0: "the wolf howls"}) // its view is of before
	for _, e := range []*Engine{mine, theirs} {
		x.check(e, "heron", nil)
	}
	x.e = theirs
	x.drop("cpu-a")
	x.e = mine
	if err := x.e.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	x.check(mine, "otter", nil)
	x.check(theirs, "wolf", nil)
}

func TestALongReadSeesOneMoment(t *testing.T) {
	x := newIndex(t, tinyLimits())
	x.put("cpu-a", map[uint32]string{0: "the otter swims"})
	writer := x.open(false)
	x.read(x.e, func(s *Snapshot) {
		x.e = writer
		x.put("cpu-b", map[uint32]string{0: "the otter dives"})
		if n := s.Passages(); n != 1 || s.Source("cpu-b") != nil {
			t.Errorf("%d passages, one was written meanwhile", n)
		}
		if at, err := s.Synced(t.Context()); err != nil || at.Unix() != 1_780_000_000 {
			t.Errorf("up to date %v, %v", at, err)
		}
	})
	x.check(x.e, "otter", nil)
}

func TestAFullChangeIsAllOrNothing(t *testing.T) {
	x := newIndex(t, tinyLimits())
	x.put("cpu-a", map[uint32]string{0: "the otter swims"})
	stopped, stop := context.WithCancel(t.Context())
	stop()
	w, err := x.e.NewWriter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := &Batch{Name: format.Name{Key: "cpu-b", Session: "cpu-b"}, Last: true}
	b.Add(format.Passage{Block: "the heron stands"}, x.a.Chunk("the heron stands", time.Time{}))
	if err := errors.Join(w.Put(t.Context(), b), w.Flush(stopped)); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want that it was stopped", err)
	}
	x.check(x.e, "heron", nil)
	if err := w.Flush(t.Context()); err != nil { // what is left is written by the next one
		t.Fatal(err)
	}
	x.want["cpu-b"] = map[uint32]string{0: "the heron stands"}
	x.check(x.e, "heron", nil)
}

func TestAnIndexOfAnotherFolderOrNoneIsRefused(t *testing.T) {
	x := newIndex(t, DefaultLimits())
	x.put("cpu-a", map[uint32]string{0: "the otter swims"})
	if _, err := Open(t.Context(), x.path, "elsewhere", false, x.limits, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("the index of another folder was opened")
	}
	if x.e.Moved() || x.e.Older() {
		t.Error("it was moved, or is of another version")
	}
	if err := os.Rename(x.path, x.path+"2"); err != nil {
		t.Fatal(err)
	}
	if !x.e.Moved() {
		t.Error("it was moved, and it isn't noticed")
	}
}
