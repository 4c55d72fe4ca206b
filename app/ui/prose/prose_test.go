package prose

import (
	"image/color"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
)

// laidOut returns a paragraph of some width, in an app of our theme.
func laidOut(t *testing.T, width float32, runs ...Run) *Text {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	p := New(runs, kit.SizeText, kit.RoleText)
	p.Resize(fyne.NewSize(width, p.Measure(width)))
	return p
}

// grounds returns the rectangles that a paragraph draws in a role's colour.
func grounds(p *Text, role fyne.ThemeColorName) (out []*canvas.Rectangle) {
	for _, o := range test.WidgetRenderer(p).Objects() {
		if r, ok := o.(*canvas.Rectangle); ok && r.FillColor == kit.Color(role) {
			out = append(out, r)
		}
	}
	return out
}

// texts returns what a paragraph draws, by its text.
func texts(p *Text) map[string]*canvas.Text {
	out := map[string]*canvas.Text{}
	for _, o := range test.WidgetRenderer(p).Objects() {
		if x, ok := o.(*canvas.Text); ok {
			out[x.Text] = x
		}
	}
	return out
}

func TestStylesAreDrawn(t *testing.T) {
	p := laidOut(t, 900, Run{Text: "plain "}, Run{Text: "bold", Bold: true}, Run{Text: " a\tb ", Italic: true}, Run{Text: "gone", Strike: true}, Run{Text: "ls", Mono: true}, Run{Text: "here", Link: "https://example.org"}, Run{Text: "red", Role: kit.RoleHot})
	for text, want := range map[string]struct {
		role  fyne.ThemeColorName
		style fyne.TextStyle
	}{
		"plain ": {kit.RoleText, fyne.TextStyle{}}, "bold": {kit.RoleText, fyne.TextStyle{Bold: true}}, " a    b ": {kit.RoleText, fyne.TextStyle{Italic: true}},
		"ls": {kit.RoleText, fyne.TextStyle{Monospace: true}}, "here": {kit.RoleAccent, fyne.TextStyle{}}, "red": {kit.RoleHot, fyne.TextStyle{}},
	} {
		got := texts(p)[text]
		if got == nil {
			t.Errorf("%q is not drawn: %v", text, texts(p))
			continue
		}
		if got.Color != kit.Color(want.role) || got.TextStyle != want.style {
			t.Errorf("%q is drawn in %v, %+v", text, got.Color, got.TextStyle)
		}
	}
	for name, tt := range map[string]struct {
		role fyne.ThemeColorName
		high float32
	}{"the ground of code": {kit.RoleCode, p.Leading - 4}, "the line below a link": {kit.RoleAccent, 1}, "the line through struck text": {kit.RoleMuted, 1}} {
		if got := grounds(p, tt.role); len(got) != 1 || got[0].Size().Height != tt.high {
			t.Errorf("%s: %v", name, got)
		}
	}
	p.Bare = true
	p.Refresh()
	if got := grounds(p, kit.RoleCode); len(got) != 0 {
		t.Errorf("bare code has a ground: %v", got)
	}
	if p.Cursor() != desktop.TextCursor || p.MinSize().Height != p.Leading {
		t.Error("the pointer doesn't show text")
	}
	for size, bold := range map[float32]*Text{kit.SizeSmall: NewBold(nil, kit.SizeSmall, kit.RoleText), kit.SizeNumber: NewBold([]Run{{Text: "x"}}, kit.SizeNumber, kit.RoleText), kit.SizeLarge: Heading("x")} {
		if bold.Leading != LineHeight(size) || bold.Leading < size {
			t.Errorf("text of %g has lines of %g", size, bold.Leading)
		}
	}
}

func TestASelectionAndMatchesAreDrawn(t *testing.T) {
	p := laidOut(t, 900, Run{Text: "the fan "}, Run{Text: "fan is loud", Bold: true})
	p.SetSelection(4, 11)
	selected := grounds(p, kit.RoleSelection)
	if len(selected) != 2 || p.SelectedText(4, 11) != "fan fan" {
		t.Fatalf("%d parts of %q are selected", len(selected), p.SelectedText(4, 11))
	}
	if from := selected[0].Position().X; from <= 0 || selected[1].Position().X <= from {
		t.Errorf("the selection begins at %v", selected[0].Position())
	}
	p.SetSelection(9, 3)
	if got := grounds(p, kit.RoleSelection); len(got) != 0 {
		t.Errorf("%v is still selected", got)
	}
	marks := []Mark{{4, 7}, {8, 11}}
	p.SetMarks(marks, 1)
	p.SetMarks(marks, 1)
	now, others := grounds(p, kit.RoleMarkNow), grounds(p, kit.RoleMark)
	if len(now) != 1 || len(others) != 1 || now[0].Position().X <= others[0].Position().X {
		t.Errorf("the current match is at %v, another at %v", now, others)
	}
	p.SetMarks(nil, -1)
	if len(grounds(p, kit.RoleMark))+len(grounds(p, kit.RoleMarkNow)) != 0 || p.FlatText() != "the fan fan is loud" {
		t.Error("matches are still marked")
	}
}

