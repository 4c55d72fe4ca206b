package notices

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// Bar shows a notice below the header. Its text wraps; more than fits scrolls.
type Bar struct {
	widget.BaseWidget
	text    *prose.Text
	action  *kit.Button // the action of the notice; hidden if it has none
	dismiss *kit.Button
	bg      *kit.Surface
	edge    *kit.Surface
	width   float32          // of the middle of the window; set before the layout
	most    float32          // the maximum height
	port    *column.Viewport // scrolls the text if it is higher
	tall    bool             // it is
}

func newBar(onDismiss func()) *Bar {
	n := &Bar{text: prose.New(nil, kit.SizeText, kit.RoleText), bg: kit.NewSurface(kit.RolePanel, kit.RoleNone, 0), edge: kit.NewSurface(kit.RoleLine, kit.RoleNone, 0), width: 400, most: 400}
	n.port = column.NewViewport()
	n.port.Follow, n.port.Fixed, n.port.Pad, n.port.Top, n.port.Bottom = false, true, 0, 0, 0
	n.port.SetRows([]*column.Placed{{Row: n.text}})
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

// SetRoom sets the width of the bar and its maximum height. It is called before the layout.
func (n *Bar) SetRoom(width, most float32) { n.width, n.most = width, most }

func (n *Bar) textWidth() float32 {
	width := n.width - 2*kit.Gap20 - kit.Gap16 - n.dismiss.MinSize().Width
	if n.action.Visible() {
		width -= n.action.MinSize().Width + kit.Gap16
	}
	return width
}

// CreateRenderer implements fyne.Widget.
func (n *Bar) CreateRenderer() fyne.WidgetRenderer {
	return &kit.Renderer{
		Widget: n, LayOut: n.layOut,
		Min: func() fyne.Size {
			return fyne.NewSize(160, min(n.text.Measure(n.textWidth())+2*kit.Gap8, max(n.most, lineHeight+2*kit.Gap8)))
		},
		Parts: func() []fyne.CanvasObject {
			words := fyne.CanvasObject(n.text)
			if n.tall {
				words = n.port
			}
			return []fyne.CanvasObject{n.bg, n.edge, words, n.action, n.dismiss}
		},
	}
}

// lineHeight is the least height of the text.
const lineHeight float32 = 24

// layOut places the parts for a size.
func (n *Bar) layOut(s fyne.Size) {
	n.bg.Resize(s)
	n.edge.Move(fyne.NewPos(0, s.Height-1))
	n.edge.Resize(fyne.NewSize(s.Width, 1))
	words := fyne.NewSize(n.textWidth(), n.text.Measure(n.textWidth()))
	if n.tall = words.Height > s.Height-2*kit.Gap8+1; n.tall {
		n.port.Move(fyne.NewPos(kit.Gap20, kit.Gap8))
		n.port.Resize(fyne.NewSize(words.Width, s.Height-2*kit.Gap8))
		n.port.Remeasure(n.text)
	} else {
		n.text.Move(fyne.NewPos(kit.Gap20, kit.Gap8))
		n.text.Resize(words)
		n.text.SetVisiblePart(0, words.Height) // it may have scrolled before
	}
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
