package linediff

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// marked writes a comparison as people do: "+new", "-old", " same".
func marked(lines []Line) string {
	var out []string
	for _, d := range lines {
		out = append(out, string(" +-"[d.Op])+d.Text)
	}
	return strings.Join(out, "|")
}

func TestLines(t *testing.T) {
	for name, tc := range map[string]struct{ before, after, want string }{
		"nothing changed":           {"a\nb", "a\nb", " a| b"},
		"a line is added":           {"a\nc", "a\nb\nc", " a|+b| c"},
		"a line is removed":         {"a\nb\nc", "a\nc", " a|-b| c"},
		"a line is changed":         {"a\nb\nc", "a\nB\nc", " a|-b|+B| c"},
		"two places":                {"a\nb\nc\nd", "a\nx\nc\ny\nd", " a|-b|+x| c|+y| d"},
		"all is new":                {"", "a\nb", "-|+a|+b"},
		"all goes":                  {"a\nb", "", "-a|-b|+"},
		"a line is doubled":         {"a\nb", "a\na\nb", " a|+a| b"},
		"a doubled line loses one":  {"a\na\na", "a\na", " a| a|-a"},
		"lines changed their order": {"a\nb\nc", "c\na\nb", "+c| a| b|-c"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Lines(tc.before, tc.after)
			if diff := cmp.Diff(tc.want, marked(got)); diff != "" {
				t.Error(diff)
			}
			checkNumbers(t, tc.before, tc.after, got)
		})
	}
}

// checkNumbers rebuilds both versions from a comparison, using its line numbers.
func checkNumbers(t *testing.T, before, after string, lines []Line) {
	t.Helper()
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	nextA, nextB := 1, 1
	for _, d := range lines {
		if d.Op != Added {
			if d.Before != nextA || a[d.Before-1] != d.Text {
				t.Fatalf("%+v is not line %d of %q", d, nextA, before)
			}
			nextA++
		}
		if d.Op != Removed {
			if d.After != nextB || b[d.After-1] != d.Text {
				t.Fatalf("%+v is not line %d of %q", d, nextB, after)
			}
			nextB++
		}
	}
	if nextA != len(a)+1 || nextB != len(b)+1 {
		t.Fatalf("%d of %d and %d of %d lines are there", nextA-1, len(a), nextB-1, len(b))
	}
}

func FuzzDiffLines(f *testing.F) {
	f.Add("a\nb\nc", "a\nx\nc\n")
	f.Add("", "\n\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		if len(before)+len(after) > 4000 {
			return
		}
		checkNumbers(t, before, after, Lines(before, after))
	})
}

func TestLinesOfVeryLongTextsHasBoundedCost(t *testing.T) {
	before, after := strings.Repeat("a\n", 30000), strings.Repeat("b\n", 30000)
	checkNumbers(t, before, after, Lines(before, after))
}

func TestMergeKeepsEveryLineOfBothEdits(t *testing.T) {
	for name, tc := range map[string]struct{ base, mine, theirs, want string }{
		"only mine":                   {"a\nb\n", "a\nB\n", "a\nb\n", "a\nB\n"},
		"only theirs":                 {"a\nb\n", "a\nb\n", "a\nb\nc\n", "a\nb\nc\n"},
		"different places":            {"a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"},
		"the same edit":               {"a\n", "b\n", "b\n", "b\n"},
		"both change one line":        {"a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n", "a\ntheirs\nmine\nc\n"},
		"both add at the end":         {"a\n", "a\nmine\n", "a\ntheirs\n", "a\ntheirs\nmine\n"},
		"both add the same and more":  {"a\n", "a\nx\nmine\n", "a\nx\n", "a\nx\nmine\n"},
		"mine removes, theirs adds":   {"a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n", "a\nc\nd\n"},
		"mine removes, theirs edits":  {"a\nb\n", "a\n", "a\nB\n", "a\nB\n"},
		"the file was empty":          {"", "mine", "theirs", "theirs\nmine"},
		"theirs took everything away": {"a\nb", "a\nb\nmine", "", "\nmine"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Merge(tc.base, tc.mine, tc.theirs)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
