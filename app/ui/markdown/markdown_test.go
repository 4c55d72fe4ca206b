package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// outline describes a document's leaves in a few words each.
func outline(d *Document) []string {
	var out []string
	for _, l := range append(append([]Leaf(nil), d.leaves...), d.tail...) {
		name := map[Kind]string{Paragraph: "p", Heading: "h", Code: "code", Table: "table", Rule: "rule"}[l.Kind]
		s := name + strings.Repeat(">", l.Quote) + strings.Repeat("-", l.Indent)
		if l.Marker != "" {
			s += " " + l.Marker
		}
		switch {
		case l.Kind == Code:
			s += " " + l.Lang + " " + l.Code
		case l.Kind == Table:
			for _, row := range l.Table {
				for _, c := range row {
					s += "|" + runsText(c)
				}
				s += "|"
			}
		case len(l.Runs) > 0:
			s += " " + runsText(l.Runs)
		}
		out = append(out, s)
	}
	return out
}

func runsText(runs []Run) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.Text)
	}
	return b.String()
}

func TestMarkdownBecomesLeaves(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"a paragraph", "one\ntwo", []string{"p one two"}},
		{"two paragraphs", "one\n\ntwo", []string{"p one", "p two"}},
		{"a hard break", "one  \ntwo", []string{"p one\ntwo"}},
		{"headings", "# a\n\nb\n=", []string{"h a", "h b"}},
		{"a fence with its language", "```go\nx := 1\n\ny\n```", []string{"code go x := 1\n\ny\n"}},
		{"a fence that is still open", "```\nx", []string{"code  x\n"}},
		{"an empty fence", "```\n```\nafter", []string{"code  ", "p after"}},
		{"indented code", "    x\n    y\n", []string{"code  x\ny\n"}},
		{"a list in a list", "- a\n  - b\n- c", []string{"p- • a", "p-- • b", "p- • c"}},
		{"numbers begin where the text says", "3. a\n4. b", []string{"p- 3. a", "p- 4. b"}},
		{"an item of two paragraphs", "1. a\n\n   b", []string{"p- 1. a", "p- b"}},
		{"tasks", "- [x] a\n- [ ] b", []string{"p- [x] a", "p- [ ] b"}},
		{"an empty item", "-\n- b", []string{"p- •", "p- • b"}},
		{"a quote", "> a\n>\n> b", []string{"p> a", "p> b"}},
		{"a table", "a|b\n-|-:\n1|2", []string{"table|a|b||1|2|"}},
		{"a rule", "a\n\n---\n\nb", []string{"p a", "rule", "p b"}},
		{"escapes and entities", `\*a\* &amp; &lt;b&gt;`, []string{"p *a* & <b>"}},
		{"html is text", "<b>x</b>", []string{"p <b>x</b>"}},
		{"an html block is text", "<div>\nx\n</div>", []string{"p <div>\nx\n</div>"}},
		{"a link shows its words", "[a](http://x)", []string{"p a"}},
		{"nothing", "", nil},
		{"blanks", " \n\n", nil},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, outline(Parse(tc.in))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestInlineStyles(t *testing.T) {
	got := Parse("a **b** *c* `d` ~~e~~ [f](http://g) <http://h>").leaves[0].Runs
	want := []Run{
		{Text: "a "},
		{Text: "b", Bold: true},
		{Text: " "},
		{Text: "c", Italic: true},
		{Text: " "},
		{Text: "d", Mono: true},
		{Text: " "},
		{Text: "e", Strike: true},
		{Text: " "},
		{Text: "f", Link: "http://g"},
		{Text: " "},
		{Text: "http://h", Link: "http://h"},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(Run{})); d != "" {
		t.Error(d)
	}
}

const mixedAnswer = "Para one\nstill one.\n\n# Head\n\n- a\n- b\n\n  more of b\n- c\n\n1. x\n\n2. y\n\n```go\nfunc f() {\n\n}\n```\n\n> quote\nlazy\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nSetext\n------\n\n    code\n\n    more\n\nend 日本語 🎉"

func TestAGrowingDocumentEndsLikeTheWhole(t *testing.T) {
	// given an answer, when it arrives in pieces of any size, then it looks as if parsed at once
	want := outline(Parse(mixedAnswer))
	for size := 1; size <= 17; size++ {
		d := New()
		for rest := mixedAnswer; rest != ""; {
			n := min(size, len(rest))
			d.Append(rest[:n])
			d.Settle(false)
			rest = rest[n:]
		}
		d.Settle(true)
		if diff := cmp.Diff(want, outline(d)); diff != "" {
			t.Fatalf("pieces of %d bytes: %s", size, diff)
		}
	}
}

func TestFinishedLeavesNeverChange(t *testing.T) {
	d := New()
	var before []Leaf
	for i := range len(mixedAnswer) {
		d.Append(mixedAnswer[i : i+1])
		d.Settle(false)
		if len(d.leaves) < len(before) {
			t.Fatalf("after %d bytes: finished leaves went from %d to %d", i, len(before), len(d.leaves))
		}
		if diff := cmp.Diff(before, d.leaves[:len(before)], cmp.AllowUnexported(Leaf{}, Run{}, Span{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("after %d bytes: %s", i, diff)
		}
		before = append([]Leaf(nil), d.leaves...)
	}
	if len(before) < 8 {
		t.Errorf("only %d leaves were finished before the end", len(before))
	}
}

func TestReplaceWithTheWholeAnswer(t *testing.T) {
	d := New()
	d.Append("half an ans")
	d.Settle(false)
	d.Replace("the whole answer")
	d.Settle(true)
	if d.Text() != "the whole answer" {
		t.Errorf("text is %q", d.Text())
	}
	if diff := cmp.Diff([]string{"p the whole answer"}, outline(d)); diff != "" {
		t.Error(diff)
	}
}

func FuzzMarkdownSplit(f *testing.F) {
	for _, s := range []string{mixedAnswer, "", "```", "- a\n\n1", "1. a\n\n2", "a|b\n-", "a\n-", "> - x\n```", "[a]: b\n\n[a]", "<!-- x", "<div>\n\n*x*", "\x00\xff", "* * *\n- -", "\t- a\n\t\tb", "~~~\n```\n~~~", "a\r\n\r\nb\rc", "| a |\n|--|\n|`|`|\n\n", "&#0; &bogus;", "![i](x)\n\\"} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, s string, step uint8) {
		md := New().md
		joined := ""
		at := 0
		for _, b := range splitBlocks(md, []byte(s)) {
			if b.from != at || b.to < b.from {
				t.Fatalf("a block begins at %d, the one before ended at %d", b.from, at)
			}
			joined += s[b.from:b.to]
			at = b.to
		}
		if joined != s {
			t.Fatalf("the blocks together are %q", joined)
		}
		d := New()
		for rest := s; rest != ""; {
			n := min(max(1, int(step)), len(rest))
			d.Append(rest[:n])
			finished, leaves := d.finished, len(d.leaves)
			d.Settle(false)
			if d.finished < finished || len(d.leaves) < leaves {
				t.Fatal("what was finished is not any more")
			}
			rest = rest[n:]
		}
		d.Settle(true)
		if d.Text() != s || d.finished != len(s) || d.tail != nil {
			t.Fatalf("at the end: %q, %d of %d bytes finished", d.Text(), d.finished, len(s))
		}
	})
}
