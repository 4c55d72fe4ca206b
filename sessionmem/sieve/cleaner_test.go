package sieve_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/summary"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

var said = time.Date(2026, 11, 20, 10, 10, 10, 0, time.UTC)

// file returns a transcript's bytes.
func file(front string, blocks ...transcript.Block) []byte {
	out := []byte(front)
	for i, b := range blocks {
		b.Time = said.Add(time.Duration(i) * time.Minute)
		out = transcript.AppendBlock(out, b)
	}
	return out
}

func user(id, text string) transcript.Block {
	return transcript.Block{ID: id, Kind: transcript.KindUser, Text: text}
}

func assistant(id, text string) transcript.Block {
	return transcript.Block{ID: id, Kind: transcript.KindAssistant, Text: text}
}

func note(kind, text string) transcript.Block {
	return transcript.Block{ID: "n" + kind, Kind: transcript.KindNote, Note: kind, Text: text, By: "small"}
}

func summaryOf(through, text string) transcript.Block {
	return transcript.Block{ID: "s" + through, Kind: transcript.KindSummary, Text: text, Through: through, By: "small"}
}

// traces returns what forgets zebra, wherever it was typed.
func traces(t *testing.T, typed bool, add func(*forgotten.Draft)) *forgotten.Traces {
	t.Helper()
	draft, err := forgotten.NewRecord(t.TempDir(), nil).New(typed, false)
	filetest.Must(t, err)
	if add == nil {
		add = func(d *forgotten.Draft) { d.AddWords("zebra") }
	}
	add(draft)
	return draft.Traces
}

// clean cleans a session's files in two passes, as a forgetting does.
func clean(t *testing.T, c *sieve.Cleaner, files ...[]byte) (out []*transcript.Transcript, found []forgotten.Touched, changed bool) {
	t.Helper()
	for _, data := range files {
		if _, _, err := c.File(data, nil); err != nil {
			t.Fatal(err)
		}
	}
	again := c.Again()
	for _, data := range files {
		var buf bytes.Buffer
		f, ch, err := again.File(data, &buf)
		if err != nil {
			t.Fatal(err)
		}
		if !ch && buf.String() != string(data) {
			t.Errorf("unchanged bytes changed:\n%s", cmp.Diff(string(data), buf.String()))
		}
		tr, err := transcript.Parse(bytes.NewReader(buf.Bytes()))
		filetest.Must(t, err)
		out, found, changed = append(out, tr), append(found, f...), changed || ch
	}
	return out, found, changed
}

func actions(found []forgotten.Touched) (out []string) {
	for _, f := range found {
		out = append(out, f.Place+" "+f.Action)
	}
	return out
}

