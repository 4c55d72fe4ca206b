package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/prose"
)

// windowLayout: vitals on top, the list left (a drawer in narrow windows), the rest.
type windowLayout struct {
	w      *Window
	scrim  *overlay.Scrim
	narrow bool
	low    bool
	drawer bool // open
}

// lowBelow is the height of a window that has no room to spare.
const lowBelow float32 = 480

// MinSize implements fyne.Layout.
func (l *windowLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(340, 360) }

// Layout implements fyne.Layout.
func (l *windowLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	strip, middle, scrim, side := o[0], o[1], o[2], o[3]
	l.setNarrow(s.Width < kit.DrawerBelow, s.Height < lowBelow)
	top := strip.MinSize().Height
	strip.Resize(fyne.NewSize(s.Width, top))
	h := s.Height - top
	left := kit.SidebarWidth
	if l.narrow {
		left = 0
	}
	l.w.notice.width = s.Width - left
	l.w.head.setWidth(s.Width - left)
	middle.Move(fyne.NewPos(left, top))
	middle.Resize(fyne.NewSize(s.Width-left, h))
	scrim.Move(fyne.NewPos(0, top))
	scrim.Resize(fyne.NewSize(s.Width, h))
	side.Move(fyne.NewPos(0, top))
	side.Resize(fyne.NewSize(min(kit.SidebarWidth+kit.Gap20, s.Width*0.8), h))
	if !l.narrow {
		side.Resize(fyne.NewSize(kit.SidebarWidth, h))
	}
}

func (l *windowLayout) setNarrow(narrow, low bool) {
	if narrow == l.narrow && low == l.low && l.w.side.object.Visible() == (!narrow || l.drawer) {
		return
	}
	l.narrow, l.low = narrow, low
	if !narrow {
		l.drawer = false
	}
	l.w.vitals.SetNarrow(narrow, low)
	l.w.head.setNarrow(narrow)
	l.apply()
}

func (l *windowLayout) apply() {
	if !l.narrow || l.drawer {
		l.w.side.object.Show()
	} else {
		l.w.side.object.Hide()
	}
	if l.narrow && l.drawer {
		l.scrim.Show()
	} else {
		l.scrim.Hide()
	}
}

func (l *windowLayout) closeDrawer() {
	if l.drawer {
		l.drawer = false
		l.apply()
	}
}

// escape closes what lies over the window, a question, a dialogue or the drawer, then the
// find bar; else it stops the answer.
func (w *Window) escape() {
	switch m := overlay.OpenModal(w.win.Canvas()); {
	case m != nil:
		m.Close()
	case w.chooser != nil:
		w.chooser.Dismiss()
	case w.slash.Visible():
		w.slash.Close()
	case w.root.drawer:
		w.root.closeDrawer()
	case w.page == pageChat && w.find.Open():
		w.find.Close(true)
	default:
		w.stop()
	}
}

// showChooser opens a dialogue of Fyne's, which knows no Esc. It begins with a list: the
// toolkit's tiles are large. Who chooses tiles in it keeps them.
func (w *Window) showChooser(d *dialog.FileDialog, title, confirm string) {
	w.chooser = d
	d.SetTitleText(title)
	d.SetConfirmText(confirm)
	d.SetDismissText(i18n.T("Cancel"))
	d.SetView(dialog.ListView)
	d.SetOnClosed(func() { w.chooser = nil })
	d.Show() // it has no size before
	size := w.win.Canvas().Size()
	d.Resize(fyne.NewSize(min(760, size.Width-2*kit.Gap20), min(540, size.Height-2*kit.Gap20)))
}

func (w *Window) toggleDrawer() {
	w.root.drawer = !w.root.drawer && w.root.narrow
	w.root.apply()
}

// noticeBar is what the user should read, below the header; it wraps.
type noticeBar struct {
	widget.BaseWidget
	text    *prose.Text
	offer   *kit.Button // what can be done beside dismissing it; hidden where nothing
	dismiss *kit.Button
	bg      *kit.Surface
	edge    *kit.Surface
	width   float32 // of the window's middle; set before it is laid out
}

func newNoticeBar(dismissed func()) *noticeBar {
	n := &noticeBar{text: prose.New(nil, kit.SizeText, kit.RoleText), bg: kit.NewSurface(kit.RolePanel, kit.RoleNone, 0), edge: kit.NewSurface(kit.RoleLine, kit.RoleNone, 0), width: 400}
	n.offer = kit.NewButton(kit.ButtonLink, "", nil)
	n.offer.Hide()
	n.dismiss = kit.NewButton(kit.ButtonQuiet, i18n.T("Dismiss"), func() { n.set("", ""); dismissed() })
	n.ExtendBaseWidget(n)
	n.Hide()
	return n
}

func (n *noticeBar) set(text, next string) {
	n.text.SetRuns(noticeRuns(text, next))
	n.offer.Hide()
	n.Hidden = text == ""
	n.Refresh()
}

// offerTo offers something to do about what is shown.
func (n *noticeBar) offerTo(label string, do func()) {
	n.offer.Text, n.offer.OnTap = label, do
	n.offer.Show()
	n.Refresh()
}

func (n *noticeBar) textWidth() float32 {
	width := n.width - 2*kit.Gap20 - kit.Gap16 - n.dismiss.MinSize().Width
	if n.offer.Visible() {
		width -= n.offer.MinSize().Width + kit.Gap16
	}
	return width
}

// CreateRenderer implements fyne.Widget.
func (n *noticeBar) CreateRenderer() fyne.WidgetRenderer { return &noticeRenderer{n} }

type noticeRenderer struct{ n *noticeBar }

func (r *noticeRenderer) MinSize() fyne.Size {
	return fyne.NewSize(160, r.n.text.Measure(r.n.textWidth())+2*kit.Gap8)
}

func (r *noticeRenderer) Layout(s fyne.Size) {
	n := r.n
	n.bg.Resize(s)
	n.edge.Move(fyne.NewPos(0, s.Height-1))
	n.edge.Resize(fyne.NewSize(s.Width, 1))
	n.text.Move(fyne.NewPos(kit.Gap20, kit.Gap8))
	n.text.Resize(fyne.NewSize(n.textWidth(), n.text.Measure(n.textWidth())))
	d := n.dismiss.MinSize()
	n.dismiss.Move(fyne.NewPos(s.Width-kit.Gap20-d.Width, kit.Gap8+2))
	n.dismiss.Resize(d)
	o := n.offer.MinSize()
	n.offer.Move(fyne.NewPos(s.Width-kit.Gap20-d.Width-kit.Gap16-o.Width, kit.Gap8+2))
	n.offer.Resize(o)
}

func (r *noticeRenderer) Refresh() {
	r.Layout(r.n.Size())
	for _, o := range r.Objects() {
		o.Refresh()
	}
	canvas.Refresh(r.n)
}

func (r *noticeRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.n.bg, r.n.edge, r.n.text, r.n.offer, r.n.dismiss}
}
func (r *noticeRenderer) Destroy() {}
