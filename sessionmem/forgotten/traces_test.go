package forgotten

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/transcript"
)

func tracesFor(t testing.TB, typed bool) *Draft {
	t.Helper()
	tr, err := NewRecord(t.TempDir(), nil).New(typed, false)
	must(t, err)
	return tr
}

// A phrase is found in any form in which a search finds it.
func TestWordsAreFoundWhateverTheirForm(t *testing.T) {
	for _, tc := range filetest.Forms {
		t.Run(tc.Name, func(t *testing.T) {
			tr := tracesFor(t, true)
			tr.AddPhrase(tc.Text, tr.Phrase(tc.Phrase))
			got := ""
			for _, m := range tr.FindRaw([]byte(tc.Text)) {
				got += tc.Text[m.From:m.To]
			}
			if got != tc.Found {
				t.Errorf("found %q, want %q", got, tc.Found)
			}
		})
	}
}

func TestRawBytesAreFoundAsJSONWritesThem(t *testing.T) {
	tr := tracesFor(t, true)
	tr.AddWords("über blue whale")
	for _, raw := range []string{
		`{"text":"say \"\u00fcber\nblue\twhale\""}`,
		`msg="über blue\nwhale"`,
		"über\\nblue whale",
	} {
		if !tr.HoldsRaw([]byte(raw)) {
			t.Errorf("not found in %s", raw)
		}
	}
	if tr.HoldsRaw([]byte(`uber "green" whale`)) {
		t.Error("other words are found")
	}
}

// Forgotten text of a session is found elsewhere by its sentences, except those that
// everybody writes.
func TestOnlyDistinctiveSentencesAreTraced(t *testing.T) {
	for _, tc := range []struct {
		text  string
		typed bool
		want  bool
	}{
		{"ok", true, false},
		{"thanks a lot", true, false},
		{"my PIN is 4711", true, true},
		{"the key lies below the third flower pot", true, true},
		{"How can I help you today?", false, false},
		{"The key lies below the third flower pot in the yard.", false, true},
	} {
		tr := tracesFor(t, false)
		tr.AddSentences(tc.text, tc.typed)
		if got := tr.Holds("He said: " + tc.text + " And then he left."); got != tc.want {
			t.Errorf("%q typed %v: traced %v, want %v", tc.text, tc.typed, got, tc.want)
		}
	}
}

func TestALongSentenceIsFoundByAnyPartOfIt(t *testing.T) {
	var words []string
	for i := range 40 {
		words = append(words, "w"+strings.Repeat("x", i+1))
	}
	tr := tracesFor(t, true)
	tr.AddWords(strings.Join(words, " "))
	if !tr.Holds(strings.Join(words[:16], " ")) || !tr.Holds(strings.Join(words[24:], " ")) {
		t.Error("a part of it is not found")
	}
	if tr.Holds(strings.Join(words[:15], " ")) {
		t.Error("less than a part is found")
	}
}

func TestTextTypedAgainIsKept(t *testing.T) {
	f := NewRecord(t.TempDir(), nil)
	tr, err := f.New(true, false)
	must(t, err)
	tr.AddWords("blue whale song")
	must(t, f.Begin(tr))
	for _, tc := range []struct {
		said time.Time
		want bool
	}{{time.Time{}, true}, {time.Now().Add(-time.Hour), true}, {time.Now().Add(time.Hour), false}} {
		if got := f.HasBlock("cli-a", transcript.Block{Kind: transcript.KindUser, Text: "the blue whale song", Time: tc.said}); got != tc.want {
			t.Errorf("said %v: %v, want %v", tc.said, got, tc.want)
		}
	}
}

func TestTombstonesHoldNoTextAndSurviveARestart(t *testing.T) {
	root := t.TempDir()
	f := NewRecord(root, nil)
	tr, err := f.New(true, true)
	must(t, err)
	tr.AddWords("blue whale song")
	tr.AddBlock("cli-a", "b1")
	tr.AddSession("cli-b")
	must(t, f.Begin(tr))
	if text := strings.ToLower(readFile(t, f.Path())); strings.Contains(text, "whale") || strings.Contains(text, "cli-a") || strings.Contains(text, "cli-b") {
		t.Errorf("text stands in it:\n%s", text)
	}
	again := NewRecord(root, nil)
	if !again.Has("a Blue Whale song!") || !again.HasBlock("cli-a", transcript.Block{ID: "b1"}) {
		t.Error("it is not known after a restart")
	}
	if !again.HasBlock("cli-b", transcript.Block{ID: "x", Time: time.Now().Add(-time.Minute)}) || again.HasBlock("cli-b", transcript.Block{ID: "x", Time: time.Now().Add(time.Minute)}) {
		t.Error("a session is forgotten up to then, and no further")
	}
	open := again.Unfinished()
	if len(open) != 1 || open[0].Own().ID != tr.Own().ID || !open[0].Own().Learn || !open[0].Holds("blue whale song") {
		t.Fatalf("unfinished: %+v", open)
	}
	must(t, again.Done(open[0], nil))
	if len(NewRecord(root, nil).Unfinished()) != 0 || !again.Has("blue whale song") {
		t.Error("done means finished, and remembered")
	}
	if len(f.Unfinished()) != 0 {
		t.Error("another process doesn't see that it is finished")
	}
}

