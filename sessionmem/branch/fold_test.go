package branch_test

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// folded is a session as it is followed block by block.
type folded struct {
	x      branch.Index
	f      branch.Fold
	ids    []string // by number
	blocks []transcript.Block
	size   int64 // of each block in bytes
}

func fold(blocks ...transcript.Block) *folded {
	s := &folded{x: branch.NewIndex(maphash.MakeSeed()), size: 100}
	s.add(blocks...)
	return s
}

func (s *folded) add(blocks ...transcript.Block) {
	for _, b := range blocks {
		number := s.x.Identify(&b, func() string { return transcript.DeriveID(b.Kind, b.Text) })
		s.f.Add(&s.x, s.x.Add(b, int64(len(s.ids))*s.size, number), b, b.Checksum())
		s.ids, s.blocks = append(s.ids, b.ID), append(s.blocks, b)
	}
}

// on returns the IDs of the branch.
func (s *folded) on(from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, s.ids[s.f.Block(i)])
	}
	return out
}

func block(kind transcript.Kind, id string) transcript.Block {
	return transcript.Block{Kind: kind, ID: id, Text: "text of " + id}
}

func note(word, text string) transcript.Block {
	return transcript.Block{Kind: transcript.KindNote, Note: word, Text: text}
}

func summary(id, through string) transcript.Block {
	return transcript.Block{Kind: transcript.KindSummary, ID: id, Through: through, Text: "so far"}
}

// messages returns u1, a2, u3 and so on.
func messages(n int) []transcript.Block {
	var out []transcript.Block
	for i := range n {
		out = append(out, block([]transcript.Kind{transcript.KindUser, transcript.KindAssistant}[i%2], fmt.Sprintf("%c%d", "ua"[i%2], i+1)))
	}
	return out
}

// Whatever happens in a session, the branch that is followed block by block is the one that
// the whole transcript has since its last reset.
func TestFollowedBranchIsThatOfTheTranscript(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := fold()
		var left []string // messages that were on the branch at some time since the reset
		for i := range 60 {
			on := slices.DeleteFunc(s.on(0, s.f.Len()), func(id string) bool { return id[0] != 'b' }) // the messages
			id := fmt.Sprint("b", i)
			pick := func(of []string) string { return append(of, "none")[r.IntN(len(of)+1)] }
			switch r.IntN(12) {
			case 0:
				s.add(note(transcript.NoteRewind, pick(on)))
			case 1:
				s.add(note(transcript.NoteVersion, pick(left)))
			case 2:
				s.add(transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteEdited, Parent: pick(on), Text: "new"})
			case 3:
				gone := pick(append(on, left...)) // perhaps on a branch that was left
				s.add(transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteDeleted, Parent: gone})
				left = slices.DeleteFunc(left, func(id string) bool { return id == gone })
			case 4:
				s.add(block(transcript.KindTool, "t"+id))
			case 5:
				if r.IntN(3) == 0 {
					s.add(note(transcript.NoteEnded, ""))
					left = nil
				}
			default:
				s.add(block([]transcript.Kind{transcript.KindUser, transcript.KindAssistant}[r.IntN(2)], id))
				left = append(left, id)
			}
			tr := transcript.Transcript{Blocks: s.blocks}
			var want []string
			for _, b := range tr.Branch() {
				switch {
				case b.Note == transcript.NoteEnded:
					want = nil
				case b.IsMessage():
					want = append(want, b.ID)
				}
			}
			var got []string
			for k := range s.f.Len() {
				if n := s.f.Block(k); s.x.IsMessage(n) {
					got = append(got, s.ids[n])
				}
			}
			if !slices.Equal(got, want) || s.f.Messages(&s.x) != len(want) {
				t.Fatalf("seed %d: after %+v the branch is %v with %d messages, want %v", seed, s.blocks[len(s.blocks)-1], got, s.f.Messages(&s.x), want)
			}
		}
	}
}

