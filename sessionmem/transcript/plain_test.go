package transcript

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlainText(t *testing.T) {
	tests := map[string]struct{ markdown, want string }{
		"emphasis":               {"**bold** and *slanted*, __bold__ and _slanted_, ~~gone~~, `code`", "bold and slanted, bold and slanted, gone, code"},
		"emphasis in a word":     {"un**frigging**believable", "unfriggingbelievable"},
		"signs of their own":     {"2 * 3, snake_case_name, a ~ b, _ and *", "2 * 3, snake_case_name, a ~ b, _ and *"},
		"escaped signs":          {`\*not slanted\* and \# no heading`, "*not slanted* and # no heading"},
		"a heading":              {"# One\n### Three #1", "One\nThree #1"},
		"no heading":             {"#hashtag", "#hashtag"},
		"a list":                 {"- one\n* two\n  - [x] three\n1. four", "one\ntwo\nthree\n1. four"},
		"a quote":                {"> > said\n>so", "said\nso"},
		"a fence":                {"```go\nfmt.Println()\n```", "fmt.Println()"},
		"a table":                {"| a | b |\n|---|:--|\n| 1 | 2 |", "a · b\n1 · 2"},
		"a rule and underline":   {"Title\n=====\n\n---\nText", "Title\n\nText"},
		"links":                  {"see [the page](https://example.org/a) and ![a shot](files/1.png)", "see the page and a shot"},
		"no link":                {"a[0](x y) [1]", "a[0](x y) [1]"},
		"a lone backslash":       {`C:\dir\`, `C:\dir\`},
		"bytes that are no text": {"\xff*a*\xff", "\xff" + "a" + "\xff"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := PlainText(test.markdown); got != test.want+"\n" {
				t.Errorf("%q becomes %q, want %q", test.markdown, got, test.want)
			}
		})
	}
}

func TestTitlesHaveNoMarkup(t *testing.T) {
	for text, want := range map[string]string{
		"# Why does it fail?\nmore":     "Why does it fail?",
		"### C# or F#?":                 "C# or F#?",
		"> quoted\nand asked":           "quoted",
		"```go\nfunc main() {}\n```":    "func main() {}",
		"\n\n```\n\n# Notes\n```\nlong": "Notes",
		"#5 is broken":                  "#5 is broken",
		"#":                             "#",
		"```":                           "```",
	} {
		if got := TitleOf(text); got != want {
			t.Errorf("TitleOf(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                 nil,
		"One. Two? Three! v1.2 and e.g.so": {"One.", "Two?", "Three!", "v1.2 and e.g.so"},
		"a  line\n\nanother one. End.":     {"a line", "another one.", "End."},
		"猫です。犬です！ 鳥？はい":                    {"猫です。", "犬です！", "鳥？", "はい"},
	} {
		if diff := cmp.Diff(want, Sentences(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestFences(t *testing.T) {
	for line, want := range map[string]string{"```go": "```", "  ~~~~": "~~~~", "``x``": "", "text ```": "", "": "", "\t````": "````"} {
		if got := OpeningFence(line); got != want {
			t.Errorf("%q opens %q", line, got)
		}
	}
	for line, want := range map[string]bool{"```": true, " ````  ": true, "``": false, "```go": false, "~~~": false} {
		if got := ClosesFence(line, "```"); got != want {
			t.Errorf("%q closes it: %v", line, got)
		}
	}
}