// Half a line, left by a crash, hides nothing before or after it.
func TestATruncatedLineOfTombstonesIsSkipped(t *testing.T) {
	f := NewRecord(t.TempDir(), nil)
	for _, words := range []string{"blue whale song", "green turtle nest"} {
		tr, err := f.New(true, false)
		must(t, err)
		tr.AddWords(words)
		must(t, f.Begin(tr))
		writeFile(t, f.Path(), readFile(t, f.Path())+`{"kind":"text","n":3,"su`)
	}
	if !f.Has("blue whale song") || !f.Has("green turtle nest") {
		t.Error("a forgetting is lost")
	}
}

func FuzzForgetWords(f *testing.F) {
	f.Add("I saw a blue whale", "blue whale")
	f.Add("这是机密文件", "机密")
	f.Add(`a\u00e9\n"`, "é")
	f.Add("x\u00adx \u200b \u0301", "x")
	forgotten := NewRecord(f.TempDir(), nil)
	f.Fuzz(func(t *testing.T, text, phrase string) {
		tr, err := forgotten.New(true, false)
		must(t, err)
		want := tr.Phrase(phrase)
		there := tr.AddPhrase(text, want)
		if there && want.String() != "forgotten" && !tr.Holds(text) && text != Text {
			t.Fatalf("added and not found: %q in %q", phrase, text)
		}
		if out := (cleaning{t: tr.Traces}).text(text); there && tr.Holds(out) {
			t.Fatalf("still there: %q", out)
		}
		for _, m := range tr.FindRaw([]byte(text)) {
			if m.From < 0 || m.To > len(text) || m.From >= m.To {
				t.Fatalf("mark %v of %d bytes", m, len(text))
			}
		}
	})
}

func FuzzForgottenFile(f *testing.F) {
	f.Add([]byte("{\"format\":\"mac-stats-forgotten/1\",\"key\":\"AAAA\"}\n{\"begin\":{\"id\":\"a\",\"at\":\"2026-11-21T10:00:00Z\"}}\n{\"kind\":\"text\",\"n\":2,\"tag\":9,\"sum\":\"AAAAAAAAAAAAAAAAAAAAAA==\",\"of\":\"a\"}\n{\"done\":\"a\"}\n"))
	f.Add([]byte("{\"begin\":{}}"))
	fg := NewRecord(f.TempDir(), nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		all, _ := fg.parse(data)
		all.Holds("some words that stand here")
		all.Selects("cli-a", transcript.Block{ID: "x", Time: time.Now()})
		for _, g := range all.at {
			all.only(g)
		}
	})
}

// The same words are found at their places however they are written.
func TestWordsAreFoundHoweverTheyAreWritten(t *testing.T) {
	for _, tc := range filetest.Writings {
		t.Run(tc.Name, func(t *testing.T) {
			tr := tracesFor(t, true)
			tr.AddWords(tc.Phrase)
			got := ""
			for _, m := range tr.FindRaw([]byte(tc.Text)) {
				got += tc.Text[m.From:m.To]
			}
			if got != tc.Found {
				t.Errorf("found %q, want %q", got, tc.Found)
			}
			if has := tr.Has(tc.Text, tr.Phrase(tc.Phrase)); has != (tc.Found != "") {
				t.Errorf("the phrase is found: %v", has)
			}
		})
	}
}

// The time to parse malicious text is linear in its length, not quadratic.
func BenchmarkReadHostileMarkup(b *testing.B) {
	tr := tracesFor(b, true)
	tr.AddWords("zanzibar")
	for _, piece := range []string{"words as they are ", "](", "[a](", "<!-- ", "<a ", "&amp;", "%25", "-\n", "<a><!-- -->](b)", "]["} {
		for _, size := range []int{200_000, 800_000} {
			b.Run(fmt.Sprintf("%q/%d", piece, size), func(b *testing.B) {
				text := strings.Repeat(piece, size/len(piece))
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					tr.Holds(text)
				}
			})
		}
	}
}
