package forgotten

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// recorded records a forgetting with these traces and returns the record.
func recorded(t testing.TB, typed bool, add func(*Draft)) (*Record, *Traces) {
	t.Helper()
	f := NewRecord(t.TempDir(), nil)
	draft, err := f.New(typed, false)
	must(t, err)
	add(draft)
	must(t, f.Begin(draft))
	return f, draft.Traces
}

// A block loses what matches in its text and beside it, and nothing else.
func TestCleaningABlock(t *testing.T) {
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	words := func(d *Draft) { d.AddWords("blue whale") }
	block := func(d *Draft) { d.AddBlock("cli-a", "b1") }
	author := func(d *Draft) { d.AddAuthor("4711") }
	part := func(d *Draft) { d.AddPart("cli-a", "b1", "blue whale") }
	for _, tc := range []struct {
		name  string
		typed bool
		add   func(*Draft)
		in    transcript.Block
		want  transcript.Block // zero: unchanged
		whole bool
	}{
		{name: "one of its paragraphs", typed: true, add: words, in: transcript.Block{Kind: transcript.KindUser, Time: past, Text: "One.\n\nThe blue whale.\n\nThe blue\nwhale.\n\nLast."}, want: transcript.Block{Text: Text}},
		{name: "its code", typed: true, add: words, in: transcript.Block{Kind: transcript.KindAssistant, Time: past, Text: "See:\n```\na\n\nblue whale\n```\nEnd.\n\nLast."}, want: transcript.Block{Text: Text}},
		{name: "typed later", typed: true, add: words, in: transcript.Block{Kind: transcript.KindUser, Time: future, Text: "The blue whale."}},
		{name: "typed elsewhere, which stays", add: words, in: transcript.Block{Kind: transcript.KindUser, Time: past, Text: "The blue whale."}},
		{name: "typed in the part that was chosen", add: part, in: transcript.Block{ID: "b1", Kind: transcript.KindUser, Time: past, Text: "The blue whale."}, want: transcript.Block{Text: Text}},
		{name: "an answer that repeats it", add: words, in: transcript.Block{Kind: transcript.KindAssistant, Time: past, Text: "The blue whale."}, want: transcript.Block{Text: Text}},
		{name: "its task", add: words, in: transcript.Block{Kind: transcript.KindAgent, Time: past, Text: "Done.", Task: "find the blue whale"}, want: transcript.Block{Text: "Done.", Task: Text}},
		{name: "a line of its context", add: words, in: transcript.Block{Kind: transcript.KindUser, Time: past, Text: "Hi", Context: "Time: now\nTitle: blue whale"}, want: transcript.Block{Text: "Hi", Context: "Time: now\n" + Text}},
		{name: "two lines of its context", add: words, in: transcript.Block{Kind: transcript.KindUser, Time: past, Text: "Hi", Context: "Title: blue\nwhale"}, want: transcript.Block{Text: "Hi", Context: Text}},
		{name: "an attribute", add: words, in: transcript.Block{Kind: transcript.KindUser, Time: past, Text: "Hi", Attrs: map[string]string{"name": "Blue Whale", "block": "blue whale", "x": "y"}}, want: transcript.Block{Text: "Hi", Attrs: map[string]string{"name": Text, "block": "blue whale", "x": "y"}}},
		{name: "the place to go back to", add: func(d *Draft) { d.AddWords("b1 b2") }, in: transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Time: past, Text: "b1 b2"}},
		{name: "a whole block", add: block, whole: true, in: transcript.Block{ID: "b1", Kind: transcript.KindUser, Time: future, Text: "Anything", Task: "task", Context: "Time: now", Attrs: map[string]string{"files": "a.txt", "x": "y"}}, want: transcript.Block{Text: Text, Task: Text, Attrs: map[string]string{"x": "y"}}},
		{name: "a whole block without a text", add: block, whole: true, in: transcript.Block{ID: "b1", Kind: transcript.KindUser, Time: past}},
		{name: "a note that controls the session", add: block, whole: true, in: transcript.Block{ID: "b1", Kind: transcript.KindNote, Note: transcript.NoteSettings, Time: past, Text: "model=x"}},
		{name: "an author's", add: author, whole: true, in: transcript.Block{Kind: transcript.KindUser, Time: past, Text: "Hi", Attrs: map[string]string{"author": "4711"}}, want: transcript.Block{Text: Text, Attrs: map[string]string{"author": Text}}},
		{name: "an author's among others", add: author, whole: true, in: transcript.Block{Kind: transcript.KindUser, Time: past, Text: "Hi", Attrs: map[string]string{"authors": "9 4711"}}, want: transcript.Block{Text: Text, Attrs: map[string]string{"authors": Text}}},
		{name: "an author's, written later", add: author, in: transcript.Block{Kind: transcript.KindUser, Time: future, Text: "Hi", Attrs: map[string]string{"author": "4711"}}},
		{name: "a quotation of it", add: block, in: transcript.Block{ID: "b9", Kind: transcript.KindUser, Time: past, Text: "Hi", Attrs: map[string]string{"recalled": "cli-a/b1/0 cli-b/b2/0"}}, want: transcript.Block{Text: "Hi", Attrs: map[string]string{"recalled": "cli-b/b2/0"}}},
		{name: "nothing of it", typed: true, add: words, in: transcript.Block{Kind: transcript.KindUser, Time: past, Text: "A green whale."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, traces := recorded(t, tc.typed, tc.add)
			want, changed := tc.in, tc.want.Text != "" || tc.want.Attrs != nil
			if changed {
				want.Text, want.Task, want.Context, want.Attrs = tc.want.Text, tc.want.Task, tc.want.Context, tc.want.Attrs
			}
			out, whole, isChanged := traces.Clean("cli-a", tc.in)
			if diff := cmp.Diff(want, out); diff != "" {
				t.Error(diff)
			}
			if whole != tc.whole || isChanged != changed || f.HasAny("cli-a", []transcript.Block{{Text: "Other."}, tc.in}) != changed {
				t.Errorf("whole %v, changed %v", whole, isChanged)
			}
			if again, _, changed := traces.Clean("cli-a", out); changed && !tc.whole {
				t.Errorf("cleaned twice it changes again: %+v", again)
			}
		})
	}
}

