package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/transcript"
)

// shelf is a server in memory. It finds passages that hold a word of the question; how a server
// ranks them is no matter of these tests.
type shelf struct {
	mu        sync.Mutex
	all       map[ServerPlace]ServerPassage
	others    []ServerPassage
	asked     []ServerQuestion
	forgotten map[string]bool // texts
	fail      error           // of the next Put
	entries   []ServerUnembedded
	vectors   map[int64][]float32
}

func (s *shelf) Search(_ context.Context, q ServerQuestion) (found []Hit, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	words := map[string]bool{}
	for _, t := range q.Terms {
		for _, f := range t.Forms {
			words[f] = true
		}
	}
	for _, p := range s.others {
		if q.OnlyTime || slices.ContainsFunc(p.Terms, func(t analysis.TermFreq) bool { return words[t.Term] }) {
			found = append(found, Hit{Chunk: p.Chunk, Machine: "desk"})
		}
	}
	return found[:min(len(found), q.Limit)], nil
}

func (s *shelf) Compare(_ context.Context, sums map[string]int64, keep []string) (differ map[string]bool, dropped int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	there := map[string]int64{}
	for at, p := range s.all {
		there[at.Key] += p.Print
	}
	differ = map[string]bool{}
	for key, sum := range sums {
		was, has := there[key]
		if was != sum {
			differ[key] = has
		}
		delete(there, key)
	}
	for key := range there {
		if !slices.Contains(keep, key) {
			maps.DeleteFunc(s.all, func(at ServerPlace, _ ServerPassage) bool { return at.Key == key })
			dropped++
		}
	}
	return differ, dropped, nil
}

func (s *shelf) Prints(_ context.Context, key string) (map[int]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[int]int64{}
	for at, p := range s.all {
		if at.Key == key {
			out[at.Number] = p.Print
		}
	}
	return out, nil
}

func (s *shelf) Put(_ context.Context, all []ServerPassage, gone []ServerPlace) (forgotten []int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fail; err != nil {
		s.fail = nil
		return nil, err
	}
	for _, at := range gone {
		delete(s.all, at)
	}
	for i, p := range all {
		if s.forgotten[p.Text] {
			forgotten = append(forgotten, i)
			continue
		}
		s.all[p.ServerPlace] = p
		s.entries = append(s.entries, ServerUnembedded{Entry: int64(len(s.entries) + 1), Hash: p.Hash})
	}
	return forgotten, nil
}

func (s *shelf) Unembedded(_ context.Context, _ EmbedModel, after int64, limit int) (out []ServerUnembedded, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.entries {
		if u.Entry > after && s.vectors[u.Entry] == nil && len(out) < limit {
			out = append(out, u)
		}
	}
	return out, nil
}

func (s *shelf) PutVectors(_ context.Context, _ EmbedModel, entries []int64, vectors [][]float32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, n := range entries {
		s.vectors[n] = vectors[i]
	}
	return nil
}

// texts returns the texts on the shelf.
func (s *shelf) texts() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.all {
		out = append(out, p.Text)
	}
	slices.Sort(out)
	return out
}

