package transcripts

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// findBar is the line in which one looks for words in what is shown: a field, how
// many there are, back, forth, close.
type findBar struct {
	widget.BaseWidget
	Entry *kit.Field
	Count *kit.Label
	prev  *kit.Button
	next  *kit.Button
	box   fyne.CanvasObject
}

func newFindBar(onChange func(phrase string), step func(by int), leave func()) *findBar {
	f := &findBar{Count: kit.Small("")}
	f.Entry = kit.NewField()
	f.Entry.OnKey = func(k *fyne.KeyEvent) bool { return f.key(k, step, leave) }
	f.Entry.PlaceHolder = i18n.T("Find in this conversation")
	f.Entry.OnChanged = onChange
	f.prev = kit.NewButton(kit.ButtonQuiet, i18n.T("Previous"), func() { step(-1) })
	f.next = kit.NewButton(kit.ButtonQuiet, i18n.T("Next"), func() { step(1) })
	done := kit.NewButton(kit.ButtonQuiet, i18n.T("Close"), leave)
	field := container.NewStack(kit.NewSurface(kit.RoleCard, kit.RoleLine, kit.RadiusRow), f.Entry)
	f.box = container.New(kit.TightLayout{}, kit.Inset(6, 6, kit.Gap20, kit.Gap20, kit.Line(kit.Gap12, 0, field, f.Count, f.prev, f.next, done)), kit.Hairline())
	f.ExtendBaseWidget(f)
	f.Hide()
	return f
}

// key takes the keys of the field: Enter goes on, Shift+Enter back, Esc leaves.
func (f *findBar) key(k *fyne.KeyEvent, step func(by int), leave func()) bool {
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

// say words how many places there are and which of them is looked at, from 0.
func (f *findBar) say(at, n int) {
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
func (f *findBar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(f.box) }
