package memorytext

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A new line goes to the end, below the app's own heading: nothing of a person's gives it
// another meaning. All other bytes stay, and undoing it restores the file to the byte.
func TestAppend(t *testing.T) {
	const own = "## Remembered\n\n- tea\n"
	for _, tc := range []struct{ name, raw, want string }{
		{"no file", "", own},
		{"a list", "# M\n\n- one\n", "# M\n\n- one\n\n" + own},
		{"no line end", "- one", "- one\n\n" + own},
		{"a blank line at the end", "prose\n\n", "prose\n\n" + own},
		{"a procedure", "1) one\n2) two\n", "1) one\n2) two\n\n" + own},
		{"a heading that would turn it around", "## Never do this\n\n- x\n", "## Never do this\n\n- x\n\n" + own},
		{"front matter", "---\ntags:\n  - personal\n---\n", "---\ntags:\n  - personal\n---\n\n" + own},
		{"an open code block", "~~~go\nx", "~~~go\nx\n~~~\n\n" + own},
		{"a code block that is open in a list", "- run\n  ```\n  x\n", "- run\n  ```\n  x\n\n" + own},
		{"an indented example", "Like this:\n\n    - x\n", "Like this:\n\n    - x\n\n" + own},
		{"an open comment", "<!-- to do\n- x\n", "<!-- to do\n- x\n\n" + own},
		{"its own heading", "- a\n\n## Remembered\n\n- b\n", "- a\n\n## Remembered\n\n- b\n- tea\n"},
		{"what a person wrote below a line", "## Remembered\n\n- b\n  (more)", "## Remembered\n\n- b\n  (more)\n- tea\n"},
		{"a paragraph below its own heading", "## Remembered\n\n- b\n\nmine\n", "## Remembered\n\n- b\n\nmine\n\n- tea\n"},
		{"its own heading without a line", "## Remembered\n", "## Remembered\n\n- tea\n"},
		{"a section behind its own", "## Remembered\n\n- b\n\n## Mine\n", "## Remembered\n\n- b\n\n## Mine\n\n" + own},
		{"its heading as an example", "```\n## Remembered\n```\n", "```\n## Remembered\n```\n\n" + own},
		{"Windows line ends and a mark", "\ufeffprose\r\n", "\ufeffprose\r\n\r\n## Remembered\r\n\r\n- tea\r\n"},
	} {
		for _, comment := range []string{"", " <!-- 2026-11-21 cpu-a -->"} {
			out, change := ParseBytes([]byte(tc.raw)).Append([]byte(tc.raw), "tea"+comment)
			want := strings.Replace(tc.want, "- tea", "- tea"+comment, 1)
			if strings.Contains(tc.raw, "<!--") {
				want = tc.want
			}
			if diff := cmp.Diff(want, string(out)); diff != "" {
				t.Errorf("%s: %s", tc.name, diff)
			}
			checkAppended(t, tc.raw, string(out), "tea", change)
		}
	}
}

// checkAppended checks what holds for every file that a line was added to.
func checkAppended(t *testing.T, raw, out, text string, change Change) {
	t.Helper()
	if !strings.HasPrefix(out, raw) {
		t.Errorf("%q became %q", raw, out)
	}
	before, after := Pieces(Normalize([]byte(raw))), Pieces(Normalize([]byte(out)))
	if len(after) != len(before)+1 || after[len(after)-1].Text != text || after[len(after)-1].Heading != "Remembered" || after[len(after)-1].Line != change.At+1 {
		t.Errorf("%q: the pieces %+v became %+v", raw, before, after)
	}
	for i, p := range before {
		if !strings.HasPrefix(after[i].Text, p.Text) || after[i].Line != p.Line {
			t.Errorf("%q: the piece %+v became %+v", raw, p, after[i])
		}
	}
	lines := strings.Split(strings.TrimRight(Normalize([]byte(out)), "\n"), "\n")
	if lines[len(lines)-1] != change.Line {
		t.Errorf("%q: the last line is %q", raw, lines[len(lines)-1])
	}
	if back, ok := change.Revert([]byte(out)); !ok || string(back) != raw {
		t.Errorf("%q: reverted to %q", raw, back)
	}
	twice, _ := ParseBytes([]byte(out)).Append([]byte(out), "coffee")
	if again := Pieces(Normalize(twice)); len(again) != len(after)+1 || strings.Count(string(twice), ownHeading) != strings.Count(out, ownHeading) {
		t.Errorf("%q: a second line makes it %q", raw, twice)
	}
}

// What a person writes below a remembered line belongs to it, and goes with it.
func TestWhatIsWrittenBelowALineBelongsToIt(t *testing.T) {
	for _, more := range []string{"  (behind the ladder)", "(behind the ladder)", "\t(behind the ladder)", "\n  (behind the ladder)"} {
		raw := "# Me\n\n- works nights\n"
		out, change := ParseBytes([]byte(raw)).Append([]byte(raw), "key in the shed <!-- 2026-11-27 cpu-a -->")
		edited := string(out) + more + "\n"
		bullets := ParseBytes([]byte(edited)).Bullets()
		want := Bullet{Line: 7, Text: "key in the shed (behind the ladder)", Head: "key in the shed", From: "2026-11-27 cpu-a"}
		if diff := cmp.Diff(want, bullets[len(bullets)-1]); diff != "" {
			t.Errorf("%q: %s", more, diff)
		}
		if back, ok := change.Revert([]byte(edited)); !ok || string(back) != raw {
			t.Errorf("%q: reverted to %q", more, back)
		}
	}
}

