package discord

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	tests := map[string]struct {
		text  string
		limit int
		want  []string
	}{
		"given a short text":                  {"hello\nthere", 20, []string{"hello\nthere"}},
		"given nothing":                       {" \n\n", 20, nil},
		"given lines":                         {"aaaa\nbbbb\ncccc", 10, []string{"aaaa\nbbbb", "cccc"}},
		"given a long line":                   {"aaaa bbbb cccc", 10, []string{"aaaa bbbb", "cccc"}},
		"given a word without end":            {"aaaaaaaaaaaa", 5, []string{"aaaa", "aaaa", "aaaa"}},
		"given code that fits the next part":  {"some words\n```go\nx := 1\n```\nend", 22, []string{"some words", "```go\nx := 1\n```\nend"}},
		"given code that is too long for one": {"```go\nline one\nline two\nline three\n```", 28, []string{"```go\nline one\nline two\n```", "```go\nline three\n```"}},
		"given wide characters":               {strings.Repeat("😀", 6), 7, []string{"😀😀😀", "😀😀😀"}},
		"given a fence that stays open":       {"```\nabc", 20, []string{"```\nabc\n```"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, split(tt.text, tt.limit)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Discord ends a code block at the first fence, however it began.
func TestNestedFencesStayBalanced(t *testing.T) {
	inner := "```go\n" + strings.Repeat("x := 1\n", 100) + "```\n"
	for name, text := range map[string]string{
		"given a fence of four around one of three": "````md\nfirst\n" + inner + "last\n````\n",
		"given a quoted document with three blocks": strings.Repeat("words between\n"+inner, 3),
		"given a fence that begins in a list":       "- a point\n  ```\n  " + strings.Repeat("y\n  ", 400) + "```\n- another",
		"given tildes":                              "~~~\n" + inner + "~~~\n",
	} {
		t.Run(name, func(t *testing.T) {
			parts := split(text, 300)
			if len(parts) < 2 {
				t.Fatalf("%d parts", len(parts))
			}
			for _, p := range parts {
				if n := strings.Count(p, fence); n%2 != 0 || size(p) > 300 {
					t.Errorf("a part of %d with %d fences:\n%s", size(p), n, p)
				}
			}
			for _, word := range []string{"x := 1", "y", "first", "last", "another"} {
				if got, want := strings.Count(strings.Join(parts, "\n"), word), strings.Count(text, word); got != want {
					t.Errorf("%q is there %d times, want %d", word, got, want)
				}
			}
		})
	}
}

func TestSignsStayWhole(t *testing.T) {
	family, flagged, skin, accent := "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u2764\ufe0f", "\U0001f44d\U0001f3fd", "e\u0301"
	for _, sign := range []string{family, flagged, skin, accent} {
		text := strings.Repeat(sign, 50)
		for limit := size(sign); limit < 3*size(sign); limit++ {
			parts := split(text, limit+1)
			for _, p := range parts {
				if strings.ReplaceAll(p, sign, "") != "" {
					t.Fatalf("at %d %q was cut to %q", limit, sign, p)
				}
			}
			if strings.Join(parts, "") != text {
				t.Fatalf("at %d something is lost", limit)
			}
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"a b c", "```go\nx\n```", strings.Repeat("word ", 900), "```" + strings.Repeat("x", 3000), strings.Repeat("```\n", 600), "😀" + strings.Repeat("é", 4000), "``` a ``` b", "```00```0\n" + strings.Repeat("0```\n", 40)} {
		f.Add(seed)
	}
	letters := func(text string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \n\t\r`", r) || r <= ' ' {
				return -1
			}
			return r
		}, text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		parts := split(text, 200)
		for _, p := range parts {
			if size(p) > 200 || strings.TrimSpace(p) == "" {
				t.Fatalf("a part of %d: %q", size(p), p)
			}
			open := 0
			for line := range strings.SplitSeq(p, "\n") {
				if fenceOf(line) != "" {
					open++
				}
			}
			if open%2 != 0 {
				t.Fatalf("a part leaves its code open: %q", p)
			}
		}
		if !strings.Contains(text, fence) && letters(strings.Join(parts, "")) != letters(text) {
			t.Fatalf("%q became %q", text, parts)
		}
	})
}
