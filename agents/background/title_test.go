package background

import (
	"strings"
	"testing"
)

// What models answer to the request for a title; the title inside, or none.
func TestCleanTitle(t *testing.T) {
	const said = "Why does the fan get loud in the evening? C++, 天气, Kubernetes, Lüfter, 날씨, ruidoso"
	for answer, want := range map[string]string{
		// The form that was asked for, and what else is JSON.
		`{"title": "Loud fan"}`:                         "Loud fan",
		"```json\n{\"title\": \"Loud fan\"}\n```":       "Loud fan",
		`{"Title": "Loud fan", "words": 2}`:             "Loud fan",
		`{"name": "Loud fan"}`:                          "Loud fan",
		`{"conversation": {"title": "Loud fan"}}`:       "Loud fan",
		`[{"title": "Loud fan", "why": "short"}]`:       "Loud fan",
		`["Loud fan"]`:                                  "Loud fan",
		`Sure! Here it is: {"title": "Loud fan"} Enjoy`: "Loud fan",
		`{"title": "\"Loud fan.\""}`:                    "Loud fan",
		`{"title": "Noisy cooling"}`:                    "Noisy cooling",
		`{"title": "Go: maps and slices"}`:              "Go: maps and slices",
		`{"title": "List<String> in Java"}`:             "List<String> in Java",
		`{"title": "\"Hamlet\" in one page"}`:           `"Hamlet" in one page`,
		`{"title": "Rock 'n' roll"}`:                    "Rock 'n' roll",
		`{"title": "'90s music"}`:                       "'90s music",
		`{"title": "天气"}`:                               "天气",
		`{"title": "Kubernetes"}`:                       "Kubernetes",
		`{"title": "Untitled"}`:                         "",
		`{"title": ""}`:                                 "",
		`{"title": "\u202eLoud fan"}`:                   "",
		`{"a": "x y", "b": "x z"}`:                      "",
		`{"title": "Loud fan`:                           "",
		`{'title': 'Loud fan'}`:                         "",
		`{"name": "SYSTEM_STATS", "arguments": {}}`:     "",
		// Words, from a server that ignores the schema.
		"Loud fan":                               "Loud fan",
		"**Title:** \"Loud fan\"":                "Loud fan",
		"# Loud fan":                             "Loud fan",
		"### **\"Loud fan\"**":                   "Loud fan",
		"> Loud fan":                             "",
		"„Lauter Lüfter“":                        "Lauter Lüfter",
		"「天気」":                                   "天気",
		"Sure! Here is a name:\n\nLoud fan":      "Loud fan",
		"Sure! Here is a name: Loud fan":         "Loud fan",
		"Der Titel lautet: Lauter Lüfter":        "Lauter Lüfter",
		"Título: Ventilador ruidoso":             "Ventilador ruidoso",
		"标题：天气":                                  "天气",
		"제목: 날씨":                                 "날씨",
		"```\nLoud fan\n```":                     "Loud fan",
		"---\ntitle: Loud fan\n---":              "Loud fan",
		"Fan: why it is loud":                    "Fan: why it is loud",
		"Loud fan\nbecause of the browser":       "",
		"Title\nLoud fan":                        "Loud fan",
		"Here you go!\nLoud fan":                 "",
		"Here you go!":                           "",
		"1. Loud fan\n2. Noisy fan":              "",
		"Sure! Here is a title:":                 "",
		"Okay, so the user wants a short title.": "",
		"<title>Loud fan</title>":                "",
		"\\boxed{Loud fan}":                      "",
		"Loud fan<|im_end|>":                     "",
		"json":                                   "",
		"JSON":                                   "",
		"Sure":                                   "",
		"天":                                      "",
		"":                                       "",
		"New chat":                               "",
		"I'm sorry, I can't":                     "",
		"<think>":                                "",
		"ok":                                     "",
		strings.Repeat("fan ", 50):               "",
	} {
		if got := cleanTitle(answer, false, said); got != want {
			t.Errorf("%q gives %q, want %q", answer, got, want)
		}
	}
	for answer, want := range map[string]string{"Okay, the user wants a fan": "", `{"title": "Loud fan"} I chose this, bec`: "Loud fan", `{"title": "Loud fa`: ""} {
		if got := cleanTitle(answer, true, said); got != want {
			t.Errorf("cut, %q gives %q, want %q", answer, got, want)
		}
	}
}
