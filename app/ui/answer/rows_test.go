package answer

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/prose"
)

func TestCodeIsLaidOutAsItGrowsAndIsNotWrapped(t *testing.T) {
	inApp(t, func(t *testing.T) {
		whole := newCodeText()
		code := "short\n" + strings.Repeat("long ", 60) + "\n\n日本語 mixed 🎉 text\nend"
		whole.set(code, nil)
		grown := newCodeText()
		for i := range code {
			grown.set(code[:i], nil)
		}
		grown.set(code, nil)
		if d := cmp.Diff(whole.lines, grown.lines, cmp.AllowUnexported(codeLine{})); d != "" {
			t.Error(d)
		}
		if len(whole.lines) != 5 || whole.Measure(200) != 5*codeLeading() {
			t.Errorf("%d lines", len(whole.lines))
		}
		whole.setWrap(true)
		whole.Measure(200)
		joined := ""
		for _, l := range whole.lines {
			if l.width > 200 {
				t.Errorf("a wrapped line is %g wide", l.width)
			}
			joined += code[l.from:l.to]
		}
		if joined != strings.ReplaceAll(code, "\n", "") {
			t.Errorf("wrapped: %q", joined)
		}
		whole.setWrap(false)
		whole.Resize(fyne.NewSize(200, 90))
		whole.scrollTo(1e6)
		if whole.offset != whole.widest-200 {
			t.Errorf("scrolled to %g of %g", whole.offset, whole.widest)
		}
		passed := false
		whole.pass = func(*fyne.ScrollEvent) { passed = true }
		whole.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(30, 0)})
		if whole.offset != whole.widest-230 || passed {
			t.Errorf("after scrolling left: %g, passed on %v", whole.offset, passed)
		}
		whole.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 30)})
		if !passed {
			t.Error("scrolling up was not passed on")
		}
	})
}

func TestATableTooNarrowForColumnsBecomesAList(t *testing.T) {
	inApp(t, func(t *testing.T) {
		table := markdown.Parse("| Process | Share of a core | What it does |\n|---|---:|---|\n| mds_stores | 2.3 | indexes the backup disk |\n| WindowServer | 0.4 | draws |").View().Leaves[0]
		for _, tc := range []struct {
			width  float32
			listed bool
		}{{620, false}, {380, false}, {200, true}} {
			row := newTableRow(table)
			h := row.Measure(tc.width)
			row.Resize(fyne.NewSize(tc.width, h))
			row.CreateRenderer().Layout(row.Size())
			if row.listed != tc.listed {
				t.Errorf("at %g: listed is %v", tc.width, row.listed)
			}
			var cells []*prose.Text
			for _, c := range row.cells[1:] {
				cells = append(cells, c...)
			}
			for _, p := range cells {
				if end := p.Position().X + p.Widest; end > tc.width {
					t.Errorf("at %g: %q ends at %g", tc.width, p.Flat, end)
				}
				if p.Position().Y+float32(len(p.Lines))*p.Leading > h {
					t.Errorf("at %g: %q is below the table's end", tc.width, p.Flat)
				}
			}
		}
	})
}

func TestAGrownTableMatchesANewOne(t *testing.T) {
	inApp(t, func(t *testing.T) {
		text := "| a | b |\n|---|---:|\n| one | 1 |\n| a longer cell than before | **22** |\n| three | 333333 |\n"
		row, have := (*tableRow)(nil), markdown.Leaf{}
		for i := range len(text) + 1 {
			leaves := markdown.Parse(text[:i]).View().Leaves
			if len(leaves) != 1 || leaves[0].Kind != markdown.Table {
				continue
			}
			if row == nil || !row.update(have, leaves[0]) {
				row = newTableRow(leaves[0])
			}
			have = leaves[0]
		}
		whole := newTableRow(have)
		if row.SelectedText(0, 1) != whole.SelectedText(0, 1) {
			t.Errorf("it says %q", row.SelectedText(0, 1))
		}
		for _, width := range []float32{620, 150} {
			if a, b := row.Measure(width), whole.Measure(width); a != b || a == 0 {
				t.Errorf("at %g it is %g high, at once %g", width, a, b)
			}
		}
		if d := cmp.Diff(whole.natural, row.natural); d != "" {
			t.Error(d)
		}
		if row.update(have, markdown.Parse("| c | d |\n|---|---|\n| one | 1 |\n| x | y |\n| x | y |\n").View().Leaves[0]) {
			t.Error("another table was taken for the same")
		}
	})
}

