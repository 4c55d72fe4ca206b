package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
)

func TestLongTextsAreSplitWhereTheyPause(t *testing.T) {
	sentence := "The otters of the river sleep by day and hunt at night. "
	for what, c := range map[string]struct {
		text string
		ends string // of every part but the last
		n    int
	}{
		"nothing":             {" \n\n ", "", 0},
		"a short one":         {"\n the otter swims \n\n", "", 1},
		"at paragraphs":       {strings.Repeat(strings.Repeat(sentence, 5)+"\nend of it\n\n", 4), "end of it", 2},
		"else at lines":       {strings.Repeat(strings.Repeat(sentence, 5)+"end of line\n", 4), "end of line", 2},
		"else at sentences":   {strings.Repeat(sentence, 40), "night.", 3},
		"else at blanks":      {strings.Repeat("otter ", 300), "otter", 3},
		"else between any":    {strings.Repeat("ö", 1000), "ö", 2},
		"in characters":       {strings.Repeat("я", 800), "", 1},
		"at 。":                {strings.Repeat("猫は昼に眠り、夜に狩りをする。", 80), "。", 2},
		"at ؟":                {strings.Repeat("أين القط الآن؟ ", 100), "؟", 2},
		"at !":                {strings.Repeat("What an otter! ", 90), "otter!", 2},
		"a heading stays":     {"# One\n\n" + strings.Repeat("otter ", 200), "otter", 2}, // it isn't a part of its own
		"of the longest part": {strings.Repeat("x", maxPart), "", 1},
	} {
		parts := Parts(c.text)
		if len(parts) != c.n {
			t.Errorf("%s: %d parts, want %d", what, len(parts), c.n)
		}
		for i, p := range parts {
			if utf8.RuneCountInString(p) > maxPart || p == "" || p != strings.TrimSpace(p) || !utf8.ValidString(p) || i < len(parts)-1 && !strings.HasSuffix(p, c.ends) {
				t.Errorf("%s: part %d is %q", what, i, p)
			}
		}
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := bare(strings.Join(parts, "")), bare(c.text); got != want {
			t.Errorf("%s: together %q, want %q", what, got, want)
		}
	}
	for text, want := range map[string]string{"otter": "otter", "the otter swims well": "the otter ", "öööööööööööö": "öööööö"} {
		if got := Cut(text, 13); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBlocksBecomePiecesOfTheirStrand(t *testing.T) {
	c := Chunker{Session: "cpu-a", Source: "cpu"}
	at := time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)
	long := strings.Repeat("otter ", 300)
	var got []string
	for i, b := range []transcript.Block{
		{Kind: transcript.KindUser, Text: "the otter swims"},
		{Kind: transcript.KindNote, Text: "a note"},
		{Kind: transcript.KindTool, Agent: "FETCH_URL", Text: "a page"},
		{Kind: transcript.KindTool, Agent: searchTool, Text: "what is found already"},
		{Kind: transcript.KindAssistant, Text: long},
		{Kind: transcript.KindUser, Text: "[forgotten]"},
		{Kind: transcript.KindUser, Text: ""},
		{Kind: transcript.KindAgent, Agent: "coder", Text: "its work"},
		{Kind: transcript.KindSummary, Text: "what was said"},
		{Kind: transcript.KindUser, Text: "see ![[notes.txt]]"},
	} {
		b.ID, b.Time = string(rune('a'+i)), at
		for _, p := range c.Pieces(b, places.Place{File: "a.md", Offset: int64(i), Size: 9}) {
			words := []string{p.ID, string(p.Kind), []string{"talk", "work"}[p.Strand], string(rune('0' + p.Seq)), string(rune('0' + p.Turn + 1))}
			if p.Empty {
				words = append(words, "empty")
			}
			if p.Untrusted {
				words = append(words, "untrusted")
			}
			got = append(got, strings.Join(words, " "))
			if p.Path != "session/a.md" || p.Source != "cpu" || p.Agent != b.Agent || !p.Time.Equal(at) || p.Place.Offset != int64(i) || p.Place.Hash != index.Hash(p.Text) {
				t.Errorf("%+v", p)
			}
		}
	}
	want := []string{
		"cpu-a/a/0 user talk 0 1", "cpu-a/c/0 tool work 0 0 untrusted", "cpu-a/e/0 assistant talk 1 2 untrusted", "cpu-a/e/1 assistant talk 2 2 untrusted", "cpu-a/e/2 assistant talk 3 2 untrusted",
		"cpu-a/f/0 user talk 4 3 empty", "cpu-a/g/0 user talk 5 4 empty", "cpu-a/h/0 agent work 1 0 untrusted", "cpu-a/i/0 summary work 2 0 untrusted", "cpu-a/j/0 user talk 6 5",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// folder is a data folder with what can be searched in it.
type folder struct {
	*testing.T
	*Corpus
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	root := t.TempDir()
	return &folder{t, &Corpus{Root: root, Store: storetest.Open(t, root), Memory: memory.New(memory.Config{Root: root})}}
}

func (f *folder) say(session string, b transcript.Block) transcript.Block {
	f.Helper()
	return storetest.Append(f, f.Store, session, b)
}

func (f *folder) remember(text string) {
	f.Helper()
	dir := filepath.Join(f.Root, "agents")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "memory.md"), []byte(text), 0o600)); err != nil {
		f.Fatal(err)
	}
}

