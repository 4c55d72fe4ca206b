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
)

func TestInject(t *testing.T) {
	const text = "# Me\n\n- oldest ä <!-- 2026-01-01 -->\n- old\n\n<!-- a note\nto myself -->\n## Work\n\n- new\n  goes on\n\n## Empty\n"
	for _, tc := range []struct {
		name   string
		budget int
		want   string
		cut    int
	}{
		{"given room, then all of it without comments", 100, "# Me\n\n- oldest ä\n- old\n\n## Work\n\n- new\n  goes on\n\n## Empty", 0},
		{"given less room, then the oldest bullet goes", 37, "# Me\n- old\n## Work\n- new\n  goes on", 1},
		{"given room for one, then the newest with its headings", 30, "# Me\n## Work\n- new\n  goes on", 2},
		{"given no room, then nothing", 5, "", 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := Inject(text, tc.budget)
			want := Injected{Text: tc.want, Used: utf8.RuneCountInString(tc.want), Size: 58, Budget: tc.budget, Cut: tc.cut}
			if diff := cmp.Diff(want, in); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseReadsBullets(t *testing.T) {
	const text = "# M\n- a <!-- one --> b <!-- 2026-11-21 cpu-a -->\n* * *\n---\n-no\n- \n2) two\n   lines <!-- x -->\n* **bold** x\n\t- in\n- [ ] task\n- <!-- only -->\n"
	want := []Bullet{{2, "a b", "2026-11-21 cpu-a"}, {7, "two lines", "x"}, {9, "**bold** x", ""}, {10, "in", ""}, {11, "[ ] task", ""}}
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
			out := LeftOut(text, tc.budget)
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
	fromPattern   = regexp.MustCompile(`<!--([^<>\n]*)-->[ \t]*$`)
	headingLine   = regexp.MustCompile(`^ {0,3}(#{1,6})([ \t]|$)`)
	fenceLine     = regexp.MustCompile("^[ \t]*(```+|~~~+)")
	ruleLine      = regexp.MustCompile(`^ {0,3}([-*_][ \t]*){3,}$`)
)

// checkLine checks that the parser reads a line as the regular expressions do.
func checkLine(t *testing.T, line string) {
	t.Helper()
	groups := func(p *regexp.Regexp) []string { return append(p.FindStringSubmatch(line), "", "", "", "") }
	pad, sign, text, _ := cutBullet(line)
	_, from := cutProvenance(line)
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
		if in.Used != utf8.RuneCountInString(in.Text) || in.Used > max(0, budget) || len(commentSpans(in.Text)) > len(commentSpans(withoutComments(text))) {
			t.Fatalf("injected %+v", in)
		}
		if clean, err := lesson.Check(said); err == nil {
			out, line, added := m.Insert([]byte(raw), clean+" <!-- 2026-11-21 -->")
			undone, ok := Change{Line: added}.Revert(out)
			if !ok || strings.TrimRight(string(undone), "\r\n") != strings.TrimRight(raw, "\r\n") {
				t.Fatalf("inserted at %d and removed:\n got %q\nwant %q", line, undone, raw)
			}
		}
	})
}
