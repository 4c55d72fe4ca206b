package markdown

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const viewed = "# Title\n\nsee [here](https://example.org)\n\n| a | b |\n|---|---|\n| [c](https://example.org/c) | d |\n\n```go\n\tf()\n```\n"

func TestTheWordsOfAView(t *testing.T) {
	doc := New()
	for _, part := range strings.SplitAfter(viewed, "\n") {
		doc.Append(part)
		doc.Settle(false)
	}
	if doc.Text() != viewed {
		t.Errorf("the text is %q", doc.Text())
	}
	want := "Title\nsee here\na\nb\nc\nd\n    f()"
	for _, final := range []bool{false, true} {
		doc.Settle(final)
		if diff := cmp.Diff(want, doc.View().Words()); diff != "" {
			t.Errorf("final %t (-want +got):\n%s", final, diff)
		}
	}
	var links []string
	EachLink(doc.View().Leaves, func(words, url string) { links = append(links, words+" "+url) })
	if diff := cmp.Diff([]string{"here https://example.org", "c https://example.org/c"}, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	before := doc.View()
	doc.Replace(viewed) // the same
	if doc.View().Rebuilt != before.Rebuilt {
		t.Error("the same text was taken for another one")
	}
	doc.Replace("short")
	doc.Settle(true)
	if v := doc.View(); v.Rebuilt == before.Rebuilt || v.Words() != "short" || before.Words() != want {
		t.Errorf("after another text: %q, and before: %q", v.Words(), before.Words())
	}
}

// A tool's result is no markdown: it is shown as it is.
func TestAPreformattedDocument(t *testing.T) {
	doc := NewPreformatted()
	doc.Settle(true)
	if v := doc.View(); len(v.Leaves)+len(v.Tail) != 0 {
		t.Errorf("an empty one has %+v", v)
	}
	doc.Append("# no title\n")
	doc.Settle(false)
	if v := doc.View(); len(v.Leaves) != 0 || len(v.Tail) != 1 || v.Tail[0].Kind != Code {
		t.Errorf("while it grows: %+v", v)
	}
	doc.Append("*no list*\n")
	doc.Settle(true)
	if v := doc.View(); len(v.Tail) != 0 || len(v.Leaves) != 1 || v.Words() != "# no title\n*no list*" {
		t.Errorf("at the end: %+v", v)
	}
}

func TestLanguageNames(t *testing.T) {
	for lang, want := range map[string]string{"go": "Go", "py": "Python", "no-such": "no-such", "": "", "../x": "../x"} {
		if got := LanguageName(lang); got != want {
			t.Errorf("%q is %q, want %q", lang, got, want)
		}
	}
}

// Code too large to colour at once is coloured like its pieces.
func TestLargeCodeIsColouredToItsEnd(t *testing.T) {
	line := "x := \"text\" // words\n"
	shown := strings.Repeat(line, wholeBytes/len(line)+chunkBytes/len(line))
	h := newHighlighter("go")
	h.limit = time.Hour // on a busy machine nothing stays plain
	spans := h.finished(shown)
	if n := len(spans); n == 0 || int(spans[n-1].To) != len(shown) {
		t.Fatalf("%d spans of %d bytes", n, len(shown))
	}
	ink := func(at int) Ink {
		for _, s := range spans {
			if at < int(s.To) {
				return s.Ink
			}
		}
		return 0
	}
	for _, from := range []int{0, strings.LastIndex(shown, "x := ")} {
		for word, want := range map[string]Ink{`"text"`: String, "// words": Comment} {
			if got := ink(from + strings.Index(shown[from:], word) + 2); got != want {
				t.Errorf("%s at %d is coloured as %v, want %v", word, from, got, want)
			}
		}
	}
}

// Pictures and breaks in a line.
func TestInlinePieces(t *testing.T) {
	for in, want := range map[string]string{
		"![](https://example.org/x.png)": "https://example.org/x.png",
		"![a chart](x.png)":              "a chart",
		"![](data:image/png;base64,AA)":  " ",
		"one  \ntwo\nthree":              "one\ntwo three",
		"<b>raw</b> &amp; &lt;":          "<b>raw</b> & <",
		"https://example.org/a":          "https://example.org/a",
		"~~gone~~":                       "gone",
	} {
		if got := runsText(Parse(in).leaves[0].Runs); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func TestCodeInAMessageIsSetAsCode(t *testing.T) {
	for text, want := range map[string][]Run{
		"plain `x` **y**":                     {{Text: "plain `x` **y**"}},
		"See:\n```go\nf()\n```\nWhy?":         {{Text: "See:\n"}, {Text: "f()\n", Mono: true}, {Text: "Why?"}},
		"```\n  one\n\n  two\n```":            {{Text: "  one\n\n  two", Mono: true}},
		"begun\n```py\nnever ended":           {{Text: "begun\n"}, {Text: "never ended", Mono: true}},
		"```":                                 {{Text: "```"}},
		"the fence ```x``` within a sentence": {{Text: "the fence ```x``` within a sentence"}},
	} {
		if diff := cmp.Diff(want, Typed(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