// What is made from removed text goes with it, or is made again from what is left.
func TestACleanerFollowsRemovedText(t *testing.T) {
	const front = "---\nformat: mac-stats-session/1\nsession: cli-a\ntitle: My striped zebra\n---\n"
	for _, tc := range []struct {
		name  string
		typed bool
		add   func(*forgotten.Draft)
		file  []byte
		want  []string // the texts
		found []string
	}{
		{
			"an answer and a title in the front matter", true, nil,
			file(front, user("u1", "hello"), assistant("a1", "A zebra.\n\nFine.")),
			[]string{"hello", forgotten.Text},
			[]string{"title forgotten", "assistant forgotten"},
		},
		{
			"a Summary that covers it", true, nil,
			file("", user("u1", "Where is the harbour?"), user("u2", "a zebra"), summaryOf("u2", "They spoke of stripes."), user("u3", "And now?"), summaryOf("u3", "After stripes, now.")),
			[]string{"Where is the harbour?", forgotten.Text, "*harbour*", "And now?", "*harbour*"},
			[]string{"user forgotten", "summary rebuilt", "summary rebuilt"},
		},
		{
			"a Summary of nothing else", true, nil,
			file("", user("u1", "a zebra"), summaryOf("u1", "They spoke of stripes.")),
			[]string{forgotten.Text, forgotten.Text},
			[]string{"user forgotten", "summary forgotten"},
		},
		{
			"a Summary behind a reset", true, nil,
			file("", user("u1", "a zebra"), note(transcript.NoteEnded, ""), user("u2", "new"), summaryOf("u2", "Something new.")),
			[]string{forgotten.Text, "", "new", "Something new."},
			[]string{"user forgotten"},
		},
		{
			"a Summary that follows another one", true, nil,
			file("", user("u1", "one"), summaryOf("u1", "Before: the harbour."), user("u2", "a zebra"), user("u3", "more"), summaryOf("u3", "They spoke of stripes.")),
			[]string{"one", "Before: the harbour.", forgotten.Text, "more", "*harbour*"},
			[]string{"user forgotten", "summary rebuilt"},
		},
		{
			"after going back before it", true, nil,
			file("", user("u1", "Where is the harbour?"), user("u2", "The tower?"), assistant("a2", "a zebra"), note(transcript.NoteRewind, "u2"), user("u3", "Next"), summaryOf("u3", "They spoke of stripes.")),
			[]string{"Where is the harbour?", "The tower?", forgotten.Text, "u2", "Next", "*harbour*"},
			[]string{"assistant forgotten", "summary rebuilt"},
		},
		{
			"another version of an answer", true, nil,
			file("", user("u1", "Where is the harbour?"), assistant("a1", "a zebra"), note(transcript.NoteVersion, "a1"), summaryOf("u1", "They spoke of stripes.")),
			[]string{"Where is the harbour?", forgotten.Text, "a1", forgotten.Text},
			[]string{"assistant forgotten", "summary forgotten"},
		},
		{
			"a title that a model wrote", true, nil,
			file("", user("u1", "a zebra"), note(transcript.NoteTitle, "A striped secret")),
			[]string{forgotten.Text, forgotten.Text},
			[]string{"user forgotten", "title forgotten"},
		},
		{
			"a title with the same words", true, nil,
			file("", user("u1", "hello"), note(transcript.NoteTitle, "The zebra")),
			[]string{"hello", forgotten.Text},
			[]string{"title forgotten"},
		},
		{
			"typed elsewhere, which stays", false, nil,
			file("", user("u1", "a zebra"), assistant("a1", "a zebra")),
			[]string{"a zebra", forgotten.Text},
			[]string{"user kept", "assistant forgotten"},
		},
		{
			"a task", true, nil,
			file("", user("u1", "hello"), transcript.Block{ID: "g1", Kind: transcript.KindAgent, Agent: "coder", Model: "m", Task: "find the zebra", Text: "Done."}),
			[]string{"hello", "Done."},
			[]string{"agent forgotten"},
		},
		{
			"a message that quotes it, and its answer", true,
			func(d *forgotten.Draft) { d.AddBlock("cli-b", "b1") },
			file("", transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "hello", Attrs: map[string]string{"recalled": "cli-b/b1/0"}}, transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Text: "So you said.", Attrs: map[string]string{"recalled": "cli-b/b1/0"}}),
			[]string{"hello", "So you said."},
			[]string{"quote removed", "assistant kept"},
		},
		{
			"text without a heading", true, nil,
			[]byte("a zebra by hand\n\n## User · 2026-11-20T10:10:10Z\n\nhello\n"),
			[]string{forgotten.Text, "hello"},
			[]string{"text forgotten"},
		},
		{
			"with a byte order mark and Windows line ends", true, nil,
			[]byte("\ufeff---\r\nformat: mac-stats-session/1\r\ntitle: zebra\r\n---\r\n\r\n## User · 2026-11-20T10:10:10Z\r\n\r\na zebra\r\n\r\n"),
			[]string{forgotten.Text},
			[]string{"title forgotten", "user forgotten"},
		},
		{
			"nothing of it", true, nil,
			file(strings.Replace(front, "zebra", "horse", 1), user("u1", "hello"), summaryOf("u1", "They said hello.")),
			[]string{"hello", "They said hello."},
			nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, found, changed := clean(t, sieve.NewCleaner(traces(t, tc.typed, tc.add), "cli-a"), tc.file)
			var texts []string
			for i, b := range out[0].Blocks {
				if i < len(tc.want) && tc.want[i] == "*harbour*" && strings.Contains(b.Text, "harbour") && b.By == summary.PlainBy && !strings.Contains(b.Text, "tower") {
					b.Text = tc.want[i]
				}
				texts = append(texts, b.Text)
			}
			if diff := cmp.Diff(tc.want, texts); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.found, actions(found)); diff != "" {
				t.Error(diff)
			}
			if changed != slices.ContainsFunc(found, func(f forgotten.Touched) bool { return f.Action != forgotten.Kept }) || strings.Contains(out[0].FrontMatter, "zebra") {
				t.Errorf("changed %v, front matter %q", changed, out[0].FrontMatter)
			}
		})
	}
}

