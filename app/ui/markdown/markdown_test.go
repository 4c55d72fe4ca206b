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

// A code block that contains fences ends where it was meant to, if all of them are closed.
func TestFencesInFences(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want []string
	}{
		"markdown in markdown":     {"```markdown\n# T\n```go\nx\n```\nend\n```\nafter", []string{"code markdown # T\n```go\nx\n```\nend\n", "p after"}},
		"another name, tildes":     {"~~~md\n~~~sh\nx\n~~~\n~~~\nafter", []string{"code md ~~~sh\nx\n~~~\n", "p after"}},
		"two inside":               {"```md\n```go\nx\n```\n\n```sh\ny\n```\n```\nafter", []string{"code md ```go\nx\n```\n\n```sh\ny\n```\n", "p after"}},
		"in one inside":            {"```md\n```md\n```go\nx\n```\n```\n```\nafter", []string{"code md ```md\n```go\nx\n```\n```\n", "p after"}},
		"words behind the name":    {"```Markdown title=a\n```go\nx\n```\n```\nafter", []string{"code Markdown ```go\nx\n```\n", "p after"}},
		"in a list":                {"- a\n  ```md\n  ```go\n  x\n  ```\n  ```\n- b", []string{"p- • a", "code- md ```go\nx\n```\n", "p- • b"}},
		"in a quote":               {"> ```md\n> ```go\n> x\n> ```\n> ```\n> b", []string{"code> md ```go\nx\n```\n", "p> b"}},
		"the outer isn't closed":   {"```md\n# T\n```go\nx\n```\nafter", []string{"code md # T\n```go\nx\n", "p after"}},
		"longer marks":             {"````md\n```go\nx\n```\n````\nafter", []string{"code md ```go\nx\n```\n", "p after"}},
		"a script that writes it":  {"```sh\ncat <<E\n```go\nx\n```\nE\n```\nafter", []string{"code sh cat <<E\n```go\nx\n```\nE\n", "p after"}},
		"without a name":           {"```\n# T\n```go\nx\n```\n```\nafter", []string{"code  # T\n```go\nx\n```\n", "p after"}},
		"an end that is forgotten": {"```py\nx\n```sh\nls\n```\nsays\n```\na\n```\nafter", []string{"code py x\n```sh\nls\n", "p says", "code  a\n", "p after"}},
		"no fence inside":          {"```md\n# T\n```\n```go\nx\n```\nafter", []string{"code md # T\n", "code go x\n", "p after"}},
		"code in a line":           {"```md\n```a``` b\n```\nafter", []string{"code md ```a``` b\n", "p after"}},
	} {
		if d := cmp.Diff(tt.want, outline(Parse(tt.in))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		for size := range len(tt.in) { // every beginning ends like the whole of it
			d := New()
			for i := range size {
				d.Append(tt.in[i : i+1])
				d.Settle(false)
			}
			d.Settle(true)
			if diff := cmp.Diff(outline(Parse(tt.in[:size])), outline(d)); diff != "" {
				t.Fatalf("%s, after %d bytes: %s", name, size, diff)
			}
		}
	}
}

// While markdown with code inside arrives, it stays one block.
func TestMarkdownWithCodeArrivesAsOneBlock(t *testing.T) {
	d, in := New(), "```markdown\n# T\n\n```go\nx\n```\n\nwords\n\n- a list\n"
	for i := range len(in) {
		d.Append(in[i : i+1])
		d.Settle(false)
		if n := len(d.leaves) + len(d.tail); n > 1 {
			t.Fatalf("after %q: %q", in[:i+1], outline(d))
		}
	}
}

