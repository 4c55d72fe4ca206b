package sessionmem

import "testing"

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

func TestSnippetIsPlain(t *testing.T) {
	s := Searcher{fold: newFolder()}
	text := "# The fan\n\nIt is **very** loud, see [the manual](https://example.org/fans).\n\n- clean *it*\n"
	tests := map[string]struct{ word, want string }{
		"a word in the text":      {"loud", "The fan It is very loud, see the manual. clean it"},
		"a word that was bold":    {"very", "The fan It is very loud, see the manual. clean it"},
		"a word of a link's text": {"manual", "The fan It is very loud, see the manual. clean it"},
		"a word of an address":    {"example", "…loud, see [the manual](https://example.org/fans). - clean *it*"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, marks := s.snippet(text, s.words(test.word))
			if got != test.want {
				t.Errorf("%q is quoted as %q, want %q", test.word, got, test.want)
			}
			if len(marks) != 1 || got[marks[0].From:marks[0].To] != test.word {
				t.Errorf("marked is %v of %q, want %q", marks, got, test.word)
			}
		})
	}
}
