package column

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// lines returns a viewport that shows paragraphs, with a row without text after the first.
func lines(t *testing.T) (*Viewport, fyne.Canvas) {
	t.Helper()
	v, c := showing(t)
	v.SetRows([]*Placed{
		TextRow("the first line", kit.RoleText, 0), blocks(1)[0],
		{Row: NewFramed(prose.NewParagraph("a second one", kit.RoleText), kit.RoleCard, kit.RoleLine, 4, 6, 6)},
		{Row: prose.New([]prose.Run{{Text: "see "}, {Text: "here", Link: "https://example.org"}}, kit.SizeText, kit.RoleText)},
	})
	return v, c
}

// at returns a position in the text of a row.
func at(v *Viewport, row int, x float32) fyne.Position {
	p := v.Rows[row]
	return fyne.NewPos(v.Left+p.Indent+x, p.Top-v.Offset+p.Height/2)
}

func press(v *Viewport, pos fyne.Position) {
	v.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: pos}, Button: desktop.MouseButtonPrimary})
}

func TestTextIsSelectedAcrossRows(t *testing.T) {
	for _, tt := range []struct {
		name     string
		from, to func(v *Viewport) fyne.Position
		want     string
	}{
		{"down", func(v *Viewport) fyne.Position { return at(v, 0, 0) }, func(v *Viewport) fyne.Position { return at(v, 2, 290) }, "the first line\na second one"},
		{"up", func(v *Viewport) fyne.Position { return at(v, 3, 290) }, func(v *Viewport) fyne.Position { return at(v, 2, -5) }, "a second one\nsee here"},
		{"from above the first row", func(*Viewport) fyne.Position { return fyne.NewPos(50, -30) }, func(v *Viewport) fyne.Position { return at(v, 0, 290) }, "the first line"},
		{"nowhere", func(v *Viewport) fyne.Position { return at(v, 0, 0) }, func(v *Viewport) fyne.Position { return at(v, 0, 0) }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, _ := lines(t)
			fyne.CurrentApp().Clipboard().SetContent("from before")
			press(v, tt.from(v))
			v.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: tt.to(v)}})
			v.DragEnd()
			v.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(0, 0)}}) // no longer a selection
			if got := v.SelectedText(); got != tt.want {
				t.Errorf("selected %q, want %q", got, tt.want)
			}
			v.TypedShortcut(&fyne.ShortcutCopy{})
			if got := fyne.CurrentApp().Clipboard().Content(); got != tt.want && (tt.want != "" || got != "from before") {
				t.Errorf("copied %q, want %q", got, tt.want)
			}
			press(v, at(v, 2, 40))
			v.MouseUp(nil)
			if got := v.SelectedText(); got != "" {
				t.Errorf("after a click %q is selected", got)
			}
		})
	}
}

func TestSelectingByWordAndAll(t *testing.T) {
	v, _ := lines(t)
	v.DoubleTapped(&fyne.PointEvent{Position: at(v, 2, 30)})
	if got := v.SelectedText(); got != "second" {
		t.Errorf("a double click selects %q", got)
	}
	v.TypedShortcut(&fyne.ShortcutSelectAll{})
	if got, want := v.SelectedText(), "the first line\na second one\nsee here"; got != want {
		t.Errorf("all is %q, want %q", got, want)
	}
	v.ClearSelection()
	if got := v.SelectedText(); got != "" {
		t.Errorf("after clearing it %q is selected", got)
	}
	empty, _ := showing(t)
	empty.DoubleTapped(&fyne.PointEvent{})
	empty.TypedShortcut(&fyne.ShortcutSelectAll{})
	if got := empty.SelectedText(); got != "" {
		t.Errorf("an empty column has %q", got)
	}
}

// A drag beyond the edge scrolls, and the selection follows.
func TestADragBeyondTheEdgeScrolls(t *testing.T) {
	v, _ := showing(t)
	rows := make([]*Placed, 50)
	for i := range rows {
		rows[i] = TextRow(fmt.Sprintf("line %d", i), kit.RoleText, 0)
	}
	v.SetRows(rows)
	v.ScrollTo(300)
	press(v, fyne.NewPos(v.Left, 100))
	for range 5 {
		v.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(v.Left, 201)}})
	}
	if v.Offset != 360 {
		t.Errorf("dragged below it: %g", v.Offset)
	}
	down := v.SelectedText()
	for range 10 {
		v.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(v.Left, -1)}})
	}
	if v.Offset != 240 || down == "" || v.SelectedText() == down {
		t.Errorf("dragged above it: %g, selected %q", v.Offset, v.SelectedText())
	}
}

// A link opens by a click, but not by the end of a selection.
func TestAClickOpensALink(t *testing.T) {
	v, _ := lines(t)
	v.Tapped(&fyne.PointEvent{Position: at(v, 3, 40)}) // nobody opens links
	var opened []string
	v.OnLink = func(url string) { opened = append(opened, url) }
	v.Tapped(&fyne.PointEvent{Position: at(v, 3, 5)})
	v.Tapped(&fyne.PointEvent{Position: at(v, 2, 40)})
	v.Tapped(&fyne.PointEvent{Position: at(v, 3, 40)})
	v.TypedShortcut(&fyne.ShortcutSelectAll{})
	v.Tapped(&fyne.PointEvent{Position: at(v, 3, 40)})
	if diff := cmp.Diff([]string{"https://example.org"}, opened); diff != "" {
		t.Errorf("opened (-want +got):\n%s", diff)
	}
}

func TestTheMenuOfText(t *testing.T) {
	v, c := lines(t)
	var under []kit.Row
	v.OnMenu = func(selected string, row kit.Row) []*fyne.MenuItem {
		under = append(under, row)
		return []*fyne.MenuItem{fyne.NewMenuItem("Quote "+selected, func() {})}
	}
	choose := func(keys ...fyne.KeyName) {
		t.Helper()
		v.MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonSecondary}) // keeps the selection
		v.TappedSecondary(&fyne.PointEvent{Position: at(v, 2, 30), AbsolutePosition: at(v, 2, 30)})
		menu := c.Overlays().Top().(fyne.Focusable)
		for _, k := range keys {
			menu.TypedKey(&fyne.KeyEvent{Name: k})
		}
	}
	choose(fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn)
	if got := v.SelectedText(); got == "" {
		t.Error("Select all selects nothing")
	}
	choose(fyne.KeyDown, fyne.KeyReturn)
	if got := fyne.CurrentApp().Clipboard().Content(); got != v.SelectedText() || got == "" {
		t.Errorf("copied %q", got)
	}
	if under[0] != v.Rows[2].Row {
		t.Errorf("the menu is about %T", under[0])
	}
	if got := v.rowUnder(fyne.NewPos(0, 5000)); got != nil {
		t.Errorf("below all rows is %T", got)
	}
}