// Blocks have times in seconds. Of those in the second of a forgetting, it matches the ones
// that it found.
func TestBlocksOfTheVerySecond(t *testing.T) {
	f := NewRecord(t.TempDir(), nil)
	draft, err := f.New(true, false)
	must(t, err)
	draft.AddWords("blue whale")
	second := draft.Own().At.Truncate(time.Second)
	found := []Touched{{Block: "b1", Action: Emptied, Time: second}, {Block: "b2", Action: Kept, Time: second}, {Block: "b3", Action: Emptied, Time: second.Add(-time.Minute)}, {Latest: []string{"b4"}}}
	draft.AddFound(found)
	must(t, f.Begin(draft))
	for id, want := range map[string]bool{"b1": true, "b2": false, "b4": true, "b5": false} {
		_, _, got := f.Traces().Clean("cli-a", transcript.Block{ID: id, Kind: transcript.KindUser, Time: second, Text: "the blue whale"})
		if got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
	must(t, f.Done(draft.Traces, []Touched{{Block: "b6", Action: Emptied, Time: time.Now()}}))
	if !f.Traces().Own().IsOver() {
		t.Error("it isn't over")
	}
}

// What is being made while something is forgotten is cleaned before it is written, except
// what a person types again.
func TestCleaningWhatWasMadeMeanwhile(t *testing.T) {
	began := time.Now().Add(-time.Second)
	f, _ := recorded(t, true, func(d *Draft) { d.AddWords("blue whale") })
	answer := transcript.Block{Kind: transcript.KindAssistant, Text: "The blue whale.", Task: "blue whale", Context: "blue whale"}
	if got := f.Traces().CleanSince("cli-a", answer, began); got.Text != Text || got.Task != Text || got.Context != Text {
		t.Errorf("an answer: %+v", got)
	}
	message := transcript.Block{Kind: transcript.KindUser, Text: "The blue whale.", Context: "Title: blue whale"}
	if got := f.Traces().CleanSince("cli-a", message, began); got.Text != message.Text || got.Context != Text {
		t.Errorf("a message: %+v", got)
	}
	must(t, f.Done(f.Unfinished()[0], nil))
	if got := f.Traces().CleanSince("cli-a", answer, time.Now().Add(time.Second)); got.Text != answer.Text {
		t.Errorf("begun afterwards: %+v", got)
	}
	if !f.Since(began) || f.Since(time.Now().Add(time.Second)) {
		t.Error("what was made before it may hold it, and nothing made afterwards")
	}
	if !f.HasTyped("a blue whale", began) || f.HasTyped("a blue whale", time.Now()) || f.HasTyped("a green whale", began) {
		t.Error("an unsent text from before holds it")
	}
	if last := f.Last(); last.Before(began) || last.After(time.Now()) {
		t.Errorf("last at %v", last)
	}
}

// The words of somebody on Discord count there only.
func TestAGuestsWordsCountOnDiscord(t *testing.T) {
	f, traces := recorded(t, true, func(d *Draft) {
		d.ForGuest()
		d.AddWords("blue whale")
	})
	for session, want := range map[string]bool{"discord-5": true, "cli-a": false, "": false} {
		if got := f.HasIn(session, "a blue whale"); got != want || traces.HoldsIn(session, "a blue whale") != want {
			t.Errorf("in %q: %v", session, got)
		}
		if _, _, got := traces.Clean(session, transcript.Block{Kind: transcript.KindAssistant, Text: "a blue whale"}); got != want {
			t.Errorf("a block in %q: %v", session, got)
		}
	}
}

// A title is made from the first message if they share a word that tells something.
func TestTitlesMadeFromAMessage(t *testing.T) {
	for _, tc := range []struct {
		first, title string
		add          func(*Draft)
		want         bool
	}{
		{"Where does the whale sleep?", "Where does the wha", nil, true},
		{"Where does the whale sleep?", "Sleeping whale", nil, true},
		{"Where does the whale sleep?", "Where it is", nil, true}, // a word of five letters
		{"Is it on 4 or on 5?", "Take 5", nil, true},
		{"Is it on the map?", "It is the day", nil, false},
		{"Where does the whale sleep?", "Holidays", nil, false},
		{"", "Holidays", nil, true},                     // the message is gone
		{"Where does the whale sleep?", "…", nil, true}, // nothing was written
		{"Where is it?", "Holidays at the blue whale", func(d *Draft) { d.AddWords("blue whale") }, true},
		{"Where is it?", "Holidays", func(d *Draft) { d.AddSession("cli-a") }, true},
	} {
		traces := tracesFor(t, true)
		if tc.add != nil {
			tc.add(traces)
		}
		if got := traces.MayBeMadeFrom("cli-a", tc.first, tc.title); got != tc.want {
			t.Errorf("%q from %q: %v", tc.title, tc.first, got)
		}
	}
}

// Sessions, days, blocks and places are recognised by their marks.
func TestMarks(t *testing.T) {
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.Local)
	_, traces := recorded(t, true, func(d *Draft) {
		if d.NeedsBlocks("cli-a") {
			t.Error("a draft without traces needs blocks")
		}
		d.AddSession("cli-a")
		if !d.NeedsBlocks("cli-a") || d.NeedsBlocks("cli-b") {
			t.Error("only the marked session is needed block by block")
		}
		d.AddBlock("cli-b", "b1")
		d.Touch("agents/memory.md")
		d.AddSpan(day.Add(10*time.Hour), day.Add(12*time.Hour))
	})
	if !traces.MatchesSession("cli-a") || traces.MatchesSession("cli-b") {
		t.Error("sessions")
	}
	if !traces.MatchesBlock("cli-b", "b1") || traces.MatchesBlock("cli-a", "b1") {
		t.Error("blocks")
	}
	if !traces.Touches("agents/memory.md") || traces.Touches("agents/soul.md") {
		t.Error("places")
	}
	for at, want := range map[time.Time]bool{day: true, day.AddDate(0, 0, 1): false, day.AddDate(0, 0, -1): false, {}: false} {
		if got := traces.MatchesTime(at); got != want {
			t.Errorf("%v: %v", at, got)
		}
	}
	said := func(hour int) transcript.Block {
		return transcript.Block{ID: "x", Time: day.Add(time.Duration(hour) * time.Hour)}
	}
	for hour, want := range map[int]bool{9: false, 10: true, 11: true, 12: false} {
		if got := traces.Selects("cli-c", said(hour)); got != want {
			t.Errorf("said at %d: %v", hour, got)
		}
	}
	first := tracesFor(t, true)
	if first.SiftName("a.md") == first.SiftName("b.md") {
		t.Error("two transcripts have the same name under what is forgotten")
	}
}