// Of the tags, only those of a sentence mean something; all others are text.
func TestTags(t *testing.T) {
	type style struct {
		sub, sup, key string
	}
	for in, want := range map[string]struct {
		text string
		style
	}{
		"H<sub>2</sub>O, m<sup>2</sup>":         {"H2O, m2", style{"2", "2", ""}},
		"press <kbd>Ctrl</kbd>+<KBD>C</KBD>":    {"press Ctrl+C", style{"", "", "CtrlC"}},
		"<kbd>Esc</kbd>":                        {"Esc", style{"", "", "Esc"}},
		"one<br>two<br/>three <BR /> four":      {"one\ntwo\nthree\nfour", style{}},
		"one\n<br>\ntwo":                        {"one\ntwo", style{}},
		"x<sub>a **b**</sub>":                   {"xa b", style{"a b", "", ""}},
		"x<sub>a<sup>b</sup></sub>":             {"xab", style{"a", "b", ""}},
		"a<sub>b":                               {"a<sub>b", style{}},
		"a</sub>b":                              {"a</sub>b", style{}},
		"<kbd>a<sub>b</kbd>":                    {"a<sub>b", style{"", "", "a<sub>b"}},
		"**a<sub>b**</sub>":                     {"a<sub>b</sub>", style{}},
		"List<String> x":                        {"List<String> x", style{}},
		"Dear <NAME>,":                          {"Dear <NAME>,", style{}},
		"<answer>42</answer>":                   {"<answer>42</answer>", style{}},
		"a <b>b</b> <span style=\"x\">c</span>": {"a <b>b</b> <span style=\"x\">c</span>", style{}},
		"`<br>` &lt;br&gt; \\<br>":              {"<br> <br> <br>", style{}},
		"<!-- a --> b":                          {"<!-- a --> b", style{}},
		"<script>alert(1)</script>":             {"<script>alert(1)</script>", style{}},
		"<details><summary>a</summary>":         {"<details><summary>a</summary>", style{}},
	} {
		got, st := "", style{}
		for _, l := range Parse(in).leaves {
			for _, r := range l.Runs {
				got += r.Text
				switch {
				case r.Key:
					st.key += r.Text
				case r.Lift > 0:
					st.sup += r.Text
				case r.Lift < 0:
					st.sub += r.Text
				}
			}
		}
		if got != want.text || st != want.style {
			t.Errorf("%q gives %q %+v, want %q %+v", in, got, st, want.text, want.style)
		}
	}
	if d := cmp.Diff([]string{"table|a|b||x\ny|1\n2|"}, outline(Parse("|a|b|\n|-|-|\n|x<br>y|1<br/>2|"))); d != "" {
		t.Error(d)
	}
}

// Footnotes are at the end, in the order in which the text refers to them.
func TestFootnotes(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want []string
	}{
		"two":                  {"a[^2] b[^1].\n\n[^1]: one\n[^2]: two", []string{"p a1 b2.", "rule", "p- 1. two", "p- 2. one"}},
		"beside each other":    {"a[^1][^2]\n\n[^1]: one\n[^2]: two", []string{"p a1,2", "rule", "p- 1. one", "p- 2. two"}},
		"named, in the middle": {"a[^note]\n\n[^note]: one\n\nlast", []string{"p a1", "p last", "rule", "p- 1. one"}},
		"twice":                {"a[^x], b[^x]\n\n[^x]: one", []string{"p a1, b1", "rule", "p- 1. one"}},
		"of two paragraphs":    {"a[^1]\n\n[^1]: one\n\n    two\n\nlast", []string{"p a1", "p last", "rule", "p- 1. one", "p- two"}},
		"that is an address":   {"a[^1]\n\n[^1]: https://example.org/x", []string{"p a1", "rule", "p- 1. https://example.org/x"}},
		"in a table":           {"|a[^1]|\n|-|\n|b|\n\n[^1]: one", []string{"table|a1||b|", "rule", "p- 1. one"}},
		"nothing refers to it": {"a\n\n[^1]: one **b**\n\nlast", []string{"p a", "p [^1]: one b", "p last"}},
		"it doesn't exist":     {"a[^1] and [^a-z]", []string{"p a[^1] and [^a-z]"}},
		"in code":              {"`a[^1]`\n\n```\n[^1]: x\n```", []string{"p a[^1]", "code  [^1]: x\n"}},
		"of a footnote":        {"a[^1]\n\n[^1]: see[^2]\n[^2]: two", []string{"p a1", "rule", "p- 1. see2", "p- 2. two"}},
		"empty":                {"a[^1]\n\n[^1]:\n\nlast", []string{"p a1", "p last", "rule", "p- 1."}},
		"said twice":           {"a[^1]\n\n[^1]: one\n[^1]: other", []string{"p a1", "p [^1]: other", "rule", "p- 1. one"}},
	} {
		if d := cmp.Diff(tt.want, outline(Parse(tt.in))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		for _, l := range Parse(tt.in).leaves {
			if l.Footnote != (l.Kind == Rule || l.Indent > 0) {
				t.Errorf("%s: %+v", name, l)
			}
		}
		grow(t, tt.in, func() int { return 1 })
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
		for _, b := range splitBlocks(md, []byte(s), false) {
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
