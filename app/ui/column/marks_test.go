package column

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// finding returns a function that finds a word.
func finding(word string) func(text string) []prose.Mark {
	return func(text string) []prose.Mark {
		var out []prose.Mark
		for at := 0; ; {
			i := strings.Index(text[at:], word)
			if i < 0 {
				return out
			}
			out = append(out, prose.Mark{From: at + i, To: at + i + len(word)})
			at += i + len(word)
		}
	}
}

type markableRow interface {
	kit.Row
	markable
}

// marked is a row that knows its marks.
type marked struct {
	markableRow
	marks []prose.Mark
	now   int
}

func (m *marked) SetMarks(marks []prose.Mark, now int) {
	m.marks, m.now = marks, now
	m.markableRow.SetMarks(marks, now)
}

func TestMatchesAreMarkedAndOneIsTheCurrent(t *testing.T) {
	for _, tt := range []struct {
		name     string
		from, to int
		nth      int
		places   int
		current  string // row:match, of the current match
	}{
		{"the first", 0, 4, 0, 4, "0:0"},
		{"the second of a row", 0, 4, 1, 4, "0:1"},
		{"in another row", 0, 4, 3, 4, "3:0"},
		{"too many", 0, 4, 9, 4, "3:0"},
		{"none", 0, 4, -1, 4, ""},
		{"only in some rows", 2, 4, 0, 2, "2:0"},
		{"no match in these rows", 1, 2, 0, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, _ := showing(t)
			framed := NewFramed(prose.NewParagraph("the fan", kit.RoleText), kit.RoleCard, kit.RoleNone, 4, 6, 6)
			shows := map[int]*marked{0: {markableRow: prose.NewParagraph("a fan and a fan", kit.RoleText)}, 2: {markableRow: framed}, 3: {markableRow: prose.NewParagraph("fans", kit.RoleText)}}
			v.SetRows([]*Placed{{Row: shows[0]}, blocks(1)[0], {Row: shows[2]}, {Row: shows[3]}})
			if got := v.MarkRows(finding("fan"), tt.from, tt.to, tt.nth, true); got != tt.places {
				t.Errorf("%d places, want %d", got, tt.places)
			}
			current := ""
			for i, p := range shows {
				if want := finding("fan")(p.FlatText()); !slices.Equal(p.marks, want) {
					t.Errorf("row %d is marked at %v, want %v", i, p.marks, want)
				}
				if p.now >= 0 {
					current += fmt.Sprintf("%d:%d", i, p.now)
				}
			}
			if current != tt.current {
				t.Errorf("the current match is %q, want %q", current, tt.current)
			}
			v.Unmark()
			for i, p := range shows {
				if len(p.marks) > 0 {
					t.Errorf("row %d is still marked", i)
				}
			}
		})
	}
}

func TestTheCurrentMatchIsScrolledIntoView(t *testing.T) {
	v, _ := showing(t)
	rows := blocks(50)
	rows[5] = TextRow("the fan", kit.RoleText, 0)
	v.SetRows(rows)
	back := v.SavePosition()
	v.MarkRows(finding("fan"), 0, 50, 0, false)
	if v.Offset != v.MaxOffset() {
		t.Error("it scrolls unasked")
	}
	v.MarkRows(finding("fan"), 0, 50, 0, true)
	if y := rows[5].Top; y < v.Offset || y+20 > v.Offset+v.Size().Height {
		t.Errorf("the match at %g isn't visible at %g", y, v.Offset)
	}
	at, back2 := v.Offset, v.SavePosition()
	back()
	if v.Offset != v.MaxOffset() || !v.Follow {
		t.Errorf("back at %g of %g", v.Offset, v.MaxOffset())
	}
	back2()
	if v.Offset != at {
		t.Errorf("back at %g, want %g", v.Offset, at)
	}
	empty, _ := showing(t)
	empty.Follow = false
	empty.SavePosition()()
}

// A match below the shown lines of a folded text unfolds it.
func TestAMatchInFoldedTextUnfoldsIt(t *testing.T) {
	v, _ := showing(t)
	f := NewFramed(prose.NewParagraph("the first\n"+strings.Repeat("a line\n", 20)+"the fan", kit.RoleText), kit.RoleCard, kit.RoleNone, 4, 6, 6)
	opened := 0
	f.OnFind = func() { opened++; f.Text.ShowLines(0) }
	f.Text.ShowLines(3)
	v.SetRows([]*Placed{{Row: f}})
	for _, tt := range []struct {
		word string
		want int // how often it was unfolded by then
	}{{"first", 0}, {"nowhere", 0}, {"fan", 1}, {"first", 1}} {
		v.MarkRows(finding(tt.word), 0, 1, 0, true)
		if opened != tt.want {
			t.Errorf("after a search for %q it was unfolded %d times, want %d", tt.word, opened, tt.want)
		}
	}
}