// Lines of a memory are marked by their words.
func TestLinesOfAMemory(t *testing.T) {
	for _, lessons := range []bool{false, true} {
		f := NewRecord(t.TempDir(), nil)
		draft, err := f.New(true, lessons)
		must(t, err)
		if draft.MarksLines() {
			t.Error("a draft without traces marks lines")
		}
		draft.AddLesson("Keeps striped animals")
		draft.AddLine("Likes green tea")
		must(t, f.Begin(draft))
		all := f.Traces()
		for line, want := range map[string][3]bool{"keeps STRIPED animals": {true, false, lessons}, "likes green tea!": {false, true, true}, "likes tea": {}, "": {}} {
			if got := [3]bool{all.IsLesson(line), all.IsChosen(line), all.GoesAsLesson(line)}; got != want {
				t.Errorf("%q: %v, want %v", line, got, want)
			}
		}
		if !all.MarksLines() {
			t.Error("no lines are marked")
		}
	}
}

// A line that the user writes again stays until it is forgotten again.
func TestALineWrittenAgainIsAllowed(t *testing.T) {
	f, traces := recorded(t, true, func(d *Draft) { d.AddWords("blue whale") })
	must(t, f.Done(traces, nil))
	if err := f.Allow("Likes green tea"); err != nil || f.Traces().IsAllowed("Likes green tea whale") {
		t.Errorf("nothing to allow: %v", err)
	}
	for range 2 {
		must(t, f.Allow("Saw a blue whale"))
	}
	if f.HasIn("", "saw a blue whale") || !f.HasIn("cli-a", "saw a blue whale") || !f.HasIn("", "Saw a blue whale twice") {
		t.Error("only this line is allowed, and only in the owner's memory")
	}
	again, err := f.New(true, false)
	must(t, err)
	again.AddWords("blue whale")
	must(t, f.Begin(again))
	if !f.HasIn("", "saw a blue whale") {
		t.Error("forgotten again, it is still allowed")
	}
	if got := f.Traces().Each(func(_ time.Time, over bool) bool { return over }); len(got) != 1 || got[0].Own().ID != traces.Own().ID {
		t.Errorf("%d are over", len(got))
	}
}