// A Summary stands for the messages up to the one it goes through.
func TestWhatASummaryCovers(t *testing.T) {
	for name, c := range map[string]struct {
		after []transcript.Block // after u1, a2, u3, a4
		rest  string             // what the context holds beside the Summary
		since int
		end   string // what was summarised
	}{
		"none":                                {nil, "u1 a2 u3 a4", 4, ""},
		"all":                                 {[]transcript.Block{summary("s1", "a4"), block("user", "u5")}, "s1 u5", 1, "u1 a2 u3 a4"},
		"not the last messages":               {[]transcript.Block{summary("s1", "a2"), block("user", "u5")}, "u3 a4 s1 u5", 1, "u1 a2"},
		"none of them":                        {[]transcript.Block{summary("s1", branch.ThroughNone), block("user", "u5")}, "u1 a2 u3 a4 s1 u5", 1, "u1 a2 u3 a4"},
		"what is gone":                        {[]transcript.Block{summary("s1", "gone"), block("user", "u5")}, "u5", 1, "u1 a2 u3 a4"},
		"another Summary":                     {[]transcript.Block{summary("s1", "a2"), block("user", "u5"), summary("s2", "a4")}, "s1 u5 s2", 0, "u1 a2 u3 a4"},
		"once more what another covers":       {[]transcript.Block{summary("s1", "a2"), block("user", "u5"), {Kind: "summary", ID: "s2", Through: "a2", Attrs: map[string]string{transcript.AttrAgain: "s1"}}}, "u3 a4 s1 u5 s2", 1, "u1 a2"},
		"once more what nothing covers":       {[]transcript.Block{{Kind: "summary", ID: "s2", Through: "a2", Attrs: map[string]string{transcript.AttrAgain: "s1"}}, block("user", "u5")}, "u3 a4 s2 u5", 1, "u1 a2"},
		"what a rewind cut":                   {[]transcript.Block{summary("s1", "a2"), note("rewind", "u3"), block("user", "u5")}, "u1 a2 u5", 3, ""},
		"what came back":                      {[]transcript.Block{summary("s1", "a2"), note("rewind", "u3"), block("user", "u5"), note("version", "u3")}, "u3 a4 s1", 0, "u1 a2"},
		"what came back corrected":            {[]transcript.Block{summary("s1", "a2"), note("rewind", "u3"), {Kind: "note", Note: "edited", Parent: "u1", Text: "x"}, note("version", "u3")}, "u1 a2 u3 a4", 4, ""},
		"what came back and is deleted":       {[]transcript.Block{note("rewind", "u3"), {Kind: "note", Note: "deleted", Parent: "u3"}, note("version", "a4")}, "u1 a2 a4", 3, ""},
		"messages that a person changed":      {[]transcript.Block{summary("s1", "a2").WithFingerprint(transcript.Fingerprint{Messages: 2})}, "u1 a2 u3 a4", 4, ""},
		"a message that was deleted since":    {[]transcript.Block{summary("s1", "a2"), {Kind: "note", Note: "deleted", Parent: "u1"}}, "a2 u3 a4", 3, ""},
		"a message behind it deleted":         {[]transcript.Block{summary("s1", "a2"), {Kind: "note", Note: "deleted", Parent: "u3"}}, "a4 s1", 0, "u1 a2"},
		"what a reset ended":                  {[]transcript.Block{summary("s1", "a2"), note("ended", ""), block("user", "u5")}, "u5", 1, ""},
		"settings, a title and other remarks": {[]transcript.Block{note("settings", "model: m"), note("title", "T"), note("error", "boom")}, "u1 a2 u3 a4", 4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := fold(append(messages(4), c.after...)...)
			_, from := s.f.LastSummary(&s.x)
			if diff := cmp.Diff(c.rest, strings.Join(s.on(from, s.f.Len()), " ")); diff != "" {
				t.Error(diff)
			}
			if got := s.f.SinceSummary(&s.x, s.f.Len()); got != c.since {
				t.Errorf("%d messages since", got)
			}
			before, at, end, ok := s.f.BeforeSummary(&s.x)
			if got := strings.Join(s.on(0, end), " "); got != c.end || ok != (c.end != "") {
				t.Errorf("it summarised %q, %v", got, ok)
			}
			if last, _ := before.LastSummary(&s.x); ok && last >= at {
				t.Errorf("before the Summary at %d the last is at %d", at, last)
			}
		})
	}
}