func (f *folder) file() string { return storetest.OnlyFile(f, f.Root) }

func (f *folder) edit(old, now string) {
	f.Helper()
	data, err := os.ReadFile(f.file())
	if err == nil {
		err = os.WriteFile(f.file(), []byte(strings.Replace(string(data), old, now, 1)), 0o600)
	}
	if err != nil {
		f.Fatal(err)
	}
}

// sources returns the keys of all sources.
func (f *folder) sources() (keys []string) {
	f.Helper()
	all, err := f.Sources(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range all {
		keys = append(keys, s.Key)
	}
	return keys
}

func TestSourcesAreWhatMayBeSearched(t *testing.T) {
	f := newFolder(t)
	if got := f.sources(); len(got) != 0 {
		t.Errorf("%q in an empty folder", got)
	}
	f.say("cpu-a", storetest.User("the otter swims"))
	name := filepath.Base(f.file())
	f.Store.SetPrivate("cpu-p")
	f.say("cpu-p", storetest.User("nobody may find this"))
	f.remember("- likes quolls\n")
	want := []string{"session/" + name, "agents/memory.md"}
	if d := cmp.Diff(want, f.sources()); d != "" {
		t.Error(d)
	}
	archive := filepath.Join(f.Root, "session", "archive", "2026-05")
	if err := errors.Join(os.MkdirAll(archive, 0o700), os.Rename(f.file(), filepath.Join(archive, name))); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, f.sources()); d != "" {
		t.Errorf("in the archive: %s", d)
	}
	all, err := f.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s := all[0]; s.Session != "cpu-a" || s.From != "cpu" || len(s.Files) != 1 || Names(s.Files)[0] != "archive/2026-05/"+name || s.Changed() != s.Files[0].Changed || s.Changed() == 0 {
		t.Errorf("%+v", s)
	}
	copied, err := os.ReadFile(filepath.Join(archive, name))
	if err == nil {
		err = os.WriteFile(filepath.Join(f.Root, "session", strings.Replace(name, ".md", " copy.md", 1)), copied, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := f.sources(); len(got) != 2 {
		t.Errorf("%q, want that a copy is no source", got)
	}
	f.Memory = nil
	if got := f.sources(); len(got) != 1 {
		t.Errorf("%q without memory files", got)
	}
	before, after := MemoryState("agents/memory.md", memory.File{Text: "- one\n"}), MemoryState("agents/memory.md", memory.File{Text: "- two\n"})
	if before == after {
		t.Error("a change of a memory file that keeps its length and time isn't seen")
	}
}

// indexed returns what an index would keep of all sources, by text.
func (f *folder) indexed() map[string]func() (Chunk, Place) {
	f.Helper()
	all, err := f.Sources(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	out := map[string]func() (Chunk, Place){}
	for _, s := range all {
		take := func(p Piece, file int) {
			d := p.Passage(file)
			d.Hash = index.Hash(d.Text)
			of := &index.Source{Name: s.Name, Files: Names(s.Files), Stamp: s.Stamp()}
			out[p.Text] = func() (Chunk, Place) { return ChunkOf(&d, of) }
			if c, at := ChunkOf(&d, of); c.ID != p.ID || c.Path != p.Path || c.Kind != p.Kind || c.Turn != p.Turn || !c.Time.Equal(p.Time) || at.Hash != p.Place.Hash {
				f.Errorf("%+v, want that of %+v", c, p)
			}
		}
		if s.Session == "" {
			m, err := f.Memory.Load(s.Memory)
			if err != nil {
				f.Fatal(err)
			}
			for _, p := range MemoryPieces(s.Key, m) {
				take(p, 0)
			}
			continue
		}
		c, names := Chunker{Session: s.Session, Source: s.From}, Names(s.Files)
		if _, err := f.Store.Places().Each(f.Context(), names, func(b transcript.Block, p places.Place) error {
			for _, piece := range c.Pieces(b, p) {
				take(piece, slices.Index(names, p.File))
			}
			return nil
		}); err != nil {
			f.Fatal(err)
		}
	}
	return out
}

func TestATextIsReadOnlyIfItsFileStillHoldsIt(t *testing.T) {
	f := newFolder(t)
	long := strings.Repeat("otter ", 200) + "ends"
	answer := []string{strings.TrimSpace(long[:798]), long[798:]}
	f.say("cpu-a", storetest.User("the heron stands"))
	f.say("cpu-a", storetest.Assistant(long))
	f.say("cpu-a", transcript.Block{Kind: transcript.KindTool, Agent: "FETCH_URL", Text: "a page"})
	var told transcript.Fingerprints
	if err := f.Store.Each(t.Context(), "cpu-a", nil, func(b transcript.Block) error { told.Follow(b); return nil }); err != nil {
		t.Fatal(err)
	}
	f.say("cpu-a", transcript.Block{Kind: transcript.KindSummary, Text: "they spoke of herons"}.WithFingerprint(told.First(2)))
	f.remember("- likes quolls <!-- 2026-05-01 cpu-a -->\n- likes quolls\n- raids are fun <!-- 2026-05-01 discord-7 -->\n")
	texts := f.indexed()
	reads := func(what string, gone ...string) {
		t.Helper()
		for _, fresh := range []bool{false, true} {
			r := f.Texts()
			for want, of := range texts {
				if fresh { // not what was read before
					r.Close()
					r = f.Texts()
				}
				c, at := of()
				got, err := r.Read(t.Context(), c, at)
				if slices.Contains(gone, want) {
					if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, catalog.ErrNotFound) {
						t.Errorf("%s: %.20q, %v of %.20q, want that it is gone", what, got, err, want)
					}
				} else if err != nil || got != want || r.Sources.Typed() != (want == "likes quolls" || want == "the heron stands") {
					t.Errorf("%s: %.20q from %v, %v, want %.20q", what, got, r.Sources, err, want)
				}
			}
			r.Close()
		}
	}
	if d := cmp.Diff(answer, Parts(long)); d != "" || len(texts) != 7 {
		t.Fatal(len(texts), d)
	}
	reads("as it was indexed")
	f.say("cpu-a", storetest.User("and more"))
	reads("when it grew")
	f.edit("## ", "## User · 2026-05-03T10:00:00Z\n<!-- id=before22 -->\n\nthe lynx sleeps\n\n## ")
	summary := "they spoke of herons"
	reads("when all moved", summary) // it was made of the first messages
	f.edit("lynx sleeps", "lynx walks")
	f.edit("otter ends", "otter begins")
	reads("when a part was edited", answer[1], summary)
	f.remember("- hates wombats\n- raids are fun <!-- 2026-05-01 discord-7 -->\n")
	reads("when a memory was removed", answer[1], summary, "likes quolls")
	if err := errors.Join(os.Remove(f.file()), os.Remove(filepath.Join(f.Root, "agents", "memory.md"))); err != nil {
		t.Fatal(err)
	}
	reads("when all is gone", append(answer, summary, "likes quolls", "raids are fun", "the heron stands", "a page")...)
	f.Memory = nil
	reads("without memory files", append(answer, summary, "likes quolls", "raids are fun", "the heron stands", "a page")...)
}

// A changed session is read once for all of its hits.
func TestManyTextsOfAChangedSessionCostOneReading(t *testing.T) {
	f := newFolder(t)
	for i := range 100 {
		f.say("cpu-a", storetest.User(fmt.Sprint("message ", i)))
	}
	f.remember("- none\n")
	texts := f.indexed()
	f.edit("message 0\n", "an edited message\n") // all others move
	read := func(n int) float64 {
		return testing.AllocsPerRun(1, func() {
			r := f.Texts()
			defer r.Close()
			for i := range n {
				c, at := texts[fmt.Sprint("message ", 99-i)]()
				if got, err := r.Read(t.Context(), c, at); err != nil || got != fmt.Sprint("message ", 99-i) {
					t.Fatal(got, err)
				}
			}
		})
	}
	if one, many := read(1), read(40); many > 3*one {
		t.Errorf("forty texts take %v allocations, one takes %v", many, one)
	}
}

func TestSameLinesOfMemoryHaveIDsOfTheirOwn(t *testing.T) {
	day := time.Date(2026, 5, 3, 10, 0, 0, 5, time.Local)
	pieces := MemoryPieces("agents/memory.md", memory.File{Text: "- likes quolls\n- likes quolls <!-- 2026-05-01 cpu-a -->\n- [forgotten]\n", ModTime: day})
	if len(pieces) != 3 || pieces[0].ID+"-2" != pieces[1].ID || pieces[0].Seq != 0 || pieces[2].Seq != 2 || !pieces[2].Empty || pieces[0].Empty {
		t.Fatalf("%+v", pieces)
	}
	if want := day.Truncate(time.Second); !pieces[0].Time.Equal(want) {
		t.Errorf("a line without a day was learned %v, want %v", pieces[0].Time, want)
	}
	if want := time.Date(2026, 5, 1, 0, 0, 0, 0, time.Local); !pieces[1].Time.Equal(want) {
		t.Errorf("learned %v, want %v", pieces[1].Time, want)
	}
}

// tombs are forgotten texts of a session; "" is memory.
type tombs struct{ session, text string }

func (d tombs) HasIn(session, text string) bool { return d == tombs{session, text} }
func (d tombs) HasBlock(session string, b transcript.Block) bool {
	return d == tombs{session, b.Text} && b.ID == "x" && b.Kind == transcript.KindUser
}

func TestForgottenChunksAreKnown(t *testing.T) {
	said, learned := Chunk{Session: "cpu-a", Block: "x", Kind: KindUser, Text: "the otter"}, Chunk{Kind: KindMemory, Text: "the otter"}
	for _, c := range []struct {
		what          string
		all           func() Tombstones
		said, learned bool
	}{
		{"no record", nil, false, false},
		{"no tombstones", func() Tombstones { return nil }, false, false},
		{"in the session", func() Tombstones { return tombs{"cpu-a", "the otter"} }, true, false},
		{"in memory", func() Tombstones { return tombs{"", "the otter"} }, false, true},
		{"elsewhere", func() Tombstones { return tombs{"cpu-b", "the otter"} }, false, false},
	} {
		x := Corpus{Forgotten: c.all}
		if x.IsForgotten(&said) != c.said || x.IsForgotten(&learned) != c.learned {
			t.Errorf("%s: %v and %v, want %v and %v", c.what, x.IsForgotten(&said), x.IsForgotten(&learned), c.said, c.learned)
		}
	}
}
