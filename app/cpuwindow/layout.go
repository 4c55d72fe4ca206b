package cpuwindow

import (
	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
)

// windowLayout places the vitals at the top, the list at the left (a drawer in narrow
// windows) and the rest beside it.
type windowLayout struct {
	w      *Window
	middle *fyne.Container
	scrim  *overlay.Scrim
	narrow bool
	low    bool
	drawer bool // open
}

// The heights below which a window has no room to spare, and none for vitals beside a chat.
const (
	lowBelow  float32 = 480
	tinyBelow float32 = 340
)

// MinSize implements fyne.Layout. At 300 % this is a window of 1020 × 660 pixels, which a
// screen of 1366 × 768 has room for.
func (l *windowLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(340, 220) }

// Layout implements fyne.Layout.
func (l *windowLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	middle, scrim, side, strip := o[0], o[1], o[2], o[3]
	l.setNarrow(s.Width < kit.DrawerBelow, s.Height < lowBelow)
	top := strip.MinSize().Height
	if strip.Show(); l.narrow && !l.drawer && s.Height < tinyBelow { // then the vitals come with the list
		strip.Hide()
		top = 0
	}
	strip.Resize(fyne.NewSize(s.Width, top))
	h := s.Height - top
	left := kit.SidebarWidth
	if l.narrow {
		left = 0
	}
	notice := h / 3
	if l.low {
		notice = h / 6
	}
	l.w.notices.Bar.SetRoom(s.Width-left, notice)
	l.w.chat.Head.SetWidth(s.Width - left)
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
	l.w.chat.Head.SetNarrow(narrow)
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
		l.toggleDrawer()
	}
}

// toggleDrawer opens or closes the list of a narrow window.
func (l *windowLayout) toggleDrawer() {
	l.drawer = !l.drawer && l.narrow
	l.apply()
	if content := l.w.win.Content(); content.Size().Height < tinyBelow {
		content.Refresh() // the vitals come and go
	}
}

// Escape implements kit.Host. It closes what is open, in this order: a modal, a file dialog,
// the slash menu, the drawer, the find bar. If nothing is, it stops the answer.
func (w windowHost) Escape() {
	switch m := overlay.OpenModal(w.win.Canvas()); {
	case m != nil:
		m.Close()
	case w.chooser.open != nil:
		w.chooser.open.Dismiss()
	case w.chat.Slash.Visible():
		w.chat.Slash.Close()
	case w.root.drawer:
		w.root.closeDrawer()
	case w.panes.page == pageChat && w.chat.Find.Open():
		w.chat.Find.Close(true)
	default:
		w.chat.Stop()
	}
}
