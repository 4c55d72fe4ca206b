package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/rank"
	"mac-stats/sessionmem/transcript"
)

// shelf is a server in memory. It finds passages that hold a word of the question; how a server
// scores them is no matter of these tests.
type shelf struct {
	mu      sync.Mutex
	sources map[string]*shelved
	fail    error // of the next Put
	cooled  int64
	ids     []ServerUnembedded // of the passages; the ID is an index, from 1
	vectors map[int64][]float32
	closed  bool
}

// shelved is a source on the shelf.
type shelved struct {
	ServerSource
	all     map[ServerPlace]ServerPassage
	machine string
}

func (s *shelf) Candidates(_ context.Context, q ServerQuestion) (found ServerFound, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	words := map[string]bool{}
	for _, t := range q.Terms.Terms {
		for _, v := range t.Variants {
			words[v.Term] = true
		}
	}
	for key, k := range s.sources {
		for _, p := range k.all {
			if slices.ContainsFunc(p.Terms, func(t string) bool { return words[t] }) {
				n := uint32(len(found.Passages))
				found.Passages = append(found.Passages, ServerHit{ServerPassage: p, Key: key, Print: k.Print, Machine: k.machine})
				found.Candidates = append(found.Candidates, rank.Candidate{At: n, Message: n, Words: 1, Session: 1, Share: 1, Length: p.Length, Time: p.Time.Unix()})
			}
		}
	}
	if q.Terms.OnlyTime {
		for i, p := range found.Passages {
			found.Then = append(found.Then, []rank.Candidate{{At: uint32(i), Message: uint32(i), Time: p.Time.Unix()}})
		}
	}
	return found, nil
}

func (s *shelf) Prints(context.Context) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for key, k := range s.sources {
		if k.machine == "" {
			out[key] = k.Print
		}
	}
	return out, nil
}

func (s *shelf) Marks(_ context.Context, key string) (map[ServerPlace]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[ServerPlace]string{}
	for at, p := range s.sources[key].all {
		out[at] = p.Mark
	}
	return out, nil
}

func (s *shelf) Put(_ context.Context, batch []ServerSource) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fail; err != nil {
		s.fail = nil
		return err
	}
	for _, b := range batch {
		k := s.sources[b.Key]
		if k == nil {
			k = &shelved{all: map[ServerPlace]ServerPassage{}}
			s.sources[b.Key] = k
		}
		k.ServerSource = b
		for _, at := range b.Gone {
			delete(k.all, at)
		}
		for _, p := range b.Passages {
			k.all[p.ServerPlace] = p
			s.ids = append(s.ids, ServerUnembedded{ServerPlace: p.ServerPlace, ID: int64(len(s.ids) + 1), Key: b.Key, Mark: p.Mark})
		}
	}
	return nil
}

func (s *shelf) Drop(_ context.Context, keys ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		delete(s.sources, key)
	}
	return nil
}

func (s *shelf) Cool(_ context.Context, before int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cooled = before
	return nil
}

func (s *shelf) Unembedded(_ context.Context, _ EmbedModel, after int64, limit int) (out []ServerUnembedded, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.ids {
		if u.ID > after && s.vectors[u.ID] == nil && len(out) < limit {
			out = append(out, u)
		}
	}
	return out, nil
}

func (s *shelf) PutVectors(_ context.Context, _ EmbedModel, ids []int64, vectors [][]float32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, id := range ids {
		s.vectors[id] = vectors[i]
	}
	return nil
}

func (s *shelf) Erase(context.Context, []string, []string, []string) error { return nil }
func (s *shelf) Status(context.Context) (ServerStatus, error)              { return ServerStatus{}, nil }
func (s *shelf) Close()                                                    { s.closed = true }

// texts returns the texts on the shelf.
func (s *shelf) texts() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.sources {
		for _, p := range k.all {
			out = append(out, p.Text)
		}
	}
	slices.Sort(out)
	return out
}

