package memorytext

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What was added to a memory is told from what was there, wherever it was added; anything
// else that happened to it is noticed.
func TestSince(t *testing.T) {
	const list = "# Memory\n\n- one\n- two\n\n## Work\n\n- Go 1.25\n\nNo Java.\n"
	for _, tc := range []struct {
		name, was, now string
		added          []string // nil: it isn't an addition alone
	}{
		{"nothing", list, list, []string{}},
		{"by the app", list, list + "\n## Remembered\n\n- tea <!-- 2026-11-28 cpu-a -->\n", []string{"- tea"}},
		{"by the app, again", list + "\n## Remembered\n\n- tea\n", list + "\n## Remembered\n\n- tea\n- milk\n", []string{"- milk"}},
		{"by hand in the middle", list, strings.Replace(list, "- two", "- new\n- two", 1), []string{"- new"}},
		{"by hand below a heading", list, strings.Replace(list, "No Java.", "No Java.\n\nNo Perl.", 1), []string{"## Work\nNo Perl."}},
		{"by hand and by the app", list, strings.Replace(list, "- two", "- new\n- two", 1) + "\n## Remembered\n\n- tea\n- milk\n", []string{"- new", "- tea", "- milk"}},
		{"a heading of its own", list, list + "\n## Home\n\n- cat\n", []string{"## Home\n- cat"}},
		{"the first line", "", "- one\n", []string{"- one"}},
		{"the same line again", "- one\n- two\n", "- one\n- two\n- one\n", []string{"- one"}},
		{"of several lines", "- one\n", "- one\n- two\n  goes on\n", []string{"- two\n  goes on"}},
		{"a comment", "- one\n", "- one\n<!-- to do -->\n", []string{}},
		{"another order", "- one\n- two\n", "- two\n- one\n", []string{}},

		{"removed", list, strings.Replace(list, "- two\n", "", 1), nil},
		{"changed", list, strings.Replace(list, "- two", "- three", 1), nil},
		{"removed and added", list, strings.Replace(list, "- two\n", "", 1) + "\n## Remembered\n\n- tea\n", nil},
		{"goes on", list, strings.Replace(list, "- two", "- two\n  goes on", 1), nil},
		{"a heading above old lines", list, strings.Replace(list, "- one", "## Never\n\n- one", 1), nil},
		{"a heading renamed", list, strings.Replace(list, "## Work", "## Play", 1), nil},
		{"behind a code block that was open", "```\nx\n", "```\nx\n```\n\n## Remembered\n\n- tea\n", nil},
		{"at three places", "- a\n- b\n- c\n- d\n", "- x\n- a\n- y\n- b\n- c\n- z\n- d\n", nil},
		{"emptied", list, "", nil},
	} {
		mark, _ := ParseMark(MarkOf("key", tc.was).String())
		before, added, ok := Since("key", tc.now, mark, nil)
		if ok != (tc.added != nil) {
			t.Errorf("%s: %v, %+v", tc.name, ok, added)
			continue
		}
		got, ids := []string{}, []uint64{}
		for _, a := range added {
			got, ids = append(got, a.Text), append(ids, a.ID)
		}
		if diff := cmp.Diff(tc.added, got); diff != "" && ok {
			t.Errorf("%s: %s", tc.name, diff)
		}
		if !ok {
			continue
		}
		if MarkOf("key", before) != mark || len(added) > 0 && Inject(before, 8000).Text != Inject(tc.was, 8000).Text {
			t.Errorf("%s: before it was %q, not %q", tc.name, before, tc.was)
		}
		again, same, ok := Since("key", tc.now, mark, ids)
		if !ok || again != before || len(same) != len(added) {
			t.Errorf("%s: with what is known, %v, %q, %+v", tc.name, ok, again, same)
		}
		if _, _, ok := Since("key", tc.now, mark, append(ids, 1)); ok {
			t.Errorf("%s: a known piece that is gone isn't missed", tc.name)
		}
	}
	for _, bad := range []string{"", "1", "x:y", "-1:0", "1:0:0"} {
		if _, ok := ParseMark(bad); ok {
			t.Errorf("%q is a mark", bad)
		}
	}
}

// A memory of thousands of lines is taken apart in steps that grow with its lines.
func BenchmarkSince(b *testing.B) {
	var was strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&was, "- lesson %d\n", i)
	}
	mark := MarkOf("key", was.String())
	now := "- first\n" + was.String() + "- last\n"
	for b.Loop() {
		if _, added, ok := Since("key", now, mark, nil); !ok || len(added) != 2 {
			b.Fatal(len(added))
		}
	}
}