// A model's sentence that occurs in three other sessions is a stock phrase.
func TestStockPhrasesAreDropped(t *testing.T) {
	const stock, own = "I am sorry but I can not help you with that today.", "The key to the blue shed lies below the third flower pot."
	draft := tracesFor(t, false)
	var common Common
	if draft.DropCommon(&common) != 0 || !common.Empty() {
		t.Error("there is nothing to drop")
	}
	common.Count("cli-x", stock)
	draft.AddModelText(stock+"\n"+own, &common)
	for _, session := range []string{"cli-b", "cli-c", "cli-c"} {
		common.Count(session, "Well. "+stock)
	}
	if n := draft.DropCommon(&common); n != 0 || !draft.Holds(stock) {
		t.Errorf("%d dropped that occur in two sessions", n)
	}
	common.Count("cli-d", stock)
	if n := draft.DropCommon(&common); n == 0 || draft.Holds(stock) || !draft.Holds(own) || common.Empty() {
		t.Errorf("%d dropped that occur in three", n)
	}
}

func TestWordsOfAText(t *testing.T) {
	if diff := cmp.Diff(map[string]bool{"whale": true, "zurich": true}, tracesFor(t, true).WordsOf("A whale in Zürich, the end")); diff != "" {
		t.Error(diff)
	}
}