func TestAPointInTheText(t *testing.T) {
	p := laidOut(t, 200, Run{Text: "see "}, Run{Text: "this link", Link: "https://example.org"}, Run{Text: " and more words, so that they go on\n\nend"})
	if len(p.Lines) < 3 {
		t.Fatalf("%d lines", len(p.Lines))
	}
	last := float32(len(p.Lines)-1)*p.Leading + 5
	for _, tt := range []struct {
		name string
		at   fyne.Position
		off  int
		link string
	}{
		{"above", fyne.NewPos(50, -3), 0, ""},
		{"at the beginning", fyne.NewPos(0, 5), 0, ""},
		{"on the link", fyne.NewPos(40, 5), 6, "https://example.org"},
		{"right of the line", fyne.NewPos(2000, 5), p.Lines[0].to, ""},
		{"on the empty line", fyne.NewPos(30, last-p.Leading), len(p.Flat) - 4, ""},
		{"on the last line", fyne.NewPos(-1, last), len(p.Flat) - 3, ""},
		{"below", fyne.NewPos(0, last+p.Leading), len(p.Flat), ""},
	} {
		if off, link := p.OffsetAt(tt.at), p.LinkAt(tt.at); off != tt.off && tt.name != "on the link" || link != tt.link {
			t.Errorf("%s: offset %d, link %q, want %d, %q", tt.name, off, link, tt.off, tt.link)
		}
	}
	on := p.OffsetAt(fyne.NewPos(40, 5))
	if from, to := p.WordAt(on); p.Flat[from:to] != "this" {
		t.Errorf("the word at %d is %q", on, p.Flat[from:to])
	}
	if from, to := p.WordAt(len(p.Flat) + 5); from != to {
		t.Errorf("behind the text is a word of %d to %d", from, to)
	}
	if y := p.LineOf(len(p.Flat)); y != last-5 || p.LineOf(0) != 0 || p.LineOf(len(p.Flat)+1) != 0 {
		t.Errorf("the end is at %g, the beginning at %g", y, p.LineOf(0))
	}
	if empty := New(nil, kit.SizeText, kit.RoleText); empty.OffsetAt(fyne.NewPos(5, 5)) != 0 || empty.LinkAt(fyne.NewPos(5, 5)) != "" {
		t.Error("in no text is some")
	}
}

// Only visible lines are drawn, and they are the right ones.
func TestOnlyVisibleLinesAreDrawn(t *testing.T) {
	p := laidOut(t, 300, Run{Text: strings.Repeat("a line\n", 400) + "the end"})
	p.SetVisiblePart(0, 200)
	test.WidgetRenderer(p).Layout(p.Size())
	if n := len(texts(p)); n != 1 { // they are all the same
		t.Errorf("%d texts", n)
	}
	if n := len(test.WidgetRenderer(p).Objects()); n < 10 || n > 16 {
		t.Errorf("%d lines are drawn in 200", n)
	}
	p.SetVisiblePart(p.Measure(300)-200, p.Measure(300))
	if texts(p)["the end"] == nil {
		t.Error("the end isn't drawn")
	}
	p.ShowLines(5)
	if !p.Hides(len(p.Flat)) || p.Hides(3) {
		t.Error("what is folded isn't known")
	}
	p.ShowLines(0)
	if p.Hides(len(p.Flat)) {
		t.Error("what is unfolded is hidden")
	}
}

// Larger text is measured and drawn again.
func TestTextFollowsItsScale(t *testing.T) {
	p := laidOut(t, 300, Run{Text: strings.Repeat("words ", 40)}, Run{Text: "code", Mono: true})
	before, lines := p.Measure(300), len(p.Lines)
	fyne.CurrentApp().Settings().SetTheme(kit.NewTheme(kit.Look{TextSize: 2 * kit.SizeText}))
	after := p.Measure(300)
	if p.Leading != 2*LineHeight(kit.SizeText) || len(p.Lines) <= lines || after <= 2*before {
		t.Errorf("%g high in %d lines of %g, before %g in %d", after, len(p.Lines), p.Leading, before, lines)
	}
	p.Resize(fyne.NewSize(300, after))
	p.Refresh()
	if got := texts(p)["code"]; got == nil || got.TextSize != 2*kit.SizeMono {
		t.Errorf("code is drawn as %+v", got)
	}
	if p.WidestLine() > 300 || p.Measure(1) < after {
		t.Errorf("%g wide", p.WidestLine())
	}
	if p.Role != kit.RoleText || kit.Color(kit.RoleNone) != color.Transparent {
		t.Error("the colour changed")
	}
}
