package analysis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// saturday is when the texts of these tests are written.
var saturday = time.Date(2026, 11, 21, 10, 15, 0, 0, time.UTC)

// termsOf returns the terms of a class in a text.
func termsOf(text string, class Class) []string {
	var out []string
	for _, f := range NewAnalyzer().Chunk(text, saturday).Freqs {
		if classOf(f.Term) == class {
			out = append(out, f.Term)
		}
	}
	return out
}

func TestWordsAreReducedToTheirStem(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"The fans were spinning loudly", "the fan were spin loud"},
		{"She went to the cafés and took the children", "she go to the cafe and take child"},
		{"it's what we've said", "it what we say"},
		{"Die Lüfter laufen sehr laut und die Kinder gingen", "die luft lauf sehr laut und kind geh"},
		{"Les chevaux de l'homme sont dans les maisons", "le cheval de l homm sont dan maison"},
		{"Я купила новые книги", "я куп нов книг"},
		{"", ""},
		{"Straße STRASSE", "strass"},
		{"1,000 and 3.5 on the 16th", "1000 and 3.5 on the 16"},
		{"e-mail", "e mail email"},
		{"日本語 猫", "日 日本 本 本语 语 猫"},
		{"東京タワーに行った", "东 东京 京 京た たわ わー ーに に行 行 行っ った"},
		{"ＡＢＣ ﬁne", "abc fine"},
	} {
		if got := strings.Join(termsOf(c.text, ClassWord), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// A word is a term by two stems, its own and that of its form without accents; and all spellings of
// a word are one.
func TestAWordIsFoundHoweverItIsWritten(t *testing.T) {
	for _, c := range []struct{ question, text string }{
		{"aplicacion", "¿Dónde está la aplicación?"},
		{"aplicación", "donde esta la aplicacion"},
		{"Jerome", "Jérôme est-il arrivé à la gare ?"},
		{"resume", "Please send me your résumé by mail"},
		{"canciones", "Las canción y la tarde"},
		{"ogretmen", "Öğretmen bu sabah okula geldi"},
		{"calatorie", "O călătorie lungă"},
		{"zazolc", "zażółć gęślą jaźń"},
		{"pribeh", "Příběh začíná v lese"},
		{"电脑", "我的電腦壞了"},
		{"電腦", "我的电脑坏了"},
		{"りんご", "リンゴを食べた"},
		{"ﾘﾝｺﾞ", "りんごを食べた"},
		{"کتاب", "هذا كتاب جديد"},
		{"software", "soft\u00adware \u200eupdates"},
		{"ΟΔΟΣ", "η οδος αυτή"},
		{"office", "oﬃce"},
		{"don't", "donʼt"},
		{"Koeln", "Der Dom in Köln"},
		{"12500", "Die Rechnung war 12.500 Euro"},
		{"23400", "Es kostet 23'400 Franken"},
		{"030123456", "Ruf 030-123456 an"},
		{"nodejs", "we use Node.js here"},
		{"6.2", "since v6.2.8 it works"},
	} {
		a := NewAnalyzer()
		has := map[string]bool{}
		for _, f := range a.Chunk(c.text, saturday).Freqs {
			has[f.Term] = true
		}
		found := false
		for _, term := range a.Query(c.question, saturday).Terms {
			found = found || slices.ContainsFunc(term.Variants, func(v Variant) bool { return has[v.Term] })
		}
		if !found {
			t.Errorf("%q isn't found in %q", c.question, c.text)
		}
	}
}

func TestIdentifiersAreExactTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"see foo.go:12 and foo.go:12:5,", "=foo.go:12 =foo.go =foo.go:12:5"},
		{"error[E0432]: at pkg/net/Conn.go", "=e0432 =pkg/net/conn.go =conn.go"},
		{"parseConfigFile() calls snake_case and os.ReadFile", "=parseconfigfile =snake_case =os.readfile"},
		{"v1.2.3, 1.2.3 but not 1.2", "=v1.2.3 =1.2.3"},
		{"0xDEADBEEF ERR_CONN_RESET CVE-2024-1234 cpu-k3x9qa", "=0xdeadbeef =err_conn_reset =cve-2024-1234 =cpu-k3x9qa"},
		{"https://www.example.com/a/b/ and http://localhost:8080", "=example.com/a/b =example.com =localhost:8080"},
		{"me@example.org C++ C# ~/.config /etc/hosts", "=me@example.org =c++ =c# =etc/hosts"},
		{"main.go:42 and v2.0.0-rc.1", "=main.go:42 =main.go =v2.0.0-rc.1 =2.0.0"},
		{"a USB-C plug, echo $PATH and git commit --no-verify --depth=1 $500 a$b", "=usb-c =$path =--no-verify =--depth"},
		{"std::io::Result C:\\temp\\a.txt", "=std::io::result =result =c:\\temp\\a.txt =a.txt"},
		{"and/or 24/7 self-care 16th 10am 1990s iPhone YouTube e.g. U.S.A. 3.5 16-year-old 2023-05-07 well...", ""},
	} {
		if got := strings.Join(termsOf(c.text, ClassExact), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestPartsOfIdentifiersAreWordsToo(t *testing.T) {
	got := termsOf("parseConfigFile snake_case foo.go", ClassWord)
	for _, want := range []string{"pars", "config", "file", "snake", "case", "foo", "go"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
}

func TestAQuestionDropsFunctionWordsUnlessItHasNoOthers(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"What did the dog eat?", "dog eat"},
		{"Who is it?", "who is it"},
		{"Was hat der Hund gegessen?", "hund ess"},
		{"where is foo.go", "=foo.go foo go foogo"},
		{"", ""},
		{"???", ""},
	} {
		var got []string
		for _, term := range NewAnalyzer().Query(c.text, saturday).Terms {
			if term.Class != ClassPair {
				got = append(got, term.Variants[0].Term)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestAQuestionSaysWhatTextsMustNotHave(t *testing.T) {
	for _, c := range []struct {
		question, has, without string
	}{
		{"heron -pond", "=-pond heron", "pond"},
		{"heron -ponds", "=-ponds heron", "pond"},
		{"heron NOT pond", "heron", "pond"},
		{"Reiher -Teiche", "=-teiche reiher", "teich"},
		{"heron not pond", "heron pond", ""},
		{"well-known heron", "well know wellknown heron", ""},
		{"-pond", "=-pond pond", ""},
		{"tea - milk", "tea milk", ""},
		{"5 -3", "5 3", ""},
		{"-milk -eggs", "=-milk =-eggs milk egg", ""},
		{"-milk and eggs -bread", "=-milk =-bread milk egg bread", ""},
		{"heron -rare- pond", "heron rare pond", ""},
		{`heron "-pond"`, "heron pond", ""},
		{"heron (-pond)", "heron pond", ""},
		{"git log --oneline", "git log =--oneline onelin", ""},
	} {
		q := NewAnalyzer().Query(c.question, saturday)
		var has []string
		for _, term := range q.Terms {
			if term.Class != ClassPair {
				has = append(has, term.Variants[0].Term)
			}
		}
		slices.Sort(has)
		want := strings.Fields(c.has)
		slices.Sort(want)
		if d := cmp.Diff(want, has); d != "" {
			t.Errorf("%q: %s", c.question, d)
		}
		if c.without == "" != (len(q.Without) == 0) || c.without != "" && !slices.Contains(q.Without[0].Terms, c.without) {
			t.Errorf("%q leaves out %v, want %q", c.question, q.Without, c.without)
		}
	}
}

func TestAMessageLeavesNothingOut(t *testing.T) {
	for text, want := range map[string]string{
		"why is it NOT working": "work", "please run go test -race": "race", "thanks\n-- \nFlorian": "florian", "tabs -spaces": "space",
	} {
		q := NewAnalyzer().Message(text, saturday)
		if len(q.Without) > 0 || !slices.ContainsFunc(q.Terms, func(t QueryTerm) bool { return t.Variants[0].Term == want }) {
			t.Errorf("%q leaves out %v and searches for %v, want %q among them", text, q.Without, q.Terms, want)
		}
	}
}

func TestTheMostExactTokenOfAnIdentifierComesFirst(t *testing.T) {
	for _, term := range NewAnalyzer().Query("where is main.go:42", saturday).Terms {
		if term.Class == ClassExact && term.Variants[0].Term != "=main.go:42" {
			t.Errorf("%q is as exact as the line", term.Variants[0].Term)
		}
	}
}

func TestGenericWordsWeighLessThanTheSubject(t *testing.T) {
	for question, want := range map[string]string{
		"our conversations on the budget": "budget",
		"did you recommend a budget":      "budget",
		"Gespräche zum Hausdach":          "hausdach",
		"was empfehlen sie zum Hausdach?": "hausdach",
		"what different roofs?":           "roof",
		"verschiedene Dächer":             "dach",
		"chats":                           "chat",
	} {
		heaviest := QueryTerm{}
		for _, term := range NewAnalyzer().Query(question, saturday).Terms {
			if term.Class == ClassWord && term.Weight > heaviest.Weight {
				heaviest = term
			}
		}
		if len(heaviest.Variants) == 0 || heaviest.Variants[0].Term != want {
			t.Errorf("%q looks for %v first, want %q", question, heaviest, want)
		}
	}
}

func TestPairsOfContentWordsAreTerms(t *testing.T) {
	var chunk []string
	for _, f := range NewAnalyzer().Pairs("we adopted the puppy") {
		chunk = append(chunk, f.Term)
	}
	query := NewAnalyzer().Query("adopting puppies", saturday)
	var asked []string
	for _, term := range query.Terms {
		if term.Class == ClassPair {
			asked = append(asked, term.Variants[0].Term)
		}
	}
	if d := cmp.Diff(asked, chunk); d != "" || len(chunk) != 1 {
		t.Errorf("asked and found differ: %s", d)
	}
}

func TestMarks(t *testing.T) {
	a := NewAnalyzer()
	for _, c := range []struct {
		text string
		want Marks
	}{
		{"How are you?", MarkQuestion},
		{"How are you? 😀", MarkQuestion},
		{"お元気ですか？", MarkQuestion},
		{"Why? Because.", 0},
		{"I went there last week.", MarkTime},
		{"Did you go yesterday?", MarkQuestion | MarkTime},
		{"I may go in a while", 0},
	} {
		if got := a.Chunk(c.text, saturday).Marks; got != c.want {
			t.Errorf("%q: %b, want %b", c.text, got, c.want)
		}
	}
}

func TestClearingTheCacheChangesNoTerms(t *testing.T) {
	text := "The quick fans of cpu-k3x9qa failed with E0432 on 3 May 2023 in Zürich, 東京"
	a := NewAnalyzer()
	before := slices.Clone(a.Chunk(text, saturday).Freqs)
	a.forget()
	if d := cmp.Diff(before, a.Chunk(text, saturday).Freqs); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(before, NewAnalyzer().Chunk(text, saturday).Freqs); d != "" {
		t.Error(d)
	}
}

func FuzzAnalysis(f *testing.F) {
	for _, s := range []string{"a", "foo.go:12", "\xff'", "e-mail 2023-05-07 9999-99-99", "ـ", "日ー本", "\u0301\u0301", "1,000,000", "in May of the", "C:\\", "::", "v.1", "last 0 days", "29 February last year", "the end of the end of the end of the end of May", "1 day after 1 day after 1 day after 1 day after 1 May", "เชียงใหม่", "x\u00adb", "ǅ", "0000\u0323"} {
		f.Add(s)
	}
	a := NewAnalyzer()
	f.Fuzz(func(t *testing.T, text string) {
		got := append([]TermFreq{}, a.Chunk(text, saturday).Freqs...)
		for _, f := range got {
			if f.Term == "" || f.N < 1 {
				t.Fatalf("term %q %d times", f.Term, f.N)
			}
		}
		a.Query(text, saturday)
		if d := cmp.Diff(got, append([]TermFreq{}, NewAnalyzer().Chunk(text, saturday).Freqs...)); d != "" {
			t.Fatalf("another time, other terms: %s", d)
		}
	})
}

func TestQuantitiesAreRecognized(t *testing.T) {
	a := NewAnalyzer()
	for question, want := range map[string]bool{
		"How many otters did we see?":      true,
		"for how long does it run":         true,
		"how old is it":                    true,
		"Wie viele Otter waren da?":        true,
		"Combien de fois ?":                true,
		"Сколько их было?":                 true,
		"how does it run":                  false,
		"many otters":                      false,
		"what is it about":                 false,
		"Tell me in short lines how many?": false, // too late to be the subject of the question
		"":                                 false,
	} {
		if got := a.Query(question, time.Now()).Quantity; got != want {
			t.Errorf("%q asks for a quantity: %v, want %v", question, got, want)
		}
	}
	for text, want := range map[string]bool{
		"we saw 3 otters": true, "three of them": true, "a couple": true, "drei Tage lang": true,
		"an otter": false, "one day": false, "error E0432": false, "": false,
	} {
		if got := a.HasNumber(text); got != want {
			t.Errorf("%q says a number: %v, want %v", text, got, want)
		}
	}
}

func TestTheLanguageOfATextIsGuessed(t *testing.T) {
	for text, want := range map[string]language{
		"The fans are loud and I don't know why": langEnglish,
		"Die Lüfter sind laut":                   langGerman,
		"Les ventilateurs sont bruyants":         langFrench,
		"Los ventiladores hacen ruido":           langSpanish,
		"Le ventole sono rumorose e non so che":  langItalian,
		"Os ventiladores não são meus":           langPortuguese,
		"De ventilatoren zijn erg luid":          langDutch,
		"Fläktarna är höga och jag vet inte":     langSwedish,
		"foo bar baz":                            langEnglish,
		"":                                       langEnglish,
	} {
		a := NewAnalyzer()
		a.read(text)
		if got := a.language(); got != want {
			t.Errorf("%q: language %d, want %d", text, got, want)
		}
	}
}

func TestLanguage(t *testing.T) {
	a := NewAnalyzer()
	for text, want := range map[string]string{
		"The fans are loud and I don't know why":         "en",
		"Das sind sieben Tage.":                          "de",
		"Une semaine a sept jours.":                      "fr",
		"Una semana tiene siete días.":                   "es",
		"Una settimana ha sette giorni, non otto.":       "it",
		"Uma semana tem sete dias, não oito.":            "pt",
		"Een week heeft zeven dagen.":                    "nl",
		"В неделе семь дней.":                            "ru",
		"一週間は七日です。":                                      "ja",
		"一周有七天，用 Go 写。":                                  "zh",
		"일주일은 7일입니다.":                                    "ko",
		"Use `fmt.Println` in Go: печатает строку и всё": "ru",
		"42":  "",
		"":    "",
		"foo": "",
	} {
		if got := a.Language(text); got != want || want != "" && !KnowsLanguage(want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if KnowsLanguage("xx") || KnowsLanguage("") {
		t.Error("a language that isn't known counts as known")
	}
}

func TestVariantsOfAQuestionKeepTheLikeliestFirst(t *testing.T) {
	for _, term := range NewAnalyzer().Query("what are the running costs of houses", saturday).Terms {
		if term.Class == ClassWord && !slices.Contains([]string{"run", "cost", "hous"}, term.Variants[0].Term) {
			t.Errorf("%q comes first", term.Variants[0].Term)
		}
	}
}

func TestQuestionsThatNameOnlyATime(t *testing.T) {
	for question, want := range map[string]bool{
		"today": true, "gestern": true, "this week": true, "in October": true, "10 November": true, "2026-11-10": true, "11 days ago": true,
		"What did we talk about yesterday?": true, "what was said last week": true, "Worüber haben wir gestern gesprochen?": true, "la semaine dernière": true,
		"gardener yesterday": false, "what did Anna say yesterday": false, "E0502 yesterday": false, "2026": false, "talk": false, "": false,
		"recently": false, "yesterday 🎉": false,
	} {
		if got := NewAnalyzer().Query(question, saturday).OnlyTime; got != want {
			t.Errorf("%q: %v", question, got)
		}
	}
}

func TestTheNumbersOfADateAreNotTerms(t *testing.T) {
	for question, figure := range map[string]string{"trees on 2026-11-10": "10", "trees 11 days ago": "11", "trees on 10 November 2026": "10", "trees in the last 3 days": "3"} {
		for _, term := range NewAnalyzer().Query(question, saturday).Terms {
			if term.Variants[0].Term == figure {
				t.Errorf("%q looks for %q", question, figure)
			}
		}
	}
}

func TestQuestionsAboutAnswersAreRecognized(t *testing.T) {
	for question, want := range map[string]bool{
		"What did you suggest for the ferns?": true, "Which soil have you recommended?": true, "what you said about ferns": true,
		"Was hast du zu den Farnen gesagt?": true, "¿Qué me recomendaste?": true,
		"What did I say about ferns?": false, "What would you suggest?": false, "How are you?": false, "": false,
	} {
		if got := NewAnalyzer().Query(question, saturday).AboutAnswers; got != want {
			t.Errorf("%q: %v", question, got)
		}
	}
}
