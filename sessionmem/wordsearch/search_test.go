package wordsearch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

// withMarks returns a text with [ ] around its marks.
func withMarks(text string, marks []textfold.Mark) string {
	for _, m := range slices.Backward(marks) {
		text = text[:m.From] + "[" + text[m.From:m.To] + "]" + text[m.To:]
	}
	return text
}

func TestFindFoldsCaseAndDiacritics(t *testing.T) {
	for _, c := range []struct{ text, phrase, want string }{
		{"Why is my Fan loud? FAN!", "fan", "Why is my [Fan] loud? [FAN]!"},
		{"un Café, des cafe\u0301s", "cafe", "un [Café], des [cafe\u0301]s"},
		{"un cafe", "CAFÉ", "un [cafe]"},
		{"die Straße", "STRASSE", "die [Straße]"},
		{"die Straße", "stras", "die [Straß]e"},
		{"İstanbul ve ığdır", "istanbul", "[İstanbul] ve ığdır"},
		{"Łódź", "lodz", "[Łódź]"},
		{"ΟΔΟΣ", "οδός", "[ΟΔΟΣ]"},
		{"Ёлка", "елка", "[Ёлка]"},
		{"שָׁלוֹם", "שלום", "[שָׁלוֹם]"},
		{"東京都の天気", "天気", "東京都の[天気]"},
		{"かがく", "かく", "かがく"},
		{"हिन्दी", "हिन्दी", "[हिन्दी]"},
		{"👨‍👩‍👧 family", "family", "👨‍👩‍👧 [family]"},
		{"two\nlines", "two lines", "[two\nlines]"},
		{"aaaa", "aa", "[aa][aa]"},
		{"anything", " ", "anything"},
		{"", "x", ""},
	} {
		if got := withMarks(c.text, findMarks(c.text, c.phrase)); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.phrase, c.text, got, c.want)
		}
	}
}

func findMarks(text, phrase string) []textfold.Mark {
	s := Searcher{fold: textfold.NewFolder()}
	return s.Find(text, phrase)
}

