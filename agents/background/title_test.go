package background

import (
	"strings"
	"testing"
)

func TestCleanTitle(t *testing.T) {
	for answer, want := range map[string]string{
		"Loud fan":                                "Loud fan",
		"**Title:** \"Loud fan\"":                 "Loud fan",
		"# Loud fan\nbecause":                     "Loud fan",
		"„Lauter Lüfter“":                         "Lauter Lüfter",
		"```json\n{\"title\": \"Loud fan\"}\n```": "Loud fan",
		"{\"Title\": \"Loud fan\", \"words\": 2}": "Loud fan",
		"{\"name\": \"Loud fan\"}":                "Loud fan",
		"{\"a\": 1, \"b\": \"x\"}":                "",
		"Sure! Here is a title:\n\nLoud fan":      "Loud fan",
		"Sure! Here is a title: Loud fan":         "Loud fan",
		"Der Titel lautet: Lauter Lüfter":         "Lauter Lüfter",
		"Sure! Here is a title:":                  "",
		"```\nLoud fan\n```":                      "Loud fan",
		"```text\nLoud fan\n```":                  "Loud fan",
		"Go: maps and slices":                     "Go: maps and slices",
		"json":                                    "",
		"天气":                                      "天气",
		"标题：天气":                                   "天气",
		"날씨":                                      "날씨",
		"天":                                       "",
		"":                                        "",
		"New chat":                                "",
		"I'm sorry, I can't":                      "",
		"<think>":                                 "",
		"ok":                                      "",
		strings.Repeat("x ", 50):                  "",
	} {
		if got := cleanTitle(answer, false); got != want {
			t.Errorf("%q gives %q, want %q", answer, got, want)
		}
	}
	for answer, want := range map[string]string{"Okay, the user wants": "", "Loud fan\n\nI chose this, bec": "Loud fan"} {
		if got := cleanTitle(answer, true); got != want {
			t.Errorf("cut, %q gives %q, want %q", answer, got, want)
		}
	}
}
