package excerpt_test

import (
	"testing"
	"unicode/utf8"

	"mac-stats/sessionmem/excerpt"
)

func TestShorten(t *testing.T) {
	tests := []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 10, "short"},
		{"exactly ten", 11, "exactly ten"},
		{"cut at a word, here", 15, "cut at a word…"},
		{"onelongwordwithoutspaces", 10, "onelongwo…"},
		{"größte Übung überhaupt", 13, "größte Übung…"},
		{"漢字漢字漢字", 4, "漢字漢…"},
		{"a list: one, two, three", 14, "a list: one…"},
		{"ab", 1, "…"},
	}
	for _, tc := range tests {
		if got := excerpt.Shorten(tc.text, tc.limit); got != tc.want || utf8.RuneCountInString(got) > tc.limit {
			t.Errorf("shorten(%q, %d) = %q, want %q", tc.text, tc.limit, got, tc.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{"": "", " \n": "", "one": "one", " one\ttwo\r\n\n three ": "one two three"} {
		if got := excerpt.OneLine(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
