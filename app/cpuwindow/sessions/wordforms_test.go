package sessions

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/wordsearch"
)

// marked returns the marked parts of a text.
func marked(text string, marks []textfold.Mark) []string {
	var out []string
	for _, m := range marks {
		out = append(out, text[m.From:m.To])
	}
	return out
}

func TestWordFormsAreMarked(t *testing.T) {
	find := wordsearch.New(nil, nil).Find
	for name, tt := range map[string]struct {
		query, text string
		want        []string
	}{
		"another form":               {"lockers", "my locker code is 4711", []string{"locker"}},
		"a form of one of the words": {"locker codes today", "my locker code is 4711", []string{"locker", "code"}},
		"what was typed so far":      {"lock", "my locker code", []string{"lock"}},
		"no function words":          {"the proxy", "these proxies go together, the other not", []string{"proxies"}},
		"within no word":             {"ten", "often ten tents", []string{"ten", "ten"}},
		"a function word alone":      {"the", "together with the others", []string{"the"}},
		"without accents":            {"cafes", "das Café am Markt", []string{"Café"}},
		"without blanks":             {"天気予報", "今日の天気予報", []string{"天気予報"}},
		"nothing":                    {"tomato", "a gateway of wind", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, marked(tt.text, newWordForms(tt.query, find).marks(tt.text))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarksInsideOfWordsAreLeftOut(t *testing.T) {
	find := wordsearch.New(nil, nil).Find
	for name, tt := range map[string]struct {
		query, word, text string
		want              []string
	}{
		"at a beginning":            {"the locker", "locker", "unlockered: the locker", []string{"locker"}},
		"a part where nothing else": {"roxy", "roxy", "the proxy", []string{"roxy"}},
		"nothing":                   {"roxy", "roxy", "wind", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := newWordForms(tt.query, find).leading(tt.text, find(tt.text, tt.word))
			if diff := cmp.Diff(tt.want, marked(tt.text, got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	text := "the others keep the locker"
	all := append(find(text, "the"), find(text, "locker")...)
	if diff := cmp.Diff([]string{"locker"}, marked(text, newWordForms("the locker", find).leading(text, all))); diff != "" {
		t.Errorf("function words (-want +got):\n%s", diff)
	}
}
