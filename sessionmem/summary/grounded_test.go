package summary

import (
	"testing"

	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

func TestGrounded(t *testing.T) {
	messages := []transcript.Block{
		{Kind: transcript.KindUser, Text: "I drink green tea and work on Mondays. 我喜欢喝绿茶。"},
		{Kind: transcript.KindAssistant, Text: "The weather in Oslo is fine."},
	}
	for text, want := range map[string]bool{
		"The user drinks green tea.":              true,
		"用户喜欢绿茶":                                  true,
		"用户住在北京":                                  false,
		"None of the tea may be old":              false,
		"Tea":                                     false,
		"\"I drink green tea\"":                   false,
		"Oslo: I drink green tea and work.":       false,
		"Anna works on Mondays for a large bank.": false,
		"The weather in Oslo is fine.":            false,
		"Does the user drink tea?":                false,
		"The user asked for green tea.":           false,
		"Buying green tea failed.":                false,
		"The assistant recommended green tea.":    false,
		"The conversation was about green tea.":   false,
		"none":                                    false,
		"The user wants to know about green tea.": false,
		"The user likes to drink green tea.":      true,
	} {
		got := Grounded([]memory.Lesson{{Text: text, Confidence: 0.6}}, messages)
		if (len(got) == 1) != want {
			t.Errorf("%q: %v, want %v", text, !want, want)
		}
	}
	for sure, want := range map[float64]bool{0: true, 0.59: false, 0.6: true, 1: true, 1.5: true, -0.1: false} {
		got := Grounded([]memory.Lesson{{Text: "drinks green tea", Confidence: sure}}, messages)
		if (len(got) == 1) != want || want && got[0].Confidence > 1 {
			t.Errorf("%g: %+v", sure, got)
		}
	}
}

// What a lesson is, is told by its form and by who said its words, in any language.
func TestALessonIsTheUsersInAnyLanguage(t *testing.T) {
	for _, c := range []struct {
		said       string
		kept, lost []string
	}{
		{
			"Ich trinke nur grünen Tee und arbeite nachts. Wie wird das Wetter in Hamburg?",
			[]string{"Der Nutzer trinkt nur grünen Tee.", "Die Nutzerin arbeitet nachts.", "Trinkt grünen Tee und arbeitet nachts."},
			[]string{"Der Nutzer fragte nach grünem Tee und Kaffee.", "Der Nutzer lebt in Hamburg.", "Das Gespräch handelte von Tee und Arbeit.", "„Ich trinke nur grünen Tee“", "Grüner Tee", "Assistent: Ich trinke nur grünen Tee und arbeite nachts.", "Trinkt der Nutzer nur grünen Tee?", "Der Kauf von grünem Tee ist fehlgeschlagen."},
		},
		{
			"Je travaille la nuit et je bois du thé vert sans sucre.",
			[]string{"L’utilisateur travaille la nuit.", "L'utilisateur boit du thé vert sans sucre."},
			[]string{"L'utilisateur habite à Paris.", "La conversation concernait le thé.", "« Je travaille la nuit »", "L'achat du thé vert a échoué hier.", "Thé vert"},
		},
		{
			"Prefiero respuestas cortas y trabajo de noche en el hospital.",
			[]string{"El usuario prefiere respuestas cortas.", "La usuaria trabaja de noche en el hospital."},
			[]string{"El usuario pidió consejos sobre el hospital.", "El usuario vive en Madrid.", "¿El usuario prefiere respuestas cortas?"},
		},
		{
			"Я работаю ночью и пью только зелёный чай.",
			[]string{"Пользователь работает ночью."},
			[]string{"Пользователь живёт в Москве.", "Разговор был о погоде и чае."},
		},
		{
			"私は夜勤で働いていて、緑茶が好きです。",
			[]string{"ユーザーは夜勤で働いている。", "ユーザーは緑茶が好き。"},
			[]string{"ユーザーは東京に住んでいる。", "天気について質問した。"},
		},
		{
			"Always answer in metric units, and call me Kim.\nError: connection refused by the metric server",
			[]string{"Answer in metric units.", "The user always wants metric units in the answer."},
			[]string{"The metric server refused the connection.", "FoxNews: I answer in metric units", "Kim: metric", "The user has an appointment in units of time."},
		},
	} {
		messages := []transcript.Block{{Kind: transcript.KindUser, Text: c.said}, {Kind: transcript.KindAssistant, Text: "Paris, Hamburg, Москва, 東京."}}
		for i, texts := range [][]string{c.kept, c.lost} {
			for _, text := range texts {
				if got := Grounded([]memory.Lesson{{Text: text, Confidence: 0.9}}, messages); len(got) == i {
					t.Errorf("%q of %q: kept %v", text, c.said, len(got) == 1)
				}
			}
		}
	}
}