// A forgetting that was refused somewhere isn't complete, but what is written afterwards
// doesn't match.
func TestATriedForgettingIsOver(t *testing.T) {
	f, traces := recorded(t, true, func(d *Draft) { d.AddWords("blue whale") })
	must(t, f.Tried(traces, nil))
	open := f.Unfinished()
	if len(open) != 1 || !open[0].Own().IsOver() {
		t.Fatalf("unfinished: %+v", open)
	}
	before := readFile(t, f.Path())
	must(t, f.Tried(open[0], nil))
	if readFile(t, f.Path()) != before {
		t.Error("it was recorded twice")
	}
	if f.HasBlock("cli-a", transcript.Block{Kind: transcript.KindAssistant, Time: time.Now().Add(time.Minute), Text: "a blue whale"}) {
		t.Error("what is written afterwards matches")
	}
}

// One process at a time forgets.
func TestOnlyOneForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		f := NewRecord(root, nil)
		if _, err := f.Lock(t.Context()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without a session folder, which may come back: %v", err)
		}
		must(t, os.Mkdir(filepath.Join(root, transcript.SessionDir), 0o700))
		unlock, err := f.Lock(t.Context())
		must(t, err)
		began := time.Now()
		if _, err := NewRecord(root, nil).Lock(t.Context()); err == nil || !strings.Contains(err.Error(), ErrForgetting.Error()) || time.Since(began) < Patience-time.Second {
			t.Errorf("locked twice: %v", err)
		}
		unlock()
		unlock, err = NewRecord(root, nil).Lock(t.Context())
		must(t, err)
		unlock()
		file := filepath.Join(root, "file")
		writeFile(t, file, "x")
		if _, err := NewRecord(file, nil).Lock(t.Context()); err == nil {
			t.Error("locked in a file")
		}
	})
}

func TestWithoutAFolderNothingIsForgotten(t *testing.T) {
	f := NewRecord("", nil)
	if !f.Traces().Empty() || f.Has("anything") || f.HasBlock("cli-a", transcript.Block{Text: "anything"}) || !f.Last().IsZero() {
		t.Error("something is forgotten")
	}
}

func TestPreviewsAndOtherNames(t *testing.T) {
	if got := Preview(" one\n two "); got != "one two" {
		t.Errorf("%q", got)
	}
	if got := []rune(Preview(strings.Repeat("ü", 200))); len(got) != maxPreview || got[maxPreview-1] != '…' {
		t.Errorf("%d characters", len(got))
	}
	path := filepath.Join(t.TempDir(), "a.md")
	writeFile(t, path, "x")
	fi, err := os.Stat(path)
	must(t, err)
	if got := OtherNames(path, "cli-a", fi); got != nil || OtherNames(path, "cli-a", nil) != nil {
		t.Errorf("%+v", got)
	}
	must(t, os.Link(path, path+"2"))
	fi, err = os.Stat(path)
	must(t, err)
	if got := OtherNames(path, "cli-a", fi); len(got) != 1 || got[0].Action != Kept || got[0].Session != "cli-a" || !strings.Contains(got[0].Why, "find ~ -inum") {
		t.Errorf("%+v", got)
	}
}