// A Summary is made from messages that may change meanwhile.
func TestMessagesChangedSinceAFingerprint(t *testing.T) {
	s := fold(messages(4)...)
	then := s.f.Fingerprint(&s.x, 2)
	if then.Messages != 2 || s.f.Fingerprint(&s.x, 4).Messages != 4 || !s.f.Unchanged(then) {
		t.Errorf("then %s, now %s", then, s.f.Fingerprint(&s.x, 4))
	}
	s.add(note(transcript.NoteRewind, "u3"), block(transcript.KindUser, "u5"))
	if got := s.f.Fingerprint(&s.x, 3); got.Messages != 5 || !s.f.Unchanged(then) { // messages on any branch
		t.Errorf("after a rewind %s", got)
	}
	s.add(note(transcript.NoteEnded, ""))
	if s.f.Unchanged(then) {
		t.Error("nothing changed in spite of a reset")
	}
}

// The results of tools on the branch are known by their sources, those of older versions by the
// tool's name.
func TestToolsOnTheBranch(t *testing.T) {
	tool := func(id, name string) transcript.Block {
		return transcript.Block{Kind: transcript.KindTool, ID: id, Agent: name, Text: "x"}
	}
	found := tool("t4", transcript.ToolMemorySearch).WithRecalled([]transcript.Quotation{{Chunk: "discord-1/a/0", Sources: transcript.FromDiscord}})
	s := fold(block(transcript.KindUser, "u1"), tool("t1", "FETCH_URL").WithSources(transcript.FromPage), tool("t2", "SYSTEM_STATS"), tool("t3", "SYSTEM_STATS"), found,
		transcript.Block{Kind: transcript.KindAgent, ID: "g1", Task: "do"}, transcript.Block{Kind: transcript.KindAgent, ID: "g2"}, found.WithSources(transcript.FromFile))
	sources, names := s.f.Tools(0, s.f.Len())
	if diff := cmp.Diff([]string{"SYSTEM_STATS", branch.StrangersSearch, branch.Subcall}, names); diff != "" || sources != transcript.FromPage|transcript.FromFile|transcript.FromDiscord {
		t.Errorf("%s: %s", sources, diff)
	}
	before := s.f.Clone()
	s.add(transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteDeleted, Parent: "t1"}, note(transcript.NoteRewind, "t2"), block(transcript.KindUser, "u2"))
	if sources, names := s.f.Tools(0, s.f.Len()); sources != 0 || names != nil {
		t.Errorf("gone from the branch: %s, %v", sources, names)
	}
	s.add(note(transcript.NoteVersion, "t3"))
	if sources, names := s.f.Tools(0, 2); sources != 0 || !slices.Equal(names, []string{"SYSTEM_STATS"}) || s.f.Len() != 7 {
		t.Errorf("back on the branch: %s, %v", sources, names)
	}
	if sources, names := before.Tools(1, 2); sources != transcript.FromPage || names != nil || before.Len() != 8 || !before.Has(&s.x, "t1") || s.f.Has(&s.x, "t1") {
		t.Errorf("a copy changed: %s, %v", sources, names)
	}
}

func TestNotesAboutTheSession(t *testing.T) {
	s := fold(append(messages(2), note(transcript.NoteSettings, "model: a"), note(transcript.NoteTitle, "T"))...)
	s.add(transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteEdited, Parent: "u1", Text: "new"})
	if n, ok := s.f.Edit(0); !ok || n != 4 || s.f.Corrections() != 1 {
		t.Errorf("its text is in block %d, %v", n, ok)
	}
	s.add(note(transcript.NoteEnded, ""), note(transcript.NoteRewind, "u1"))
	if _, ok := s.f.Edit(0); ok || s.f.Len() != 0 || s.f.Settings().Model != "a" || !s.f.Titled() {
		t.Errorf("after a reset %+v, titled %v", s.f.Settings(), s.f.Titled())
	}
	if s.f.IsLeft(&s.x, "u1") || s.f.IsLeft(&s.x, "none") {
		t.Error("one can return to before a reset")
	}
}

