package markdown

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// grow appends a text in pieces and compares the document after each piece with the text so
// far parsed at once. A text that may contain a link's definition is compared only at the
// end.
func grow(t *testing.T, text string, piece func() int) *Document {
	t.Helper()
	d := New()
	for at := 0; at < len(text); {
		n := min(max(1, piece()), len(text)-at)
		d.Append(text[at : at+n])
		at += n
		d.Settle(false)
		if !strings.Contains(text, "]:") {
			compare(t, d, text[:at], false)
		}
	}
	d.Settle(true)
	compare(t, d, text, true)
	return d
}

func compare(t *testing.T, d *Document, text string, final bool) {
	t.Helper()
	got := append(append([]Leaf(nil), d.leaves...), d.tail...)
	whole := New() // without colours, which take most of the time
	var want []Leaf
	for _, b := range splitBlocks(whole.md, []byte(text), final) {
		want = append(want, b.leaves...)
	}
	if slices.EqualFunc(got, want, sameLeaf) {
		return
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Leaf{}, Run{}), cmpopts.IgnoreFields(Leaf{}, "spans"), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("after %q, %d bytes finished: (-at once +grown)\n%s", text[max(0, len(text)-80):], d.finished, diff)
	}
}

// constructs returns pieces of markdown, as lines or parts of a line; random answers are
// made of them.
func constructs() []string {
	return []string{
		"word ", "Word. ", "**bold** ", "*open ", "**two ", "_em_ ", "snake_case ", "`code` ", "`tick ", "~~gone~~ ", "~ ", "[a](http://x) ", "[b ", "] ", "<b> ", "< ", "<a ",
		"http://example.org/a ", "$x$ ", "$5 ", "$$ ", `\( `, `\) `, `\* `, "&amp; ", "日本語。", "ein Wort; ", "![i](x) ", "|", " | ", "a@b.org ", "***", "2 * 3 ", "\\\n", "  \n",
		"\n", "\n", "\n", "\n\n", "\n\n", "\n- ", "\n- ", "\n- ", "\n  - ", "\n* ", "\n1. ", "\n2. ", "\n12. ", "\n   ", "\n    ", "\n> ", "\n> ", "\n> - ", "\n>\n> ", "\n>> ", "\n- [x] ", "\n- [ ] ",
		"\n# ", "\n---\n", "\n===\n", "\n***\n", "\n```\n", "\n```go\n", "\n~~~\n", "\n<div>\n", "\n<!-- ", " -->\n", "\n| a | b |\n|---|--:|\n| 1 | 2 |", "\n| 3 | 4 |", "\n-|-\n", "\n\t", "\r\n", "1) ", "\n-\n", "\n   3. ",
		"<br>", "<br/> ", "<sub>", "</sub> ", "<kbd>x</kbd> ", "\n<br>\n", "[^1] ", "\n```markdown\n", "\n~~~md\n", "\n   ```\n", "\n- ```md\n  ```go\n",
	}
}

func TestAGrowingAnswerMatchesParsingItAtOnce(t *testing.T) {
	all := constructs()
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			some := make([]string, 3+r.IntN(6)) // a text of few constructs has long blocks
			for i := range some {
				some[i] = all[r.IntN(len(all))]
			}
			var text strings.Builder
			for text.Len() < 2500+r.IntN(2500) {
				text.WriteString(some[r.IntN(len(some))])
				text.WriteString("a few more words, ")
			}
			if seed%10 == 0 {
				text.WriteString("\n\n[b]: http://example.org\n[a few]: http://example.org\n")
			}
			grow(t, text.String(), func() int { return 1 + r.IntN(200) })
		})
	}
}

func TestALongParagraphKeepsOpenConstructs(t *testing.T) {
	long := strings.Repeat("word and word ", 200)
	for _, tt := range []struct{ before, after string }{
		{"**bold ", " bold**"},
		{"*em ", " em*"},
		{"_em ", " em_"},
		{"`code ", "code`"},
		{"~~gone ", "gone~~"},
		{"[link ", " link](http://x)"},
		{"<b class='", "'> x"},
		{"<!-- ", " -->"},
		{"$$ ", " $$"},
		{`\( `, ` \)`},
		{"a *(b) ", " c*"},
		{"x", "\n==="},
		{"x", "\n---"},
		{"a | b ", " c | d\n---|---|---\n1|2|3"},
		{"x", "\n- item"},
		{"x", "  \ny"},
		{"[a]: ", "\n\nx"},
	} {
		t.Run(tt.before, func(t *testing.T) {
			grow(t, "Begin. "+tt.before+long+tt.after+" and on "+long+".", func() int { return 97 })
			grow(t, tt.before+long+tt.after, func() int { return 97 })
		})
	}
}

func TestALinkDefinedAtTheEndBecomesALink(t *testing.T) {
	d := grow(t, strings.Repeat("See [the manual][m] and more of it.\n\n", 100)+"[m]: http://example.org\n", func() int { return 50 })
	if d.rebuilt == 0 {
		t.Error("finished leaves became others, and nobody is told")
	}
	if runs := d.leaves[0].Runs; len(runs) != 3 || runs[1].Link != "http://example.org" {
		t.Errorf("the first paragraph is %v", runs)
	}
}

func FuzzGrowing(f *testing.F) {
	f.Add("- a\n- b\n\n  c\n- d\n", uint8(3), uint16(300))
	f.Add("a few words **and** more, ", uint8(5), uint16(100))
	f.Add("> - a\n> - b\n", uint8(7), uint16(200))
	f.Add("|a|b|\n|-|-|\n|1|2|\n", uint8(9), uint16(1))
	f.Add("1. a\n\n1. b\n2) c\n", uint8(1), uint16(90))
	f.Add("```go\nx := \"a\"\n```\nand\n", uint8(4), uint16(60))
	f.Add("x\n| a | b |\n|---|---|\n", uint8(2), uint16(80))
	f.Add("```md\n```go\nx\n```\n```\nand[^1] a<br>b\n[^1]: note\n", uint8(2), uint16(30))
	f.Add("- ```markdown\n  ```go\n  x\n- y\n```\n", uint8(2), uint16(30))
	f.Fuzz(func(t *testing.T, s string, step uint8, times uint16) {
		if len(s) == 0 || len(s)*int(times) > 8<<10 {
			return
		}
		grow(t, strings.Repeat(s, int(times))+s, func() int { return 16 * (1 + int(step)) })
	})
}