// withShelf connects the bench to a server.
func (b *bench) withShelf(change ...func(*Config)) *shelf {
	b.Helper()
	s := &shelf{all: map[ServerPlace]ServerPassage{}, vectors: map[int64][]float32{}, forgotten: map[string]bool{}}
	cfg := b.x.cfg
	cfg.Server, cfg.ServerPatience = func() (Server, error) { return s, nil }, time.Minute
	for _, c := range change {
		c(&cfg)
	}
	var err error
	if err = b.x.Close(); err == nil {
		b.x, err = Open(cfg)
	}
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func (b *bench) copy() Copied {
	b.Helper()
	b.sync()
	done, err := b.x.Copy(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return done
}

func TestACopyBringsWhatChanged(t *testing.T) {
	b := newBench(t)
	s := b.withShelf()
	if done := b.copy(); done != (Copied{}) {
		t.Errorf("%+v of nothing", done)
	}
	b.talk("cpu-a", "the otter swims", "it does", "[forgotten]", "good")
	b.talk("cpu-b", "the badger digs")
	b.remember("- likes quolls\n- hates wombats\n")
	for _, c := range []struct {
		what   string
		change func()
		want   Copied
		holds  []string
	}{
		{"all", func() {}, Copied{Sources: 3, Passages: 6}, []string{"good", "hates wombats", "it does", "likes quolls", "the badger digs", "the otter swims"}},
		{"nothing new", func() {}, Copied{}, nil},
		{"a new turn", func() { b.say("cpu-a", transcript.KindUser, "and dives?") }, Copied{Sources: 1, Passages: 1}, []string{"and dives?", "good", "hates wombats", "it does", "likes quolls", "the badger digs", "the otter swims"}},
		{"an edit", func() {
			b.rewrite(b.transcript("cpu-a"), func(s string) string { return strings.ReplaceAll(s, "otter", "moose") })
		}, Copied{Sources: 1, Passages: 1}, []string{"and dives?", "good", "hates wombats", "it does", "likes quolls", "the badger digs", "the moose swims"}},
		{"a line of memory removed", func() { b.remember("- likes quolls\n") }, Copied{Sources: 1}, []string{"and dives?", "good", "it does", "likes quolls", "the badger digs", "the moose swims"}},
		{"a session removed", func() {
			if err := os.Remove(b.transcript("cpu-b")); err != nil {
				t.Fatal(err)
			}
		}, Copied{Sources: 1}, []string{"and dives?", "good", "it does", "likes quolls", "the moose swims"}},
	} {
		c.change()
		done := b.copy()
		if c.what == "a line of memory removed" {
			done.Passages = 0 // what is left is as old as the file
		}
		if done != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, done, c.want)
		}
		if d := gocmp.Diff(c.holds, s.texts()); c.holds != nil && d != "" {
			t.Errorf("%s: %s", c.what, d)
		}
	}
	for at, p := range s.all {
		if len(p.Terms) == 0 || p.Hash == 0 {
			t.Errorf("%+v: %+v", at, p)
		}
	}
}

// remember writes the memory file.
func (b *bench) remember(text string) {
	b.Helper()
	if err := errors.Join(os.MkdirAll(b.root+"/agents", 0o700), os.WriteFile(b.root+"/agents/memory.md", []byte(text), 0o600)); err != nil {
		b.Fatal(err)
	}
}

func TestALongSessionIsCopiedInPiecesAndResumed(t *testing.T) {
	b := newBench(t)
	s := b.withShelf()
	b.talk("cpu-a", "the otter swims")
	const blocks = copyPassages + 100
	b.rewrite(b.transcript("cpu-a"), func(text string) string {
		for i := range blocks {
			text += fmt.Sprintf("\n## User · 2026-05-03T11:00:00Z\n<!-- id=a%c%c%cbcde -->\n\nbadger %d\n", 'a'+i%26, 'a'+i/26%26, 'a'+i/676, i)
		}
		return text
	})
	b.sync()
	s.fail = errors.New("the line is cut")
	if _, err := b.x.Copy(t.Context()); err == nil || len(s.texts()) != 0 {
		t.Errorf("%v, %d passages", err, len(s.texts()))
	}
	if done := b.copy(); done != (Copied{Sources: 1, Passages: blocks + 1}) || len(s.texts()) != blocks+1 {
		t.Errorf("%+v, %d passages", done, len(s.texts()))
	}
	if done := b.copy(); done != (Copied{}) {
		t.Errorf("%+v, want that all is there", done)
	}
}

func TestForgottenTextNeverReachesAServer(t *testing.T) {
	b := newBench(t)
	dead := tombs{}
	s := b.withShelf(func(c *Config) { c.Forgotten = func() corpus.Tombstones { return dead } })
	b.talk("cpu-a", "the otter swims", "secret words")
	b.sync()
	dead["secret words"] = true // after it was indexed
	b.copy()
	if got := s.texts(); !slices.Equal(got, []string{"the otter swims"}) {
		t.Errorf("%q", got)
	}
}

