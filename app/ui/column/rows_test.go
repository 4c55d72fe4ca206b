package column

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

func TestAListOfACardScrollsIfItIsLong(t *testing.T) {
	for _, tt := range []struct {
		rows int
		want float32 // its height
	}{{2, 40 + kit.Gap4}, {30, 100}} {
		test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
		list := NewListBox(blocks(tt.rows), 100)
		card := NewCardRow(kit.RoleWarn, list)
		w := test.NewTempWindow(t, card)
		w.SetPadded(false)
		w.Resize(fyne.NewSize(300, card.Measure(300)))
		if got := list.Measure(276); got != tt.want || list.Size().Height != tt.want {
			t.Errorf("%d rows are %g high on %v, want %g", tt.rows, got, list.Size(), tt.want)
		}
		if scrolls := list.Port.MaxOffset() > 0; scrolls != (tt.rows == 30) {
			t.Errorf("%d rows scroll: %t", tt.rows, scrolls)
		}
		if x := list.Port.Rows[0].Row.Position().X + list.Port.Position().X; x != 0 {
			t.Errorf("the rows begin at %g, not at the edge of the card's content", x)
		}
	}
}

func TestAChoiceIsMadeByItsSwitchAndItsText(t *testing.T) {
	v, _ := showing(t)
	var chosen []bool
	r := NewChoiceRow("forget the answer", "in cpu-x", func(on bool) { chosen = append(chosen, on) })
	v.SetRows([]*Placed{{Row: r}})
	r.Tapped(nil)
	r.sign.Tapped(nil)
	r.Set(true)
	r.Tapped(nil)
	if len(chosen) != 3 || !chosen[0] || chosen[1] || chosen[2] || r.sign.On {
		t.Errorf("chosen: %v, now %t", chosen, r.sign.On)
	}
	if words := r.text.Position(); words.X < r.sign.Size().Width {
		t.Errorf("the text at %v is on the switch", words)
	}
	if note := r.meta.Position(); note.Y < r.text.Size().Height {
		t.Errorf("the note at %v is on the text", note)
	}
	plain := NewChoiceRow("forget", "", func(bool) {})
	if got := plain.Measure(200); got >= r.Measure(200) || got < plain.sign.MinSize().Height {
		t.Errorf("without a note it is %g high, with one %g", got, r.Measure(200))
	}
}

func TestTextOnASurface(t *testing.T) {
	words := strings.Repeat("many words ", 20)
	framed := func(change func(f *Framed)) *Framed {
		f := NewFramed(prose.NewParagraph(words, kit.RoleText), kit.RoleBubble, kit.RoleNone, 8, 10, 6)
		change(f)
		f.Resize(fyne.NewSize(400, f.Measure(400)))
		return f
	}
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	head := func() fyne.CanvasObject { return kit.NewButton(kit.ButtonQuiet, "Copy", nil) }
	whole := framed(func(*Framed) {})
	if whole.Bg.Size().Width != 400 || whole.Text.Position() != fyne.NewPos(10, 6) {
		t.Errorf("the surface is %v, the text at %v", whole.Bg.Size(), whole.Text.Position())
	}
	bubble := framed(func(f *Framed) { f.Right, f.Share = true, 0.7 })
	if end := bubble.Bg.Position().X + bubble.Bg.Size().Width; end != 400 || bubble.Bg.Size().Width > 280 || bubble.Measure(400) <= whole.Measure(400) {
		t.Errorf("a bubble from %v, %v wide", bubble.Bg.Position(), bubble.Bg.Size())
	}
	beside := framed(func(f *Framed) { f.Right, f.Header = true, head() })
	if end := beside.Header.Position().X + beside.Header.Size().Width; end > beside.Bg.Position().X || beside.Header.Position().X < 0 {
		t.Errorf("the actions at %v end within the bubble at %v", beside.Header.Position(), beside.Bg.Position())
	}
	above := framed(func(f *Framed) { f.Header = head() })
	if at := above.Header.Position(); at.X != 10 || above.Header.Size().Width <= 300 {
		t.Errorf("the header is at %v", at)
	}
}

func TestACardPlacesWhatIsVisible(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	hidden, words, button := Spacer(50), prose.NewParagraph(strings.Repeat("words ", 30), kit.RoleText), kit.NewButton(kit.ButtonPlain, "Do it", nil)
	hidden.Hide()
	c := NewCardRow(kit.RoleHot, hidden, words, button)
	for _, width := range []float32{400, 150} {
		h := c.Measure(width)
		c.Resize(fyne.NewSize(width, h))
		if words.Position().Y != c.Pad || words.Size().Height != words.Measure(width-2*c.Pad) {
			t.Errorf("%g wide: the text is at %v, %v", width, words.Position(), words.Size())
		}
		if end := button.Position().Y + button.Size().Height; end != h-c.Pad {
			t.Errorf("%g wide: the button ends at %g of %g", width, end, h)
		}
	}
	if c.mark.Fill != kit.RoleHot || c.mark.Size().Width != 3 {
		t.Errorf("the edge is %v in %s", c.mark.Size(), c.mark.Fill)
	}
}

func TestADividerCentresItsText(t *testing.T) {
	v, _ := showing(t)
	pressed := 0
	d := NewDivider("12 messages before", func() { pressed++ })
	v.SetRows([]*Placed{{Row: d}})
	parts := d.Content.(*fyne.Container).Objects
	b := parts[1].(*kit.Button)
	left, right := parts[0], parts[2]
	if left.Size().Width != right.Size().Width || right.Position().X+right.Size().Width != d.Size().Width || left.Size().Width > b.Position().X {
		t.Errorf("lines of %v and %v around a text at %v", left.Size(), right.Size(), b.Position())
	}
	test.Tap(b)
	if pressed != 1 || v.Total != v.Top+b.MinSize().Height+v.Bottom {
		t.Errorf("pressed %d times, %g high", pressed, v.Total)
	}
}
