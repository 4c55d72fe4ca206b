package find

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// Bar is the line in which one looks for words in what is shown: a field, how
// many there are, back, forth, close.
type Bar struct {
	widget.BaseWidget
	Entry *kit.Field
	Count *kit.Label
	prev  *kit.Button
	next  *kit.Button
	box   fyne.CanvasObject
}

// NewBar is a hidden bar. onChange gets each phrase, step goes on by 1 or -1, leave is
// what Esc does, and done what Close does.
func NewBar(onChange func(phrase string), step func(by int), leave, done func()) *Bar {
	f := &Bar{Count: kit.Small("")}
	f.Entry = kit.NewField()
	f.Entry.OnKey = func(k *fyne.KeyEvent) bool { return f.key(k, step, leave) }
	f.Entry.PlaceHolder = i18n.T("Find in this conversation")
	f.Entry.OnChanged = onChange
	f.prev = kit.NewButton(kit.ButtonQuiet, "↑", func() { step(-1) })
	f.next = kit.NewButton(kit.ButtonQuiet, "↓", func() { step(1) })
	end := kit.NewButton(kit.ButtonQuiet, i18n.T("Close"), done)
	edge := kit.NewSurface(kit.RoleCard, kit.RoleLine, kit.RadiusRow)
	f.Entry.OnFocus = func(on bool) {
		edge.Set(kit.RoleCard, map[bool]fyne.ThemeColorName{false: kit.RoleLine, true: kit.RoleAccent}[on])
	}
	field := container.NewStack(edge, f.Entry)
	f.box = container.New(kit.TightLayout{}, kit.Inset(6, 6, kit.Gap20, kit.Gap20, kit.Line(kit.Gap12, 0, field, f.Count, f.prev, f.next, end)), kit.Hairline())
	f.ExtendBaseWidget(f)
	f.Hide()
	return f
}

// key takes the keys of the field: Enter goes on, Shift+Enter back, Esc leaves.
func (f *Bar) key(k *fyne.KeyEvent, step func(by int), leave func()) bool {
	switch k.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if f.Entry.Shift {
			step(-1)
		} else {
			step(1)
		}
	case fyne.KeyUp:
		step(-1)
	case fyne.KeyDown:
		step(1)
	case fyne.KeyEscape:
		leave()
	default:
		return false
	}
	return true
}

// Say words how many places there are and which of them is looked at, from 0.
func (f *Bar) Say(at, n int) {
	switch {
	case f.Entry.Text == "":
		f.Count.SetText("")
	case n == 0:
		f.Count.SetText(i18n.T("not found"))
	default:
		f.Count.SetText(i18n.With("{{.N}} of {{.All}}", i18n.Places{"N": at + 1, "All": n}))
	}
	f.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (f *Bar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(f.box) }
