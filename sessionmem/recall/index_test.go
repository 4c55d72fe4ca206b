package recall

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall/corpus"

	"mac-stats/sessionmem/transcript"
)

// bench is a data folder with an index.
type bench struct {
	*testing.T
	root, cache string
	store       *sessionmem.Store
	memory      *memory.Memory
	x           *Index
	now         time.Time
	progress    func(Progress) // may be nil
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{T: t, root: t.TempDir(), cache: t.TempDir(), now: time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)}
	var err error
	if b.store, err = sessionmem.Open(sessionmem.Config{Root: b.root}); err != nil {
		t.Fatal(err)
	}
	b.memory = memory.New(memory.Config{Root: b.root})
	b.x = b.open()
	t.Cleanup(func() {
		if err := errors.Join(b.x.Close(), b.store.Close()); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) open() *Index {
	b.Helper()
	x, err := Open(Config{Root: b.root, CacheDir: b.cache, Store: b.store, Memory: b.memory, Progress: func(p Progress) {
		if b.progress != nil {
			b.progress(p)
		}
	}})
	if err != nil {
		b.Fatal(err)
	}
	return x
}

func (b *bench) say(session string, kind transcript.Kind, text string) transcript.Block {
	b.Helper()
	b.now = b.now.Add(time.Minute)
	block, err := b.store.Append(b.Context(), session, transcript.Block{Kind: kind, Text: text, Time: b.now})
	if err != nil {
		b.Fatal(err)
	}
	return block
}

func (b *bench) talk(session string, texts ...string) []transcript.Block {
	b.Helper()
	var out []transcript.Block
	for i, text := range texts {
		kind := transcript.KindUser
		if i%2 == 1 {
			kind = transcript.KindAssistant
		}
		out = append(out, b.say(session, kind, text))
	}
	return out
}

func (b *bench) sync() Report {
	b.Helper()
	r, err := b.x.Sync(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func (b *bench) search(text string) Answer {
	b.Helper()
	a, err := b.x.Search(b.Context(), Query{Text: text, Now: b.now})
	if err != nil {
		b.Fatal(err)
	}
	return a
}

// first returns the text of the best hit.
func (b *bench) first(text string) string {
	b.Helper()
	a := b.search(text)
	if len(a.Hits) == 0 {
		return ""
	}
	return a.Hits[0].Text
}

func (b *bench) transcript(session string) string {
	b.Helper()
	found, err := filepath.Glob(filepath.Join(b.root, "session", "session-memory-"+session+"-*.md"))
	if err != nil || len(found) != 1 {
		b.Fatalf("%v %v", found, err)
	}
	return found[0]
}

func (b *bench) rewrite(path string, change func(string) string) {
	b.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, []byte(change(string(data))), 0o600); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(tmp, path); err != nil {
		b.Fatal(err)
	}
}

func TestFindsWhatWasSaid(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-k3x9qa", "Why is my fan loud?", "Because kernel_task runs at 80 %.", "And the battery?")
	if a := b.search("fan"); len(a.Hits) != 0 || a.State.Behind != 1 || a.State.String() != "behind by 1 file" {
		t.Fatalf("before a sync: %+v, want nothing and 1 file behind", a)
	}
	if r := b.sync(); r.Added != 3 || r.Changed != 1 || r.Files != 1 {
		t.Fatalf("%+v, want 3 chunks of 1 file", r)
	}
	a := b.search("battery")
	if len(a.Hits) == 0 || a.State.String() != "fresh" {
		t.Fatalf("%+v", a)
	}
	h := a.Hits[0]
	if h.Text != "And the battery?" || h.Turn != 2 || h.Kind != corpus.KindUser || h.Session != "cpu-k3x9qa" || h.Source != "cpu" || !h.Time.Equal(b.now) || h.Score != 1 {
		t.Errorf("%+v", h)
	}
	if want := "session/" + filepath.Base(b.transcript("cpu-k3x9qa")); h.Path != want {
		t.Errorf("path %s, want %s", h.Path, want)
	}
	if c, err := b.x.Chunk(t.Context(), h.ID); err != nil || c.Text != h.Text {
		t.Errorf("Chunk(%s): %+v %v", h.ID, c, err)
	}
	if _, err := b.x.Chunk(t.Context(), "cpu-k3x9qa/none/0"); !errors.Is(err, ErrNoChunk) {
		t.Errorf("%v, want ErrNoChunk", err)
	}
	if all, err := b.x.Chunks(t.Context(), "cpu-k3x9qa"); err != nil || len(all) != 3 || all[1].Text != "Because kernel_task runs at 80 %." {
		t.Errorf("Chunks: %+v %v", all, err)
	}
}

// holds returns the files of the cache folder that contain a word.
func (b *bench) holds(word string) []string {
	b.Helper()
	var out []string
	err := filepath.WalkDir(b.cache, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(word)) {
			out = append(out, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return out
}

func TestErasedWordsAreInNoFile(t *testing.T) {
	b := newBench(t)
	var blocks []transcript.Block
	for i := range 40 {
		blocks = append(blocks, b.talk("cpu-a", fmt.Sprintf("word%d and the %c%czyzzyva", i, 'a'+i%26, 'a'+i/26))...)
	}
	b.talk("cli-b", "the xylophone plays")
	b.sync()
	if len(b.holds("hazyzzyva")) == 0 {
		t.Fatal("the word is in no file before it is erased: this proves nothing")
	}
	id := "cpu-a/" + blocks[7].ID + "/0"
	if err := b.x.Erase(t.Context(), []string{id, "cpu-none/x/0"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := b.holds("hazyzzyva"); len(got) > 0 {
		t.Errorf("an erased word is in %v", got)
	}
	if a := b.search("iazyzzyva"); len(a.Hits) == 0 || a.Hits[0].Text != "word8 and the iazyzzyva" {
		t.Errorf("%+v, want the others to be found", a.Hits)
	}
	if a := b.search("hazyzzyva"); slices.ContainsFunc(a.Hits, func(h Hit) bool { return h.ID == id }) {
		t.Errorf("an erased chunk is found")
	}
	if err := b.x.Erase(t.Context(), nil, []string{"cli-b"}, nil); err != nil {
		t.Fatal(err)
	}
	if got := b.holds("xylophon"); len(got) > 0 {
		t.Errorf("a word of an erased session is in %v", got)
	}
	if got := b.holds("cli-b"); len(got) > 0 {
		t.Errorf("the name of an erased session is in %v", got)
	}
	b.reopened2("iazyzzyva")
}

// reopened2 reopens the index: it must still answer.
func (b *bench) reopened2(query string) {
	b.Helper()
	if err := b.x.Close(); err != nil {
		b.Fatal(err)
	}
	b.x = b.open()
	if a := b.search(query); len(a.Hits) == 0 {
		b.Errorf("opened anew, %q is not found", query)
	}
}