// A hit of the server stands behind the one of this machine that has the same place.
func TestHitsOfOtherMachinesAreMergedByTheirPlace(t *testing.T) {
	b := newBench(t)
	dead := tombs{}
	s := b.withShelf(func(c *Config) {
		c.Forgotten = func() corpus.Tombstones { return dead }
		c.Settings = func() Settings { return Settings{TopK: 8, ColdAfter: 90 * 24 * time.Hour} }
	})
	terms := []analysis.TermFreq{{Term: "otter", N: 1}}
	there := func(block, text string) ServerPassage {
		return ServerPassage{Chunk: corpus.Chunk{ID: "cpu-x/" + block + "/0", Session: "cpu-x", Block: block, Kind: corpus.KindUser, Text: text, Time: b.now}, Terms: terms}
	}
	s.others = []ServerPassage{there("a", "an otter of the desk"), there("b", "the desk knows a second otter"), there("c", "a third one, an otter")}
	finds := func(what string, q Query, want ...string) {
		t.Helper()
		q.Now, q.Text = b.now, cmp.Or(q.Text, "otter")
		a, err := b.x.Search(t.Context(), q)
		if err != nil || a.State.Server != nil {
			t.Fatal(err, a.State.Server)
		}
		if d := gocmp.Diff(want, said(a)); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		for i, h := range a.Hits {
			if (h.Machine == "desk") != (h.Session == "cpu-x") || h.Score < 0 || h.Score > 1 || i > 0 && h.Score > a.Hits[i-1].Score {
				t.Errorf("%s: %+v", what, h)
			}
		}
	}
	finds("nothing of this machine", Query{}, "an otter of the desk", "the desk knows a second otter", "a third one, an otter")
	b.talk("cpu-a", "the otter swims")
	b.talk("cpu-b", "an otter, and not much else besides that has to do with it")
	b.copy()
	finds("in turn", Query{}, "the otter swims", "an otter of the desk", "an otter, and not much else besides that has to do with it", "the desk knows a second otter", "a third one, an otter")
	finds("as many as are wanted", Query{Limit: 2}, "the otter swims", "an otter of the desk")
	finds("those that are allowed", Query{Scope: Scope{Allow: func(c corpus.Chunk) bool { return c.Block == "b" }}}, "the desk knows a second otter")
	dead["an otter of the desk"] = true
	finds("what was forgotten here is hidden", Query{Limit: 2}, "the otter swims", "the desk knows a second otter")
	if q := s.asked[len(s.asked)-1]; q.ColdBefore != b.now.Add(-90*24*time.Hour).Unix() || len(q.Terms) != 1 || q.Terms[0].Held != 2 || q.Terms[0].Weight <= 0 {
		t.Errorf("asked %+v", q)
	}
	b.now = b.now.Add(200 * 24 * time.Hour)
	finds("all sessions here are cold", Query{Limit: 2}, "the otter swims", "the desk knows a second otter")
	if q := s.asked[len(s.asked)-1]; q.ColdBefore != 0 {
		t.Errorf("asked %+v, want those elsewhere too", q)
	}
}

func TestWhatAnotherMachineForgotIsReported(t *testing.T) {
	b := newBench(t)
	var got []string
	s := b.withShelf(func(c *Config) {
		c.ForgottenElsewhere = func(_ context.Context, all []corpus.Chunk) error {
			for _, c := range all {
				got = append(got, c.Session+" "+c.Text)
			}
			return nil
		}
	})
	s.forgotten["secret words"] = true
	b.talk("cpu-a", "the otter swims", "secret words")
	if done := b.copy(); done.Passages != 1 || !slices.Equal(got, []string{"cpu-a secret words"}) || !slices.Equal(s.texts(), []string{"the otter swims"}) {
		t.Errorf("%+v, %q, %q", done, got, s.texts())
	}
}

