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

// What counts as a lesson depends on its form and on who said its words, in any language.
func TestLessonsAreGroundedInAnyLanguage(t *testing.T) {
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

// How many lessons in other words than the user's are kept, and how many that nobody gave:
// leastOwn is tuned on these figures. They may be changed for better ones only.
func TestParaphrasedLessons(t *testing.T) {
	rows := []struct{ said, right, wrong string }{
		{"Please keep your answers short, I read them on my phone.", "The user prefers short answers.", "The user asked about phones."},
		{"I'm a nurse at a hospital in Graz and learn Go in the evenings.", "The user is a nurse in Graz who is learning Go.", "The user asked how to learn Go."},
		{"No, I said metric: give me kilometres, never miles.", "The user wants kilometres instead of miles.", "The assistant gave miles and failed."},
		{"My daughter is allergic to nuts, so leave them out of every recipe.", "The user's daughter has a nut allergy; recipes must not contain nuts.", "The user wants a recipe with nuts."},
		{"I teach chemistry to teenagers.", "The user is a chemistry teacher.", "The user discussed chemistry."},
		{"We are vegetarians at home.", "The user's household is vegetarian.", "The user talked about vegetarians."},
		{"I always cycle to work, I have no car.", "The user commutes by cycling and has no car.", "The user is looking for a car."},
		{"Call me Kim, not Kimberly.", "The user wants to be called Kim.", "The user met Kim yesterday."},
		{"Write code comments in German, please, for all projects.", "Code comments are to be written in German.", "The user wrote comments about projects."},
		{"I'm colour-blind, red and green look the same to me.", "The user is colour-blind (red and green).", "The user likes red and green."},
		{"Again: no emoji in your answers.", "The user doesn't want emoji in answers.", "The user sent emoji again."},
		{"I run a small bakery with my brother in Lyon.", "The user runs a bakery in Lyon with a brother.", "The user visited a bakery in Lyon."},
		{"Ich möchte geduzt werden, bitte immer.", "Der Nutzer möchte geduzt werden.", "Der Nutzer bat um Hilfe."},
		{"Ich bin Lehrerin in Kassel und unterrichte Physik.", "Die Nutzerin unterrichtet Physik in Kassel.", "Die Nutzerin fragte nach Kassel."},
		{"Nutze immer das metrische System, ich lebe in Wien.", "Der Nutzer lebt in Wien und bevorzugt das metrische System.", "Der Nutzer besuchte Wien im Sommer."},
		{"I work night shifts, so don't suggest morning meetings.", "The user works night shifts and prefers no morning meetings.", "The user has a meeting this morning."},
		{"My machine is a MacBook Air with 8 GB, keep that in mind.", "The user has a MacBook Air with 8 GB.", "The user bought a MacBook."},
		{"I prefer tabs over spaces in Go.", "The user's preference in Go is tabs, not spaces.", "The user fixed spaces in the code."},
		{"Use British spelling in everything you write for me.", "The user prefers British spelling.", "The user is British."},
		{"I have been a translator for twenty years, Finnish to English.", "The user translates Finnish to English.", "The user wants a text translated."},
		{"Summaries should have bullet points, at most five.", "Summaries need at most five bullet points.", "The summary had five points and was good."},
		{"Explain things with examples, I learn better that way.", "The user learns better from examples.", "The user gave examples of things."},
		{"Je suis végétarienne et je cuisine pour quatre.", "L'utilisatrice est végétarienne et cuisine pour quatre personnes.", "L'utilisatrice a demandé une recette végétarienne."},
		{"Trabajo en un banco de Sevilla los fines de semana.", "El usuario trabaja en un banco en Sevilla.", "El usuario preguntó por bancos en Sevilla."},
	}
	right, wrong := 0, 0
	for _, r := range rows {
		talk := []transcript.Block{{Kind: transcript.KindUser, Text: r.said}, {Kind: transcript.KindAssistant, Text: "Noted."}}
		right += len(Grounded([]memory.Lesson{{Text: r.right, Confidence: 0.9}}, talk))
		wrong += len(Grounded([]memory.Lesson{{Text: r.wrong, Confidence: 0.9}}, talk))
	}
	if right < 16 || wrong > 5 {
		t.Errorf("kept: %d of %d in other words, %d that nobody gave", right, len(rows), wrong)
	}
}