// withShelf connects the bench to a server.
func (b *bench) withShelf(change ...func(*Config)) *shelf {
	b.Helper()
	s := &shelf{sources: map[string]*shelved{}, vectors: map[int64][]float32{}}
	cfg := b.x.cfg
	cfg.Server, cfg.ServerPatience = func() Server { return s }, time.Minute
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

func (b *bench) push() Pushed {
	b.Helper()
	b.sync()
	done, err := b.x.Push(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return done
}

func TestAPushBringsWhatChanged(t *testing.T) {
	b := newBench(t)
	s := b.withShelf(func(c *Config) { c.Settings = func() Settings { return Settings{TopK: 8, ColdAfter: time.Hour} } })
	if done := b.push(); done != (Pushed{}) {
		t.Errorf("%+v of nothing", done)
	}
	b.talk("cpu-a", "the otter swims", "it does", "[forgotten]", "good")
	b.talk("cpu-b", "the badger digs")
	b.remember("- likes quolls\n- hates wombats\n")
	for _, c := range []struct {
		what   string
		change func()
		want   Pushed
		holds  []string
	}{
		{"all", func() {}, Pushed{Sources: 3, Passages: 6}, []string{"good", "hates wombats", "it does", "likes quolls", "the badger digs", "the otter swims"}},
		{"nothing new", func() {}, Pushed{}, nil},
		{"a new turn", func() { b.say("cpu-a", transcript.KindUser, "and dives?") }, Pushed{Sources: 1, Passages: 1}, []string{"and dives?", "good", "hates wombats", "it does", "likes quolls", "the badger digs", "the otter swims"}},
		{"an edit", func() {
			b.rewrite(b.transcript("cpu-a"), func(s string) string { return strings.ReplaceAll(s, "otter", "moose") })
		}, Pushed{Sources: 1, Passages: 1}, []string{"and dives?", "good", "hates wombats", "it does", "likes quolls", "the badger digs", "the moose swims"}},
		{"a line of memory removed", func() { b.remember("- likes quolls\n") }, Pushed{Sources: 1}, []string{"and dives?", "good", "it does", "likes quolls", "the badger digs", "the moose swims"}},
		{"a session removed", func() {
			if err := os.Remove(b.transcript("cpu-b")); err != nil {
				t.Fatal(err)
			}
		}, Pushed{Sources: 1}, []string{"and dives?", "good", "it does", "likes quolls", "the moose swims"}},
	} {
		c.change()
		done := b.push()
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
	if want := b.now.Add(-time.Hour).Unix(); s.cooled != want {
		t.Errorf("sessions before %d are cold, want %d: an hour before the newest message", s.cooled, want)
	}
	for key, k := range s.sources {
		for at, p := range k.all {
			if want := map[string]int{"good": 3, "and dives?": 4}[p.Text]; want != 0 && at.Message != want || p.Parts != 1 || p.Asks != strings.HasSuffix(p.Text, "?") || len(p.Terms) == 0 {
				t.Errorf("%s: %+v", key, p)
			}
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

func TestALongSessionIsPushedInPiecesAndResumed(t *testing.T) {
	b := newBench(t)
	s := b.withShelf()
	b.talk("cpu-a", "the otter swims")
	const blocks = pushPassages + 100
	b.rewrite(b.transcript("cpu-a"), func(text string) string {
		for i := range blocks {
			text += fmt.Sprintf("\n## User · 2026-05-03T11:00:00Z\n<!-- id=a%c%c%cbcde -->\n\nbadger %d\n", 'a'+i%26, 'a'+i/26%26, 'a'+i/676, i)
		}
		return text
	})
	b.sync()
	s.fail = errors.New("the line is cut")
	if _, err := b.x.Push(t.Context()); err == nil || len(s.texts()) != 0 {
		t.Errorf("%v, %d passages", err, len(s.texts()))
	}
	if done := b.push(); done != (Pushed{Sources: 1, Passages: blocks + 1}) || len(s.texts()) != blocks+1 {
		t.Errorf("%+v, %d passages", done, len(s.texts()))
	}
	if done := b.push(); done != (Pushed{}) {
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
	b.push()
	if got := s.texts(); !slices.Equal(got, []string{"the otter swims"}) {
		t.Errorf("%q", got)
	}
}

func TestAServersHitsAreCheckedAgainstTheFiles(t *testing.T) {
	b := newBench(t)
	dead := tombs{}
	s := b.withShelf(func(c *Config) { c.Forgotten = func() corpus.Tombstones { return dead } })
	b.talk("cpu-a", "the otter swims", "it does", "an otter dives", "yes")
	b.remember("- likes the otter\n")
	b.push()
	s.sources["session/there.md"] = &shelved{machine: "desk", all: map[ServerPlace]ServerPassage{
		{Message: 1}: {Chunk: corpus.Chunk{Session: "cpu-x", Block: "x", Kind: corpus.KindUser, Text: "the otter sleeps", Time: b.now}, Terms: s.sources["agents/memory.md"].all[ServerPlace{}].Terms},
	}}
	finds := func(what string, q Query, want ...string) Answer {
		t.Helper()
		q.Now, q.Text = b.now, cmp.Or(q.Text, "otter")
		a, err := b.x.Search(t.Context(), q)
		if err != nil || a.State.Server != nil {
			t.Fatal(err, a.State.Server)
		}
		got := said(a)
		slices.Sort(got)
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		return a
	}
	for _, h := range finds("all", Query{Beside: true}, "an otter dives", "likes the otter", "the otter sleeps", "the otter swims").Hits {
		if want := map[string]string{"an otter dives": "it does|yes", "the otter swims": "|it does"}[h.Text]; want != "" && h.Before+"|"+h.After != want {
			t.Errorf("beside %q: %q and %q", h.Text, h.Before, h.After)
		}
		if (h.Machine == "desk") != (h.Text == "the otter sleeps") || h.Machine == "desk" && h.ID != "cpu-x/x/0" {
			t.Errorf("%+v", h)
		}
	}
	finds("those that are allowed", Query{Scope: Scope{Allow: func(c corpus.Chunk) bool { return c.Kind == corpus.KindMemory }}}, "likes the otter")
	finds("of a time alone", Query{Text: "what did we talk about in May 2026"})
	dead["the otter sleeps"] = true
	finds("what was forgotten here is hidden elsewhere", Query{}, "an otter dives", "likes the otter", "the otter swims")
	b.rewrite(b.transcript("cpu-a"), func(s string) string { return strings.ReplaceAll(s, "otter dives", "heron dives") })
	finds("before it is pushed again", Query{}, "likes the otter", "the otter swims")
	b.remember("- likes herons\n")
	finds("a line of memory that is gone", Query{}, "the otter swims")
	b.rewrite(b.transcript("cpu-a"), func(s string) string { return strings.ReplaceAll(s, "the otter swims", "[forgotten]") })
	if got := said(finds("nothing of it is left", Query{})); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestWithoutItsServerASearchUsesThisMachine(t *testing.T) {
	b := newBench(t)
	down := fmt.Errorf("%w: no network here", ErrServer)
	b.withShelf(func(c *Config) { c.Server = func() Server { return BrokenServer(down) } })
	b.talk("cpu-a", "the otter swims")
	b.sync()
	for range 2 { // it isn't asked the second time
		if a := b.search("otter"); len(a.Hits) != 1 || !errors.Is(a.State.Server, ErrServer) || a.State.String() != "fresh, partial: this machine alone" {
			t.Errorf("%+v, %s", a, a.State)
		}
	}
	if _, err := b.x.Push(t.Context()); !errors.Is(err, down) {
		t.Errorf("a push: %v", err)
	}
	b.withShelf(func(c *Config) { c.Server = func() Server { return nil } })
	if a := b.search("otter"); len(a.Hits) != 1 || a.State.Server != nil {
		t.Errorf("%+v", a)
	}
	if _, err := b.x.Push(t.Context()); !errors.Is(err, ErrServer) {
		t.Errorf("a push without a server: %v", err)
	}
	refused := errors.New("another machine forgot something")
	b.withShelf(func(c *Config) { c.BeforePush = func(context.Context, Server) error { return refused } })
	if _, err := b.x.Push(t.Context()); !errors.Is(err, refused) {
		t.Errorf("%v, want what came before it", err)
	}
}

func TestVectorsArePushedWhereTheyAreMissing(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	s := b.withShelf()
	b.talk("cpu-a", "the hound barks", "the automobile is red", "rain falls")
	if done := b.push(); done.Vectors != 0 || done.Passages != 3 {
		t.Errorf("before they are made: %+v", done)
	}
	b.embedAll()
	for _, want := range []int{3, 0} {
		if done := b.push(); done.Vectors != want || len(s.vectors) != 3 {
			t.Errorf("%+v, %d on the server; want %d put", done, len(s.vectors), want)
		}
	}
	b.say("cpu-a", transcript.KindUser, "bread bakes")
	b.push()
	b.embedAll()
	if done := b.push(); done.Vectors != 1 {
		t.Errorf("%+v, want that of the new message", done)
	}
	f.err = ErrNoModel
	if done := b.push(); done != (Pushed{}) {
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
		go func() { b.x.uploads.run(ctx); close(done) }()
		synctest.Wait()
		if got := s.texts(); len(got) != 0 {
			t.Errorf("%q, and the line is cut", got)
		}
		nudge(b.x.uploads.wake) // it still waits
		time.Sleep(minBackoff)
		synctest.Wait()
		if got := s.texts(); len(got) != 1 {
			t.Errorf("%q, want that it is tried again", got)
		}
		b.say("cpu-a", transcript.KindUser, "and dives")
		b.sync()
		nudge(b.x.uploads.wake)
		synctest.Wait()
		if got := s.texts(); len(got) != 2 {
			t.Errorf("%q, want what is new at once", got)
		}
		b.say("cpu-a", transcript.KindUser, "and sleeps")
		b.sync()
		time.Sleep(pushEvery)
		synctest.Wait()
		if got := s.texts(); len(got) != 3 {
			t.Errorf("%q, want all after a while", got)
		}
		stop()
		<-done
	})
}

func TestAPushWaitsForAFileThatIsReadFirst(t *testing.T) {
	b := newBench(t)
	s := b.withShelf()
	b.talk("cpu-a", "the otter swims", "it does")
	b.sync()
	b.rewrite(b.transcript("cpu-a"), func(s string) string { return strings.ReplaceAll(s, "it does", "it sleeps") })
	if done, err := b.x.Push(t.Context()); err != nil || done != (Pushed{}) || len(s.texts()) != 0 {
		t.Errorf("%+v, %v, %q; want that it is indexed first", done, err, s.texts())
	}
	if done := b.push(); done.Passages != 2 {
		t.Errorf("%+v", done)
	}
	if err := b.x.file.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.x.Push(t.Context()); err == nil {
		t.Error("a closed index was pushed")
	}
}