// A context never holds more than any model gets.
func TestWindowIsLimited(t *testing.T) {
	s := fold(messages(branch.MaxMessages + 1)...)
	kept, omitted := s.f.Window(&s.x, 0, s.f.Len(), int64(len(s.ids))*s.size)
	if len(kept) != branch.MaxMessages/2 || omitted != branch.MaxMessages/2+1 || kept[len(kept)-1] != branch.MaxMessages {
		t.Errorf("%d messages are kept, %d left out", len(kept), omitted)
	}
	s = fold()
	s.size = 3 << 20
	s.add(messages(6)...)
	kept, omitted = s.f.Window(&s.x, 0, 6, 6*s.size)
	if diff := cmp.Diff([]int{4, 5}, kept); diff != "" || omitted != 4 {
		t.Errorf("%d are left out: %s", omitted, diff)
	}
	if kept, omitted := s.f.Window(&s.x, 0, 1, 100<<20); len(kept) != 1 || omitted != 0 {
		t.Errorf("one large message: %v, %d", kept, omitted)
	}
}

// The index finds each block by its ID, also those to which the file gives none.
func TestIndexOfManyBlocks(t *testing.T) {
	s := fold()
	for i := range 500 {
		s.add(transcript.Block{Kind: transcript.KindUser, Text: []string{"yes", fmt.Sprint("text ", i)}[i%2]})
		s.add(block(transcript.KindNote, fmt.Sprint("own", i)))
	}
	check := func(n int) {
		t.Helper()
		if s.x.Len() != n {
			t.Fatalf("%d blocks", s.x.Len())
		}
		hash := s.x.Hasher()
		for i := range n {
			id, k := s.ids[i], uint32(i)
			found, ok := s.x.Find(hash(id))
			base := transcript.DeriveID(s.blocks[i].Kind, s.blocks[i].Text)
			if !ok || found != k || s.x.ID(k) != hash(id) || s.x.IsDerived(k) != (i%2 == 0) || s.x.IsDerived(k) && s.x.DerivedID(k, base) != id || s.x.IsMessage(k) != (i%2 == 0) {
				t.Fatalf("block %d: %s is found as %d, %v", i, id, found, ok)
			}
			if end := s.x.End(k, 1<<30); s.x.Offset(k) != int64(i)*100 || end != int64(i+1)*100 && i < n-1 || i == n-1 && end != 1<<30 {
				t.Fatalf("block %d: from %d to %d", i, s.x.Offset(k), end)
			}
		}
	}
	check(1000)
	s.x.Truncate(301)
	check(301)
	if s.x.Has(s.ids[301]) || s.x.Has("none") {
		t.Error("it finds what isn't there")
	}
	s.x.Reset()
	if s.x.Len() != 0 || s.x.Has(s.ids[0]) {
		t.Error("blocks are left")
	}
}

// given a reset while an answer is written, then what belongs to the earlier message stays before
// the reset, whatever its place in the file
func TestAnAnswerBehindItsReset(t *testing.T) {
	late := func(kind transcript.Kind, id, parent string) transcript.Block {
		b := block(kind, id)
		b.Parent = parent
		return b
	}
	s := fold(block(transcript.KindUser, "u1"), note(transcript.NoteEnded, ""),
		late(transcript.KindTool, "t1", "u1"), block(transcript.KindUser, "u2"), late(transcript.KindAssistant, "a1", "u1"),
		late(transcript.KindAssistant, "a2", "u2"), late(transcript.KindAssistant, "a3", "cut out by hand"))
	if got := s.on(0, s.f.Len()); !slices.Equal(got, []string{"u2", "a2", "a3"}) {
		t.Errorf("the branch is %v", got)
	}
}