func TestWithoutItsServerASearchUsesThisMachine(t *testing.T) {
	b := newBench(t)
	down := fmt.Errorf("%w: no network here", ErrServer)
	b.withShelf(func(c *Config) { c.Server = func() (Server, error) { return nil, down } })
	b.talk("cpu-a", "the otter swims")
	b.sync()
	for range 2 { // it isn't asked the second time
		if a := b.search("otter"); len(a.Hits) != 1 || !errors.Is(a.State.Server, ErrServer) || a.State.String() != "fresh, partial: this machine alone" {
			t.Errorf("%+v, %s", a, a.State)
		}
	}
	if _, err := b.x.Copy(t.Context()); !errors.Is(err, down) {
		t.Errorf("a push: %v", err)
	}
	b.withShelf(func(c *Config) { c.Server = func() (Server, error) { return nil, nil } })
	if a := b.search("otter"); len(a.Hits) != 1 || a.State.Server != nil {
		t.Errorf("%+v", a)
	}
	if _, err := b.x.Copy(t.Context()); !errors.Is(err, ErrServer) {
		t.Errorf("a push without a server: %v", err)
	}
	refused := errors.New("another machine forgot something")
	b.withShelf(func(c *Config) { c.BeforeCopy = func(context.Context, Server) error { return refused } })
	if _, err := b.x.Copy(t.Context()); !errors.Is(err, refused) {
		t.Errorf("%v, want what came before it", err)
	}
}

func TestVectorsAreCopiedWhereTheyAreMissing(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	s := b.withShelf()
	b.talk("cpu-a", "the hound barks", "the automobile is red", "rain falls")
	if done := b.copy(); done.Vectors != 0 || done.Passages != 3 {
		t.Errorf("before they are made: %+v", done)
	}
	b.embedAll()
	for _, want := range []int{3, 0} {
		if done := b.copy(); done.Vectors != want || len(s.vectors) != 3 {
			t.Errorf("%+v, %d on the server; want %d put", done, len(s.vectors), want)
		}
	}
	b.say("cpu-a", transcript.KindUser, "bread bakes")
	b.copy()
	b.embedAll()
	if done := b.copy(); done.Vectors != 1 {
		t.Errorf("%+v, want that of the new message", done)
	}
	f.err = ErrNoModel
	if done := b.copy(); done != (Copied{}) {
		t.Errorf("without a model: %+v", done)
	}
}

func TestTheServerIsKeptUpToDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		s := b.withShelf()
		b.talk("cpu-a", "the otter swims")
		b.sync()
		s.fail = errors.New("the line is cut")
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { b.x.mirror.run(ctx); close(done) }()
		synctest.Wait()
		if got := s.texts(); len(got) != 0 {
			t.Errorf("%q, and the line is cut", got)
		}
		nudge(b.x.mirror.wake) // it still waits
		time.Sleep(minBackoff)
		synctest.Wait()
		if got := s.texts(); len(got) != 1 {
			t.Errorf("%q, want that it is tried again", got)
		}
		b.say("cpu-a", transcript.KindUser, "and dives")
		b.sync()
		nudge(b.x.mirror.wake)
		synctest.Wait()
		if got := s.texts(); len(got) != 2 {
			t.Errorf("%q, want what is new at once", got)
		}
		b.say("cpu-a", transcript.KindUser, "and sleeps")
		b.sync()
		time.Sleep(copyEvery)
		synctest.Wait()
		if got := s.texts(); len(got) != 3 {
			t.Errorf("%q, want all after a while", got)
		}
		stop()
		<-done
	})
}

func TestACopyWaitsForAMessageThatIsReadFirst(t *testing.T) {
	b := newBench(t)
	s := b.withShelf()
	b.talk("cpu-a", "the otter swims", "it does")
	b.sync()
	b.rewrite(b.transcript("cpu-a"), func(s string) string { return strings.ReplaceAll(s, "it does", "it sleeps") })
	if done, err := b.x.Copy(t.Context()); err != nil || done.Passages != 1 || len(s.texts()) != 1 {
		t.Errorf("%+v, %v, %q; want that the edited one is indexed first", done, err, s.texts())
	}
	if done := b.copy(); done.Passages != 1 || len(s.texts()) != 2 {
		t.Errorf("%+v, %q", done, s.texts())
	}
	if err := b.x.file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.x.Copy(t.Context()); err == nil {
		t.Error("a closed index was pushed")
	}
}
