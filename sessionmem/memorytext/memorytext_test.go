package memorytext

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestInject(t *testing.T) {
	const text = "# Me\n\n- oldest ä <!-- 2026-01-01 -->\n- old\n\n<!-- a note\nto myself -->\n## Work\n\n- new\n  goes on\n\n## Dry\n"
	for _, tc := range []struct {
		name   string
		budget int
		want   string
		pieces int
		left   int
	}{
		{"given room, then all of it without comments", 100, "# Me\n\n- oldest ä\n- old\n\n## Work\n\n- new\n  goes on\n\n## Dry", 4, 0},
		{"given less room, then the oldest bullet goes", 46, "# Me\n- old\n## Work\n- new\n  goes on\n## Dry", 3, len("- oldest a")},
		{"given room for one, then the newest with its headings", 35, "# Me\n## Work\n- new\n  goes on\n## Dry", 2, len("- oldest a- old")},
		{"given no room, then nothing", 5, "", 0, len("# Me- oldest a- old## Work- new\n  goes on## Dry")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := Inject(text, tc.budget)
			want := Injected{Text: tc.want, Pieces: tc.pieces, Used: utf8.RuneCountInString(tc.want), Size: 56, Budget: tc.budget, Left: tc.left}
			if diff := cmp.Diff(want, in, cmpopts.IgnoreUnexported(Injected{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Any text is memory. What a prompt has no room for is counted to the character.
func TestInjectAnyText(t *testing.T) {
	sentence := "The project has many parts and each is described here. "
	for name, text := range map[string]string{
		"paragraphs":           "## Project\n\n" + strings.Repeat(strings.Repeat(sentence, 25)+"\n\n", 8) + "- boat called Aurelia\n",
		"one paragraph":        strings.Repeat(sentence, 400),
		"one paragraph of CJK": strings.Repeat("犬の名前はポチです。", 2000),
		"one word":             strings.Repeat("x", 20000),
		"one bullet":           "- " + strings.Repeat(sentence, 400),
		"lines without blanks": strings.Repeat(sentence+"\n", 400),
		"a table":              "| part | what |\n|---|---|\n" + strings.Repeat("| a | described here |\n", 900),
		"code":                 "```sh\n" + strings.Repeat("make part\n", 1500) + "```\n",
		"headings":             "# About me\n\n" + strings.Repeat("## Prefers metric units\n\n", 500),
		"quotes":               strings.Repeat("> "+sentence+"\n>\n", 300),
	} {
		in := Inject(text, 8000)
		if in.Used > 8000 || in.Used < 6500 || in.Used != utf8.RuneCountInString(in.Text) || in.Pieces == 0 {
			t.Errorf("%s: %d of 8000 characters used, %d pieces", name, in.Used, in.Pieces)
		}
		letters := func(s string) int { return utf8.RuneCountInString(strings.Join(strings.Fields(s), "")) }
		missing := letters(text) - letters(strings.ReplaceAll(in.Text, "…", ""))
		if all := utf8.RuneCountInString(strings.TrimSpace(text)) - in.Used; in.Left < missing || in.Left > all+5 {
			t.Errorf("%s: %d characters counted as left out, %d of %d letters and %d of all characters are", name, in.Left, missing, letters(text), all)
		}
		if strings.Count(in.Text, "```")%2 != 0 {
			t.Errorf("%s: the code isn't closed: …%s", name, in.Text[len(in.Text)-40:])
		}
	}
}

// Front matter is no memory. A rule at the beginning of a text isn't front matter.
func TestFrontMatter(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntags:\n  - personal\ncreated: 2026-01-01\n---\n\nI live in a red house.\n": "I live in a red house.",

		"---\ntags:\n- a\n- b\n---\n- c":                   "- c",
		"---\n---\n- c":                                    "- c",
		"--- \na: |\n  x\n  # y\n\n  z\n...\n- c":          "- c",
		"+++\ntitle = \"x\"\n[params]\na = 1\n+++\n- c":    "- c",
		"---\n# set by a program\n\"a b\": {\n}\n---\n- c": "- c",
		"---\n- a\n- b":                                    "---\n- a\n- b",
		"---\ntags: x\n- a":                                "---\ntags: x\n- a",
		"---\n- a\n---\n- b":                               "---\n- a\n---\n- b",
		"---\n# Me\n---\n- b":                              "---\n# Me\n---\n- b",
		"---\nI live: here\nand there\n---\n- b":           "---\nI live: here\nand there\n---\n- b",
		"text\n---\na: b\n---":                             "text\n---\na: b\n---",
	} {
		for _, raw := range []string{text, "\ufeff" + text, strings.ReplaceAll(text, "\n", "\r\n")} {
			if got := Inject(Normalize([]byte(raw)), 1000).Text; got != want {
				t.Errorf("%q: %q, want %q", raw, got, want)
			}
		}
	}
}

// Only what a markdown reader takes for a comment is one.
func TestComments(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"a line", "- a\n<!-- x -->\n- b", "- a\n- b"},
		{"several lines, blank ones too", "- a\n<!-- x\n\n- y\n-->\n- b", "- a\n- b"},
		{"in a sentence", "a <!-- x --> b", "a  b"},
		{"in a code span", "- Use `<!--` to open\n- boat\n- Flow: A --> B\n- cat", "- Use `<!--` to open\n- boat\n- Flow: A --> B\n- cat"},
		{"whole in a code span", "Write `<!-- x -->` there", "Write `<!-- x -->` there"},
		{"in a longer code span", "Write ``a ` <!-- x -->`` there", "Write ``a ` <!-- x -->`` there"},
		{"behind a lone backtick", "It's ` a <!-- x --> b", "It's ` a  b"},
		{"in a fence", "```html\n<!-- keep -->\n<p>x</p>\n```\n- cat", "```html\n<!-- keep -->\n<p>x</p>\n```\n- cat"},
		{"begun in a fence", "~~~\n<!-- keep\n~~~\n- cat -->", "~~~\n<!-- keep\n~~~\n- cat -->"},
		{"in a fence of a bullet", "- x\n  ```\n  <!-- keep -->\n  ```\n- y", "- x\n  ```\n  <!-- keep -->\n  ```\n- y"},
		{"in an indented example", "Like:\n\n    <!-- keep -->\n\nso", "Like:\n\n    <!-- keep -->\n\nso"},
		{"escaped", "a \\<!-- keep --> b", "a \\<!-- keep --> b"},
		{"ends in another bullet", "- a <!-- x\n- b --> c", "- a <!-- x\n- b --> c"},
		{"ends in another paragraph", "a <!-- x\n\nb --> c", "a <!-- x\n\nb --> c"},
		{"never ends", "<!-- x\n- a", "<!-- x\n- a"},
		{"empty", "<!-->- a\n- b", "    - a\n- b"},
		{"a fence inside a comment", "<!--\n```\n-->\n- a <!-- x -->", "- a"},
		{"not a fence", "```a``` <!-- x --> b", "```a```  b"},
	} {
		if got := Inject(tc.text, 1000).Text; got != strings.TrimSpace(tc.want) && got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestParseReadsBullets(t *testing.T) {
	const text = "# M\n- a <!-- one --> b <!-- 2026-11-21 cpu-a -->\n* * *\n---\n-no\n- \n2) two\n   lines <!-- x -->\n* **bold** x\n\t- in\n- [ ] task\n- <!-- only -->\n"
	want := []Bullet{
		{2, "a b", "a b", "2026-11-21 cpu-a"}, {7, "two lines", "two", "x"}, {9, "**bold** x", "**bold** x", ""}, {10, "in", "in", ""}, {11, "[ ] task", "[ ] task", ""},
	}
	if diff := cmp.Diff(want, Parse(text).Bullets()); diff != "" {
		t.Error(diff)
	}
}

func TestLeftOutIsWhatInjectCuts(t *testing.T) {
	text := "\n# A\n\n- one\n- two <!-- 2026-11-21 cpu-a -->\n<!-- a\ncomment -->\n## B\n\n- three\n- four\n"
	for name, tc := range map[string]struct {
		budget int
		want   []int
	}{
		"all fits":                 {1000, nil},
		"no room for its headings": {12, []int{2, 4, 5, 8, 10, 11}},
		"B with one line":          {16, []int{4, 5, 10}},
		"B with both":              {24, []int{4, 5}},
		"nothing fits":             {2, []int{2, 4, 5, 8, 10, 11}},
	} {
		t.Run(name, func(t *testing.T) {
			out := Inject(text, tc.budget).out
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(out))); diff != "" {
				t.Error(diff)
			}
			lines, in := strings.Split(text, "\n"), Inject(text, tc.budget).Text
			for n := range out {
				if words := strings.TrimSpace(strings.Split(lines[n-1], "<!--")[0]); strings.Contains(in, words) {
					t.Errorf("line %d %q is left out and in the prompt %q", n, words, in)
				}
			}
			for i, line := range lines {
				words := strings.TrimSpace(strings.Split(line, "<!--")[0])
				if words != "" && words != "comment -->" && !out[i+1] && !strings.Contains(in, words) {
					t.Errorf("line %d %q is neither left out nor in the prompt %q", i+1, words, in)
				}
			}
		})
	}
}

// The kinds of lines as regular expressions, which the parser recognises without them.
var (
	bulletPattern = regexp.MustCompile(`^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(\S.*)$`)
	fromPattern   = regexp.MustCompile(`<!--([^<>\n]*)-->[ \t\r]*$`)
	headingLine   = regexp.MustCompile(`^ {0,3}(#{1,6})([ \t]|$)`)
	fenceLine     = regexp.MustCompile("^[ \t]*(```+|~~~+)")
	ruleLine      = regexp.MustCompile(`^ {0,3}([-*_][ \t]*){3,}$`)
)

// commentsOf returns the last comment of a line, wherever it begins.
func commentsOf(line string) [][2]int {
	i := strings.LastIndex(line, "<!--")
	if i < 0 || commentEnd(line[i:]) < 0 {
		return nil
	}
	return [][2]int{{i, i + commentEnd(line[i:])}}
}

// checkLine checks that the parser reads a line as the regular expressions do.
func checkLine(t *testing.T, line string) {
	t.Helper()
	groups := func(p *regexp.Regexp) []string { return append(p.FindStringSubmatch(line), "", "", "", "") }
	pad, sign, text, _ := cutBullet(line)
	from := provenance(line, commentsOf(line), len(line))
	got := []string{pad, sign, text, transcript.OpeningFence(line), fmt.Sprint(headingLevel(line), isRule(line)), from}
	b := groups(bulletPattern)
	want := []string{b[1], b[2], b[3], groups(fenceLine)[1], fmt.Sprint(len(groups(headingLine)[1]), ruleLine.MatchString(line)), strings.TrimSpace(groups(fromPattern)[1])}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("line %q (-pattern +parser):\n%s", line, diff)
	}
}

func TestLinesOfAMemoryFile(t *testing.T) {
	for _, line := range []string{
		"", "-", "- ", "- a", "-a", "  * a", "\t+ a", "1. a", "12) a", "123456789. a", "1234567890. a", "1.a", "1", "-\ta", "- - a", "-  \r", "- \v",
		"#", "# a", "###### a", "####### a", "#a", "   # a", "    # a", "#\ta", "# ", "---", "- - -", "**", "***", "-*_", "    ---", "--- a", "_ _\t_ ",
		"```", "~~~go", "``", "  ````x", "`~`", "<!-- a -->", "a <!-- b --> \t", "<!-- a<b -->", "<!-- x <!-- y -->", "<!---->", "<!-->", "- a <!-- 2026-11-21 cpu-a -->", "é <!--é-->",
	} {
		checkLine(t, line)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# M\n- one <!-- 2026 -->\n  more\n\n1. x\n```\n- c\n```\n<!--\n- h\n-->\n", "tea", 20)
	f.Add("\ufeff- a\r\n+ b\r\n", "x y z", 3)
	f.Add("- \xff\n~~~\n", "<!-- -->", 0)
	f.Fuzz(func(t *testing.T, raw, said string, budget int) {
		text := Normalize([]byte(raw))
		m := Parse(text)
		var lines []string
		for _, it := range m.Items {
			lines = append(lines, it.Lines...)
		}
		if got := strings.Join(lines, "\n"); got != text {
			t.Fatalf("taken apart and put together:\n got %q\nwant %q", got, text)
		}
		for _, l := range m.Lines {
			checkLine(t, l)
		}
		for _, b := range m.Bullets() {
			if b.Text == "" || strings.Contains(b.Text, "\n") || b.Line < 1 || b.Line > len(lines) {
				t.Fatalf("bullet %+v", b)
			}
		}
		in := Inject(text, budget)
		if in.Used != utf8.RuneCountInString(in.Text) || in.Used > max(0, budget) || in.Left < 0 || in.Left > in.Size || (in.Left == 0) != (in.Size <= budget) && in.Size > 0 && in.Left > 0 {
			t.Fatalf("injected %+v", in)
		}
		if clean, err := lesson.Check(said); err == nil {
			out, change := m.Append([]byte(raw), clean+" <!-- 2026-11-21 -->")
			checkAppended(t, raw, string(out), BulletOf("- "+clean).Text, change)
		}
	})
}