func TestSearch(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	long := strings.Repeat("before it stands a lot of text. ", 20) + "Here is the Needle, in the hay. " + strings.Repeat("after it too. ", 40)
	mustAppend(t, s, "cpu-old", ago(40*24*time.Hour, "an archived needle"))
	must(t, second(s.Archive(t.Context(), sessionmem.ArchiveRule{After: 30 * 24 * time.Hour})))
	mustAppend(t, s, "cpu-a", ago(3*time.Hour, "Why is my fan loud"))
	mustAppend(t, s, "cpu-a", transcript.Block{ID: "a2", Kind: transcript.KindAssistant, Text: long, Time: time.Now().Add(-3 * time.Hour)})
	mustAppend(t, s, "cli-b", ago(2*time.Hour, "Über das Wetter"))
	mustAppend(t, s, "cli-b", transcript.Block{ID: "b2", Kind: transcript.KindTool, Agent: "FETCH_URL", Text: "needle works here as well", Time: time.Now().Add(-2 * time.Hour)})
	mustAppend(t, s, "cli-b", transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteTitle, Text: "Weather and a Needle", Time: time.Now().Add(-2 * time.Hour)})
	mustAppend(t, s, "discord-1", ago(time.Hour, "nothing of interest"))
	writeFile(t, filepath.Join(root, transcript.SessionDir, "notes by hand.md"), "just words, a needle too\n")
	half := time.Now().Add(-30 * time.Minute)
	if err := os.Chtimes(filepath.Join(root, transcript.SessionDir, "notes by hand.md"), half, half); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, transcript.SessionDir, "session-memory-cpu-bad-20260101-000000-fan.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.SetPrivate("cpu-p")
	mustAppend(t, s, "cpu-p", user("a private needle"))

	for query, want := range map[string][]string{
		"needle":               {"cpu-p · a private [needle]", "notes by hand · just words, a [needle] too", "cli-b · [needle] works here as well", "cpu-a · …it stands a lot of text. Here is the [Needle], in the hay. after it too. after it too. after it too. after it too. after it too. after it too. after it too.…", "cpu-old · an archived [needle]"},
		"NEEDLE  fan":          {"cpu-a · …it stands a lot of text. Here is the [Needle], in the hay. after it too. after it too. after it too. after it too. after it too. after it too. after it too.…"},
		"fan hay nowhere":      nil,
		"wetter uber":          {"cli-b · [Über] das [Wetter]"},
		"weather works":        {"cli-b · needle [works] here as well"},
		"weather":              {"cli-b · "},
		`"the hay"`:            {"cpu-a · …a lot of text. Here is the Needle, in [the hay]. after it too. after it too. after it too. after it too. after it too. after it too. after it too. after it…"},
		`"hay the"`:            nil,
		"mac-stats-session":    nil,
		"a2":                   nil,
		"interest":             {"discord-1 · nothing of [interest]"},
		"":                     nil,
		"   ":                  nil,
		`"`:                    nil,
		"nothing of 'interest": nil,
	} {
		hits, err := New(s, slog.New(slog.DiscardHandler)).Search(t.Context(), query, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range hits {
			got = append(got, h.Info.Name+" · "+withMarks(h.Snippet, h.Marks))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
	hits, err := New(s, slog.New(slog.DiscardHandler)).Search(t.Context(), "NEEDLE", 3)
	if err != nil || len(hits) != 3 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	if h := hits[2]; h.Block != "b2" || h.Kind != transcript.KindTool || withMarks(h.Info.Title, h.TitleMarks) != "Weather and a [Needle]" || h.Blocks != 1 {
		t.Errorf("%+v", h)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(s, slog.New(slog.DiscardHandler)).Search(ctx, "needle", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func FuzzFind(f *testing.F) {
	for _, c := range [][2]string{{"Straße", "ss"}, {"cafe\u0301", "é"}, {"İ", "i"}, {"ŉ", "n"}, {"\xff\xfe", "\xff"}, {"ΐ", "ι"}} {
		f.Add(c[0], c[1])
	}
	s := Searcher{fold: textfold.NewFolder()}
	f.Fuzz(func(t *testing.T, text, phrase string) {
		last := 0
		for _, m := range s.Find(text, phrase) {
			if m.From < last || m.To < m.From || m.To > len(text) {
				t.Fatalf("%q in %q: %v after %d", phrase, text, m, last)
			}
			last = m.To
		}
		snippet, marks := s.snippet(text, s.words(phrase))
		for _, m := range marks {
			if m.From > m.To || m.To > len(snippet) {
				t.Fatalf("%q in %q: %v of %q", phrase, text, m, snippet)
			}
		}
		if utf8.ValidString(text) && !utf8.ValidString(snippet) {
			t.Fatalf("%q is cut to %q", text, snippet)
		}
	})
}

// BenchmarkSearch searches 1,000 transcripts of 20 messages (about 15 KB each, with
// diacritics) with a warm cache: for a word in one of them, in none, and in all.
func BenchmarkSearch(b *testing.B) {
	root := b.TempDir()
	rnd := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the machine is slow because größer naïve process memory disk über answer question código façade when while model tokens context of and to a in it")
	for i := range 1000 {
		var data []byte
		data = append(data, transcript.Fence+"\n"+transcript.FrontMatter(transcript.Info{Name: fmt.Sprintf("cpu-%04d", i), Title: "Session"})+transcript.Fence+"\n"...)
		for m := range 20 {
			var text strings.Builder
			for range 120 {
				text.WriteString(words[rnd.IntN(len(words))] + " ")
			}
			if i == 500 && m == 10 {
				text.WriteString("needle")
			}
			data = transcript.AppendBlock(data, transcript.Block{ID: fmt.Sprint(m), Kind: []transcript.Kind{transcript.KindUser, transcript.KindAssistant}[m%2], Time: time.Now(), Text: text.String()})
		}
		writeFile(b, filepath.Join(root, transcript.SessionDir, fmt.Sprintf("session-memory-cpu-%04d-20260101-000000-x.md", i)), string(data))
	}
	s := openStore(b, root)
	search := New(s, slog.New(slog.DiscardHandler))
	for name, c := range map[string]struct {
		query string
		want  int
	}{"in one": {"needle", 1}, "in none": {"nowhere", 0}, "in all": {"grosser naive", 50}, "a heading's word": {"assistant", 0}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if hits, err := search.Search(b.Context(), c.query, 50); err != nil || len(hits) != c.want {
					b.Fatalf("%d hits, %v", len(hits), err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms")
			b.ReportMetric(100, "ms-promised")
		})
	}
}

func TestSnippetIsPlain(t *testing.T) {
	s := Searcher{fold: textfold.NewFolder()}
	text := "# The fan\n\nIt is **very** loud, see [the manual](https://example.org/fans).\n\n- clean *it*\n"
	tests := map[string]struct{ word, want string }{
		"a word in the text":      {"loud", "The fan It is very loud, see the manual. clean it"},
		"a word that was bold":    {"very", "The fan It is very loud, see the manual. clean it"},
		"a word of a link's text": {"manual", "The fan It is very loud, see the manual. clean it"},
		"a word of an address":    {"example", "…loud, see [the manual](https://example.org/fans). - clean *it*"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, marks := s.snippet(text, s.words(test.word))
			if got != test.want {
				t.Errorf("%q is quoted as %q, want %q", test.word, got, test.want)
			}
			if len(marks) != 1 || got[marks[0].From:marks[0].To] != test.word {
				t.Errorf("marked is %v of %q, want %q", marks, got, test.word)
			}
		})
	}
}

func TestSearchingInParts(t *testing.T) {
	s, err := sessionmem.Open(sessionmem.Config{Root: t.TempDir(), MaxFileBytes: func() int64 { return 500 }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 6 { // two in each of three parts
		mustAppend(t, s, "cpu-a", user(fmt.Sprintf("message %d %s", i, strings.Repeat("x", 150))))
	}
	mustAppend(t, s, "cpu-a", user("the needle"))
	search := func(query string) []Hit {
		hits, err := New(s, slog.New(slog.DiscardHandler)).Search(t.Context(), query, 0)
		if err != nil {
			t.Fatal(err)
		}
		return hits
	}
	for query, want := range map[string]int{"needle": 1, "needle message": 1, `"message 3"`: 1, "format:": 0, "part:": 0} {
		if got := search(query); len(got) != want {
			t.Errorf("%s: %+v", query, got)
		}
	}
}