// A message of the first file decides about the titles of all files of the session, and its
// links about attachments.
func TestACleanerOfSeveralFiles(t *testing.T) {
	link := transcript.Attachment{Name: "plan.txt", File: "0123456789abcdef.txt"}
	first := file("---\nformat: mac-stats-session/1\ntitle: Where is it\n---\n", user("u1", transcript.WithLinks("Where is it, the zebra?", link)))
	second := file("---\nformat: mac-stats-session/1\ntitle: Where is it\n---\n", user("u2", "next"))
	c := sieve.NewCleaner(traces(t, true, nil), "cli-a")
	out, found, _ := clean(t, c, first, second)
	if text, goes := c.FirstGoes(); !goes || !strings.Contains(text, "zebra") {
		t.Errorf("the first message goes: %v, %q", goes, text)
	}
	if out[1].Info.Title == "Where is it" || out[0].Info.Title == "Where is it" {
		t.Errorf("titles %q, %q", out[0].Info.Title, out[1].Info.Title)
	}
	if diff := cmp.Diff([]string{"title forgotten", "user forgotten", "title forgotten"}, actions(found)); diff != "" {
		t.Error(diff)
	}
	if lost := c.Lost(); len(transcript.Attachments(string(first))) == 1 && !cmp.Equal(lost, []string{link.File}) {
		t.Errorf("lost %q", lost)
	}
}

// An ID that is derived from removed text would let a guess be tested, so it changes
// wherever it is named.
func TestDerivedIDsOfRemovedTextChange(t *testing.T) {
	data := []byte("## User · 2026-11-20T10:10:10Z\n\nMy zebra\n\n")
	tr, err := transcript.Parse(bytes.NewReader(data))
	filetest.Must(t, err)
	id := tr.Blocks[0].ID
	data = transcript.AppendBlock(data, transcript.Block{ID: "a1", Kind: transcript.KindAssistant, Text: "So.", Parent: id, Time: said})
	data = transcript.AppendBlock(data, transcript.Block{ID: "r1", Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: id, Time: said})
	out, _, _ := clean(t, sieve.NewCleaner(traces(t, true, nil), "cli-a"), data)
	now := out[0].Blocks
	if now[0].ID == id || now[1].Parent != now[0].ID || now[2].Text != now[0].ID {
		t.Errorf("%+v", now)
	}
}

