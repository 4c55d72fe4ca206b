package background

import (
	"strings"
	"testing"
)

func TestCleanTitle(t *testing.T) {
	for answer, want := range map[string]string{
		"Loud fan":                "Loud fan",
		"**Title:** \"Loud fan\"": "Loud fan",
		"# Loud fan\nbecause":     "Loud fan",
		"„Lauter Lüfter“":         "Lauter Lüfter",
		"":                        "",
		"New chat":                "",
		"I'm sorry, I can't":      "",
		"<think>":                 "",
		"ok":                      "",
		strings.Repeat("x ", 50):  "",
	} {
		if got := cleanTitle(answer); got != want {
			t.Errorf("%q gives %q, want %q", answer, got, want)
		}
	}
}
