package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
)

// modal is a card over the window, which waits until it is answered. Esc closes it; a
// press beside it does nothing, so that nothing written in it is lost by a slip.
type modal struct {
	widget.BaseWidget
	card  *cardRow
	most  float32 // width of the card, at most
	scrim *scrim
	w     *Window
}

// showModal lays a card over the window.
func (w *Window) showModal(card *cardRow, most float32) *modal {
	m := &modal{card: card, most: most, scrim: newScrim(func() {}), w: w}
	m.ExtendBaseWidget(m)
	w.modal = m
	m.Resize(w.win.Canvas().Size())
	w.win.Canvas().Overlays().Add(m)
	return m
}

func (m *modal) close() {
	m.w.win.Canvas().Overlays().Remove(m)
	if m.w.modal == m {
		m.w.modal = nil
	}
}

// CreateRenderer implements fyne.Widget.
func (m *modal) CreateRenderer() fyne.WidgetRenderer { return &modalRenderer{m} }

type modalRenderer struct{ m *modal }

func (r *modalRenderer) Layout(s fyne.Size) {
	r.m.scrim.Resize(s)
	width := max(0, min(r.m.most, s.Width-2*gap20))
	height := min(r.m.card.measure(width), s.Height)
	r.m.card.Move(fyne.NewPos((s.Width-width)/2, (s.Height-height)/2))
	r.m.card.Resize(fyne.NewSize(width, height))
}

func (r *modalRenderer) MinSize() fyne.Size { return fyne.Size{} }

func (r *modalRenderer) Refresh() {
	r.Layout(r.m.Size())
	for _, o := range r.Objects() {
		o.Refresh()
	}
}

func (r *modalRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.m.scrim, r.m.card}
}
func (r *modalRenderer) Destroy() {}

// confirmWidth is how wide a question is, at most.
const confirmWidth float32 = 360

// confirm asks before something that can't be taken back.
func (w *Window) confirm(title, text, yes string, do func()) {
	var m *modal
	cancel := newButton(buttonPlain, i18n.T("Cancel"), func() { m.close() })
	card := newCardRow(roleNone, titleWords(title), newParagraph(text, roleMuted), spacer(gap8), line(gap8, -1,
		newButton(buttonPrimary, yes, func() { m.close(); do() }), cancel))
	card.pad = gap16
	m = w.showModal(card, confirmWidth)
	w.win.Canvas().Focus(cancel) // Enter must not be enough
}
