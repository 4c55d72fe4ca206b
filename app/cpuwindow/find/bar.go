package find

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// Bar is the search bar: a field, the number of matches, and buttons for previous, next and
// close.
type Bar struct {
	widget.BaseWidget
	Entry *kit.Field
	Count *kit.Label
	prev  *kit.Button
	next  *kit.Button
	box   fyne.CanvasObject
}

// NewBar returns a hidden bar. It calls onChange with each phrase, step with 1 or -1, leave
// on Esc and done on Close.
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

// key handles the field's keys: Enter for the next match, Shift+Enter for the previous one,
// Esc to leave.
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

// SetCount shows the number of matches and the current one, counted from 0.
func (f *Bar) SetCount(at, n int) {
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