// A transcript from another folder is cleaned after reading it.
func TestTranscriptsFromElsewhereAreCleaned(t *testing.T) {
	root := t.TempDir()
	record := forgotten.NewRecord(root, nil)
	dir := sessiondir.New(filepath.Join(root, transcript.SessionDir), slog.New(slog.DiscardHandler))
	s := sieve.New(dir, "", record)
	read := func(title string, more ...transcript.Block) *transcript.Transcript {
		tr, err := transcript.Parse(bytes.NewReader(file("---\nformat: mac-stats-session/1\nsession: cli-a\ntitle: "+title+"\n---\n",
			append([]transcript.Block{user("u1", "Where is the zebra now?"), assistant("a1", "Here."), summaryOf("a1", "They spoke of stripes.")}, more...)...)))
		filetest.Must(t, err)
		s.Clean(tr)
		return tr
	}
	if tr := read("Where is the zebra"); tr.Blocks[0].Text != "Where is the zebra now?" || tr.Info.Title != "Where is the zebra" {
		t.Errorf("nothing is forgotten yet: %+v", tr)
	}
	draft, err := record.New(true, false)
	filetest.Must(t, err)
	draft.AddWords("zebra")
	filetest.Must(t, record.Begin(draft))
	byHand := note(transcript.NoteTitle, "Holidays")
	byHand.By = ""
	for _, tc := range []struct {
		front string // the title in the front matter
		notes []transcript.Block
		want  string // the title
		left  bool   // the front matter's title stays
	}{
		{"Where is it", nil, forgotten.Text, false},
		{"The zebra", nil, forgotten.Text, false},
		{"Holidays", nil, "Holidays", true},
		{"Holidays", []transcript.Block{note(transcript.NoteTitle, "A striped secret")}, forgotten.Text, true}, // by the small model
		{"Where is it", []transcript.Block{byHand}, "Holidays", false},
	} {
		tr := read(tc.front, tc.notes...)
		want := []string{forgotten.Text, "Here.", forgotten.Text}
		for _, n := range tc.notes {
			if n.Text = "Holidays"; n.By != "" {
				n.Text = forgotten.Text
			}
			want = append(want, n.Text)
		}
		var texts []string
		for _, b := range tr.Blocks {
			texts = append(texts, b.Text)
		}
		if diff := cmp.Diff(want, texts); diff != "" {
			t.Error(diff)
		}
		if tr.Info.Title != tc.want || strings.Contains(tr.FrontMatter, tc.front) != tc.left {
			t.Errorf("%q, %+v: the title is %q, the front matter %q", tc.front, tc.notes, tr.Info.Title, tr.FrontMatter)
		}
	}
}

// A checked file that grew by what the app wrote isn't checked again; any other is.
func TestATranscriptThatTheAppExtendsIsKnown(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	below := filepath.Join(root, transcript.SessionDir)
	filetest.Must(t, os.MkdirAll(below, 0o700))
	path, log := filepath.Join(below, "a.md"), slog.New(slog.DiscardHandler)
	record := forgotten.NewRecord(root, log)
	dir := sessiondir.New(below, log)
	filetest.Must(t, dir.Check())
	t.Cleanup(func() { filetest.Must(t, dir.Close()) })
	asked := 0
	open := func() error {
		f, err := sieve.New(dir, cache, record).Open("a.md", func(string) string { asked++; return "cli-a" })
		if err == nil {
			err = f.Close()
		}
		return err
	}
	grow := func(text string, told bool) {
		before, err := os.Stat(path)
		filetest.Must(t, err)
		filetest.Write(t, path, filetest.Read(t, path)+text)
		after, err := os.Stat(path)
		filetest.Must(t, err)
		if told {
			sieve.New(dir, cache, record).Grew("a.md", before, after)
		}
	}
	filetest.Write(t, path, "## User\n\nhello\n")
	grow("more\n", true) // nothing is forgotten: nothing to know
	draft, err := record.New(true, false)
	filetest.Must(t, err)
	draft.AddWords("zebra seven")
	filetest.Must(t, record.Begin(draft))
	filetest.Must(t, open())
	grow("and more\n", true)
	filetest.Must(t, open())
	if asked != 1 {
		t.Errorf("checked %d times", asked)
	}
	grow("zebra seven\n", false)
	for range 2 {
		if err := open(); !errors.Is(err, sieve.ErrHoldsForgotten) {
			t.Errorf("opened: %v", err)
		}
	}
	if asked != 3 {
		t.Errorf("checked %d times", asked)
	}
	// The list of checked files may be cut short, deleted or too long at any time.
	lists, err := filepath.Glob(filepath.Join(cache, "sifted-*"))
	if err != nil || len(lists) != 1 {
		t.Fatal(lists, err)
	}
	for _, list := range []string{"half a rec", strings.Repeat("x", 1<<20), strings.Repeat("x", 3<<20), ""} {
		filetest.Write(t, lists[0], list)
		filetest.Write(t, path, "## User\n\nhello\n"+list[:min(len(list), 5)])
		filetest.Must(t, open())
		if fi, err := os.Stat(lists[0]); err != nil || fi.Size() > 1<<20 {
			t.Errorf("the list has %d bytes, %v", fi.Size(), err)
		}
	}
	filetest.Must(t, os.Remove(path))
	if err := open(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
