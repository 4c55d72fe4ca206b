package memorytext

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A new bullet goes to the end of the last list, in its style, and all other bytes stay.
func TestInsert(t *testing.T) {
	for _, tc := range []struct{ name, raw, want string }{
		{"no file", "", "- tea\n"},
		{"a list", "# M\n\n- one\n", "# M\n\n- one\n- tea\n"},
		{"a list without a line end", "- one", "- one\n- tea\n"},
		{"prose behind it", "- one\n\n## Notes\n", "- one\n- tea\n\n## Notes\n"},
		{"a numbered list", "1) one\n2) two\n", "1) one\n2) two\n3) tea\n"},
		{"a nested list", "+ one\n  - in\n", "+ one\n  - in\n+ tea\n"},
		{"no list", "# M\nprose", "# M\nprose\n\n- tea\n"},
		{"no list, a blank line at the end", "prose\n\n", "prose\n\n- tea\n"},
		{"Windows line ends and a mark", "\ufeffprose\r\n", "\ufeffprose\r\n\r\n- tea\r\n"},
	} {
		out, line, added := ParseBytes([]byte(tc.raw)).Insert([]byte(tc.raw), "tea")
		if diff := cmp.Diff(tc.want, string(out)); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
		if at := ParseBytes(out).Lines[line-1]; at != added || !ParseBytes(out).HasBullet(line, "tea") || !ParseBytes(out).HasBullet(0, "tea") || ParseBytes(out).HasBullet(line+1, "tea") {
			t.Errorf("%s: line %d is %q, added %q", tc.name, line, at, added)
		}
		if back, ok := (Change{Line: added}).Revert(out); !ok || string(back) != tc.raw && tc.name != "no list" && tc.name != "a list without a line end" && !strings.HasPrefix(tc.name, "Windows") {
			t.Errorf("%s: reverted to %q", tc.name, back)
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
	const text = "# Mine #\n\nFirst <!-- hidden --> paragraph.\nIts second line.\n\n- one\n  goes on <!-- 2026-11-21 cpu-a -->\n- <!-- only this -->\n\n---\n\n## Code\n\n```\n- no bullet\n```\n\n| a |\n|---|\n"
	want := []Piece{
		{Line: 3, Text: "First  paragraph.\nIts second line.", Heading: "Mine"},
		{Line: 6, Text: "one goes on", From: "2026-11-21 cpu-a", Heading: "Mine"},
		{Line: 14, Text: "```\n- no bullet\n```", Heading: "Code"},
		{Line: 18, Text: "| a |\n|---|", Heading: "Code"},
	}
	if diff := cmp.Diff(want, Pieces(text)); diff != "" {
		t.Error(diff)
	}
	if n := Size("\n- é <!-- hidden -->\n\n"); n != len("- e") {
		t.Errorf("%d characters", n)
	}
}