// A line is replaced or removed without touching another byte, and that can be undone.
func TestReplaceAndRevert(t *testing.T) {
	for _, tc := range []struct {
		name, raw, bullet string
		item              string // the bullet's text
		want              string
	}{
		{"replaced", "- one\n* two <!-- x -->\n- three\n", "new", "two", "- one\n* new\n- three\n"},
		{"removed", "- one\n- two\n- three\n", "", "two", "- one\n- three\n"},
		{"the first, behind a mark", "\ufeff- one\r\n- two\r\n", "", "one", "\ufeff- two\r\n"},
		{"of several lines", "- one\n  goes on\n- two\n", "new", "one goes on", "- new\n- two\n"},
		{"the last, without a line end", "- one\n- two", "", "two", "- one\n"},
	} {
		text := ParseBytes([]byte(tc.raw))
		for _, it := range text.Items {
			if b, _ := it.Bullet(); b.Text != tc.item {
				continue
			}
			out, added, gone := it.Replace([]byte(tc.raw), tc.bullet)
			if string(out) != tc.want {
				t.Errorf("%s: %q, want %q", tc.name, out, tc.want)
			}
			back, ok := Change{Line: added, Old: gone, After: text.Above(it), At: it.First}.Revert(out)
			if !ok || string(back) != tc.raw {
				t.Errorf("%s: reverted to %q", tc.name, back)
			}
		}
	}
	if back, ok := (Change{Line: "- gone"}).Revert([]byte("- one\n")); ok {
		t.Errorf("a line that is gone is reverted to %q", back)
	}
}

// A removed line comes back below the line that was above it, nearest to its old place.
func TestReinsert(t *testing.T) {
	for _, tc := range []struct {
		raw  string
		u    Change
		want string
	}{
		{"- a\n- b\n- a\n- c\n", Change{Old: []byte("- x\n"), After: "- a", At: 3}, "- a\n- b\n- a\n- x\n- c\n"},
		{"- a\n- b\n- a\n- c\n", Change{Old: []byte("- x\n"), After: "- a", At: 1}, "- a\n- x\n- b\n- a\n- c\n"},
		{"- b\n", Change{Old: []byte("- x"), After: "- a", At: 1}, "- b\n- x"},
		{"- a", Change{Old: []byte("- x"), After: "- a", At: 1}, "- a\n- x"},
		{"- a\n- b\n", Change{Old: []byte("- x"), After: "- a", At: 1}, "- a\n- x\n- b\n"},
		{"\ufeff- b\n", Change{Old: []byte("- x\n"), At: 0}, "\ufeff- x\n- b\n"},
	} {
		if got := string(tc.u.Reinsert([]byte(tc.raw))); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.raw, got, tc.want)
		}
	}
}

// A lesson's comment names where it was learned, whatever the session is called.
func TestProvenance(t *testing.T) {
	day := time.Date(2026, 11, 21, 23, 59, 0, 0, time.Local)
	for session, want := range map[string]string{"cpu-a": "cpu-a", "": "", "--> a b": "-_>_a_b", "größe": "gr__e"} {
		line := "- " + FormatLesson("likes tea", session, day)
		b := BulletOf(line)
		if b.Text != "likes tea" || b.From != strings.TrimSpace("2026-11-21 "+b.Session()) || session == "cpu-a" && b.Session() != want || strings.Count(line, "-->") != 1 {
			t.Errorf("%q: %q is %+v", session, line, b)
		}
	}
	for from, want := range map[string]bool{"2026-11-21 discord-5": true, "2026-11-21 cpu-a": false, "discord-": false, "": false} {
		if LearnedOnDiscord(from) != want {
			t.Errorf("%q: %v", from, !want)
		}
	}
	for line, want := range map[string]string{"- [1] a <!-- b -->": "[1] a <!-- b -->", "  2. a": "a", "plain": "plain"} {
		if got := WithoutSign(line); got != want {
			t.Errorf("%q without its sign is %q", line, got)
		}
	}
}

// A memory is searched by its pieces, each about one thing.
func TestPieces(t *testing.T) {
	const text = "# Mine #\n\nFirst <!-- hidden --> paragraph.\nIts second line.\n\n- one\n  goes on <!-- 2026-11-21 cpu-a -->\n- <!-- only this -->\n\n---\n\n## Code\n\n```\n- no bullet\n```\n\n| a |\n|---|\n\n## Lives in Bern\n"
	want := []Piece{
		{Line: 3, Text: "First  paragraph.\nIts second line.", Heading: "Mine", Item: 2},
		{Line: 6, Text: "one goes on", From: "2026-11-21 cpu-a", Heading: "Mine", Item: 4},
		{Line: 14, Text: "```\n- no bullet\n```", Heading: "Code", Item: 11},
		{Line: 18, Text: "| a |\n|---|", Heading: "Code", Item: 13},
		{Line: 21, Text: "Lives in Bern", Item: 15},
	}
	if diff := cmp.Diff(want, Pieces(text), cmp.AllowUnexported(Piece{})); diff != "" {
		t.Error(diff)
	}
	if n := Size("\n- é <!-- hidden -->\n\n"); n != len("- e") {
		t.Errorf("%d characters", n)
	}
}