func TestOnlyVisibleTableRowsAreOnTheScreen(t *testing.T) {
	inApp(t, func(t *testing.T) {
		table := newTableRow(markdown.Parse("| a | b |\n|---|---|\n" + strings.Repeat("| one | two |\n", 500)).View().Leaves[0])
		table.Resize(fyne.NewSize(600, table.Measure(600)))
		r := table.CreateRenderer()
		r.Layout(table.Size())
		table.visibleFrom, table.visibleTo = 5000, 5400
		r.Refresh()
		if n := len(r.Objects()); n > 60 || n < 20 {
			t.Errorf("%d objects", n)
		}
		if first, last := table.visibleRows(); first < 100 || last-first > 18 {
			t.Errorf("rows %d to %d", first, last)
		}
	})
}

// Code may be wider than text, because its lines aren't wrapped.
func TestCodeUsesTheAvailableWidth(t *testing.T) {
	row := func(source string) *column.Placed {
		return newLeaf(markdown.Parse(source).View().Leaves[0], true, nil, Style{})
	}
	if code, text := row("```go\nf()\n```").Max, row("words").Max; code != kit.ColumnMax || text != kit.ProseMax {
		t.Errorf("code is at most %g wide, text %g", code, text)
	}
}

// In a wide window tables and code use the room beside the column; text keeps its width.
func TestWideRowsUseTheRoomBesideTheColumn(t *testing.T) {
	inApp(t, func(t *testing.T) {
		cell := strings.Repeat("a cell with many words ", 3)
		var rows Rows
		long := strings.Repeat("call(argument) ", 80)
		rows.Update(markdown.Parse("| a | b | c |\n|---|---|---|\n| "+cell+" | "+cell+" | "+cell+" |\n\n```\n"+long+"\n```\n\n| a |\n|---|\n| 1 |\n\n```\nf()\n```\n\n"+long).View(), nil, Style{})
		port := column.NewViewport()
		w := test.NewTempWindow(t, port)
		w.SetPadded(false)
		widths := func(width float32) (out []float32) {
			w.Resize(fyne.NewSize(width, 800))
			port.SetRows(rows.Rows)
			for _, p := range port.Rows {
				out = append(out, p.Width)
				if right := port.Left + p.Indent + p.Width; right > width {
					t.Errorf("at %g a %T ends at %g", width, p.Row, right)
				}
			}
			return out
		}
		table := rows.Rows[0].Row.(*tableRow)
		room := 2300 - port.Pad - (2300-kit.ColumnMax)/2
		for width, want := range map[float32][]float32{
			2300: {min(table.NaturalWidth(), room), room, kit.ProseMax, kit.ColumnMax, kit.ProseMax},
			800:  {800 - 2*port.Pad, 800 - 2*port.Pad, kit.ProseMax, 800 - 2*port.Pad, kit.ProseMax},
		} {
			if got := widths(width); !cmp.Equal(want, got) {
				t.Errorf("at %g the rows are %v wide, want %v", width, got, want)
			}
		}
		widths(2300)
		code := rows.Rows[1].Row.(*CodeRow)
		code.Text.setWrap(true)
		for range 3 {
			if got := widths(2300)[1]; got != kit.ColumnMax {
				t.Errorf("wrapped code is %g wide", got)
			}
		}
	})
}

func TestCodeIsDrawnAgainWhenItGetsWider(t *testing.T) {
	inApp(t, func(t *testing.T) {
		text := newCodeText()
		text.set(strings.Repeat("f(x) ", 100), []markdown.Span{{To: 10}, {To: 300}, {To: 500}})
		r := test.WidgetRenderer(text)
		drawn := func(width float32) (right float32) {
			text.Resize(fyne.NewSize(width, text.Measure(width)))
			for _, o := range r.Objects() {
				right = max(right, o.Position().X+o.Size().Width)
			}
			return right
		}
		drawn(300)
		r.Refresh()
		if right := drawn(2000); right < 2000 {
			t.Errorf("of 2000 the code is drawn up to %g", right)
		}
	})
}
