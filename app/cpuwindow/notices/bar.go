package notices

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// Bar shows a notice below the header. Its text wraps.
type Bar struct {
	widget.BaseWidget
	text    *prose.Text
	action  *kit.Button // the action of the notice; hidden if it has none
	dismiss *kit.Button
	bg      *kit.Surface
	edge    *kit.Surface
	width   float32 // of the middle of the window; set before the layout
}

func newBar(onDismiss func()) *Bar {
	n := &Bar{text: prose.New(nil, kit.SizeText, kit.RoleText), bg: kit.NewSurface(kit.RolePanel, kit.RoleNone, 0), edge: kit.NewSurface(kit.RoleLine, kit.RoleNone, 0), width: 400}
	n.action = kit.NewButton(kit.ButtonLink, "", nil)
	n.action.Hide()
	n.dismiss = kit.NewButton(kit.ButtonQuiet, i18n.T("Dismiss"), func() { n.set("", ""); onDismiss() })
	n.ExtendBaseWidget(n)
	n.Hide()
	return n
}

func (n *Bar) set(text, next string) {
	n.text.SetRuns(noticeRuns(text, next))
	n.action.Hide()
	n.Hidden = text == ""
	n.Refresh()
}

// setAction shows a button with an action for the notice.
func (n *Bar) setAction(label string, do func()) {
	n.action.Text, n.action.OnTap = label, do
	n.action.Show()
	n.Refresh()
}

// SetWidth sets the width of the bar. It is called before the layout.
func (n *Bar) SetWidth(width float32) { n.width = width }

func (n *Bar) textWidth() float32 {
	width := n.width - 2*kit.Gap20 - kit.Gap16 - n.dismiss.MinSize().Width
	if n.action.Visible() {
		width -= n.action.MinSize().Width + kit.Gap16
	}
	return width
}

// CreateRenderer implements fyne.Widget.
func (n *Bar) CreateRenderer() fyne.WidgetRenderer {
	r := kit.NewRenderer(n, n.layOut, n.bg, n.edge, n.text, n.action, n.dismiss)
	r.Min = func() fyne.Size { return fyne.NewSize(160, n.text.Measure(n.textWidth())+2*kit.Gap8) }
	return r
}

// layOut places the parts for a size.
func (n *Bar) layOut(s fyne.Size) {
	n.bg.Resize(s)
	n.edge.Move(fyne.NewPos(0, s.Height-1))
	n.edge.Resize(fyne.NewSize(s.Width, 1))
	n.text.Move(fyne.NewPos(kit.Gap20, kit.Gap8))
	n.text.Resize(fyne.NewSize(n.textWidth(), n.text.Measure(n.textWidth())))
	d := n.dismiss.MinSize()
	n.dismiss.Move(fyne.NewPos(s.Width-kit.Gap20-d.Width, kit.Gap8+2))
	n.dismiss.Resize(d)
	o := n.action.MinSize()
	n.action.Move(fyne.NewPos(s.Width-kit.Gap20-d.Width-kit.Gap16-o.Width, kit.Gap8+2))
	n.action.Resize(o)
}

// noticeRuns returns the text of a notice: what happened and, on a line of its own, what to do.
func noticeRuns(text, next string) []prose.Run {
	runs := prose.Runs(i18n.Sentence(text), kit.RoleNone)
	if next != "" {
		runs = append(runs, prose.Run{Text: "\n"})
		runs = append(runs, prose.Runs(i18n.Sentence(next), kit.RoleMuted)...)
	}
	return runs
}
