package textfold_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/textfold"
)

var folder = textfold.NewFolder()

// found returns the bytes of a text in which a phrase occurs, in the first reading that has
// it.
func found(text, phrase string) string {
	out := ""
	readings := folder.Read([]byte(text))
	for _, w := range readings.All() {
		for _, at := range w.FindAny(folder.Phrase(phrase)) {
			m := w.Span(at[0], at[1])
			out += text[m.From:m.To]
		}
		if out != "" {
			break
		}
	}
	return out
}

func TestAPhraseIsFoundHoweverItIsWritten(t *testing.T) {
	for _, tc := range slices.Concat(filetest.Forms, filetest.Writings) {
		t.Run(tc.Name, func(t *testing.T) {
			if got := found(tc.Text, tc.Phrase); got != tc.Found {
				t.Errorf("found %q, want %q", got, tc.Found)
			}
		})
	}
}

// What looks like the beginning of an escape, a tag or a link and isn't one stays text.
func TestWhatIsNoMarkupIsText(t *testing.T) {
	far := strings.Repeat("x", 1100)
	for _, tc := range []struct{ name, phrase, text, found string }{
		{"a percent sign at the end", "half 50", "half 50%", "half 50"},
		{"a percent sign and one digit", "a 4 b", "a %4 b", "a %4 b"},
		{"percent-encoded bytes that are no letter", "a ff b", "a %ff b", "a %ff b"},
		{"an ampersand", "tea milk", "tea & milk", "tea & milk"},
		{"an unknown entity", "tea zzz milk", "tea &zzz; milk", "tea &zzz; milk"},
		{"an ampersand twice", "tea milk", "tea &amp;amp; milk", "tea &amp;amp; milk"},
		{"an entity without its end", "zanzibar", "zan&#122", ""},
		{"a comment without its end", "zanzibar", "<!-- zanzibar", "zanzibar"},
		{"a second comment without its end", "zanzibar", "<!-- a <!-- zanzibar", "zanzibar"},
		{"a tag without its end", "zanzibar", "<b zanzibar", "zanzibar"},
		{"a tag across paragraphs", "one two", "<b one\n\ntwo>", "one\n\ntwo"},
		{"a link without its end", "zanzibar", "[a](zanzibar", "zanzibar"},
		{"a link across paragraphs", "one two", "[a](one\n\ntwo)", "one\n\ntwo"},
		{"an address that is too long", "trip", "[a](" + far + ") trip", "trip"},
		{"brackets within an address", "on trip", "[on](u(v)w) trip", "on](u(v)w) trip"},
		{"comments within comments", "zanzibar", "<!-- <a <!-- zanzibar --> -->", "zanzibar"},
		{"a backslash at the end", "tea", `tea\`, "tea"},
		{"an escape that is none", "tea zz", `tea \uzz`, `tea \uzz`},
		{"half a pair of escapes", "tea milk", `tea \ud835 milk`, `tea \ud835 milk`},
		{"a hyphen before a blank", "zan zibar", "zan- zibar", "zan- zibar"},
		{"a carriage return in JSON", "zanzibar", `"zan-\r\nzibar"`, `zan-\r\nzibar`},
		{"an invalid byte", "tea milk", "tea \xff milk", "tea \xff milk"},
		{"a letter in a box", "zanzibar", "🅉anzibar 🅰", "🅉anzibar"},
		{"flags", "de", "🇩🇪 in words", "🇩🇪"},
		{"a phrase without words", "…", "a … b", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := found(tc.text, tc.phrase); got != tc.found {
				t.Errorf("found %q, want %q", got, tc.found)
			}
		})
	}
}

func TestAPhraseIsWholeWordsIfItIsShort(t *testing.T) {
	for _, tc := range []struct {
		words, want  string
		empty, whole bool
	}{
		{"Café au Lait", "cafe au lait", false, false},
		{"Fan", "fan", false, true},
		{"a b", "a b", false, true},
		{"机密", "机 密", false, true},
		{"…", "", true, true},
	} {
		p := folder.Phrase(tc.words)
		if p.String() != tc.want || p.Empty() != tc.empty || p.Whole() != tc.whole {
			t.Errorf("%q: %q, empty %v, whole %v", tc.words, p, p.Empty(), p.Whole())
		}
	}
}

// Only a text without anything beside its sentence has readings that hold it as a whole.
func TestWholeReadings(t *testing.T) {
	for text, want := range map[string][]string{
		"Blue whale":             {"blue whale"},
		"blue <!-- no --> whale": {"blue no whale"},
		"blue&nbsp;whale":        {"blue nbsp whale", "blue whale"},
		"well-known":             {"well known", "wellknown"},
		`blue\u0020whale`:        {"blue u0020whale", "blue whale", "blueu0020whale"},
	} {
		var got []string
		r := folder.Read([]byte(text))
		for _, w := range r.Whole() {
			if s := string(w.Folded); !slices.Contains(got, s) {
				got = append(got, s)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestAFoldedTextLeadsBackToTheOriginal(t *testing.T) {
	for _, tc := range []struct {
		text, word string
		want       []string
	}{
		{"Café, CAFÉ and cafe\u0301", "cafe", []string{"Café", "CAFÉ", "cafe\u0301"}},
		{"STRASSE und Straße", "strasse", []string{"STRASSE", "Straße"}},
		{"ß", "s", []string{"ß"}}, // both halves are one letter
		{"Łódź", "lodz", []string{"Łódź"}},
		{"a\tb\nc", "a b c", []string{"a\tb\nc"}},
		{"ﾊﾟ Ⓐ 猫", "猫", []string{"猫"}},
		{"**green** door", "green door", []string{"green** door"}},
		{"soft\u00adware", "software", []string{"soft\u00adware"}},
		{"tea", "", nil},
		{"tea", "milk", nil},
	} {
		var got []string
		for _, m := range folder.Mapped(tc.text).Find([]byte(tc.word)) {
			got = append(got, tc.text[m.From:m.To])
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q in %q: %s", tc.word, tc.text, diff)
		}
		if plain := string(folder.AppendFold(nil, []byte(tc.text))); plain != string(folder.Mapped(tc.text).Text) {
			t.Errorf("%q folds to %q and %q", tc.text, plain, folder.Mapped(tc.text).Text)
		}
	}
}

// Search by words, forgetting and the marks of hits compare texts in one spelling.
func TestTheSameWordsFoldTheSame(t *testing.T) {
	for _, tc := range [][]string{
		{"isn't", "isn’t", "isnʼt", "isn‘t", "ISN'T"},
		{"well-known", "well‑known", "well‐known", "well–known", "well−known"},
		{"office", "oﬃce", "ｏｆｆｉｃｅ", "of\u200bfice", "o\u00adffice", "\u200eoffice", "𝗈𝖿𝖿𝗂𝖼𝖾"},
		{"green door", "**green** door", "__green__ door", "`green` door", "gre**en** door", "green\u00a0door", "green\u2009door", "*green door*"},
		{"ΟΔΟΣ", "οδος", "οδοσ", "ὁδός"},
		{"りんご", "リンゴ", "ﾘﾝｺﾞ"},
		{"电脑", "電腦"},
		{"国学", "國學"},
		{"读书", "讀書", "読書"},
		{"发现", "發現"},
		{"كتاب", "كـتاب", "کتاب", "كِتَاب"},
		{"علي", "علی", "على"},
		{"123", "１２３", "١٢٣", "۱۲۳", "१२३"},
		{"👍", "👍🏽", "👍\ufe0f"},
		{"...", "…"},
		{"\"so\"", "“so”", "„so“", "«so»"},
		{"encyclopaedia", "encyclopædia"},
		{"strasse", "Straße", "STRAẞE"},
		{"lodz", "Łódź"},
		{"한국", "한국"},
	} {
		want := string(folder.AppendFold(nil, []byte(tc[0])))
		for _, other := range tc[1:] {
			if got := string(folder.AppendFold(nil, []byte(other))); got != want {
				t.Errorf("%q folds to %q, but %q to %q", other, got, tc[0], want)
			}
		}
	}
	for _, tc := range [][2]string{{"snake_case", "snakecase"}, {"2*3", "23"}, {"각", "가"}, {"が", "か"}} {
		if a, b := folder.AppendFold(nil, []byte(tc[0])), folder.AppendFold(nil, []byte(tc[1])); string(a) == string(b) {
			t.Errorf("%q and %q fold to %q", tc[0], tc[1], a)
		}
	}
}

func TestForgettingFindsEachSpelling(t *testing.T) {
	for _, tc := range [][2]string{{"secret apple", "secret ａｐｐｌｅ"}, {"电脑密码", "電腦密碼"}, {"りんごのひみつ", "リンゴのヒミツ"}, {"كتاب علي", "کتاب علی"}, {"encyclopaedia", "encyclopædia"}} {
		if found(tc[1], tc[0]) == "" || found(tc[0], tc[1]) == "" {
			t.Errorf("%q and %q don't find each other", tc[0], tc[1])
		}
	}
}

func TestJoinMarks(t *testing.T) {
	got := textfold.JoinMarks([]textfold.Mark{{8, 9}, {0, 4}, {4, 6}, {1, 3}})
	if diff := cmp.Diff([]textfold.Mark{{0, 6}, {8, 9}}, got); diff != "" {
		t.Error(diff)
	}
}

// A window is found again in another text by its hash, which is the same however the text
// before it reads.
func TestWindowsAreFoundByTheirTags(t *testing.T) {
	const n = 3
	want := folder.WordsOf([]byte("the blue whale"), false)
	tag := want.Tag(0, n)
	for text, at := range map[string]int{
		"The BLUE whale":                          0,
		"she said that the blue whale sings":      3,
		"the whale is blue, the blue\u0301 whale": 4,
		"the blue green whale":                    -1,
		"the blue":                                -1,
	} {
		w := folder.WordsOf([]byte(text), false)
		rolling, got := textfold.NewRolling(n), -1
		for i, word := range w.Words {
			if sum, full := rolling.Push(word.Hash); full && sum == tag && string(w.Window(i-n+1, n)) == "the blue whale" {
				got = i - n + 1
			}
		}
		if got != at {
			t.Errorf("%q: at %d, want %d", text, got, at)
		}
	}
	if got := string(folder.WordsOf([]byte("blue \u0301\u0301 whale"), false).Window(0, 2)); got != "blue whale" { // a mark alone is no word
		t.Errorf("a window is %q", got)
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"One. Two! Three?\nFour": {"One.", " Two!", " Three?", "Four"},
		"v1.26 is out.":          {"v1.26 is out."},
		"一。二！三":                  {"一。", "二！", "三"},
		"":                       {""},
	} {
		if diff := cmp.Diff(want, textfold.Sentences(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}
