package overlay

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// Modal is a card over the window that waits for an answer. Esc closes it. A click beside
// it does nothing, so that what was typed isn't lost by accident.
type Modal struct {
	widget.BaseWidget
	Card     *column.CardRow
	Port     *column.Viewport // scrolls the card if the window is too low for it
	tall     bool             // the card scrolls
	maxWidth float32          // maximum width of the card
	scrim    *Scrim
	over     fyne.Canvas
}

// ShowModal shows a card over a window, with a maximum width.
func ShowModal(over fyne.Canvas, card *column.CardRow, maxWidth float32) *Modal {
	m := &Modal{Card: card, Port: column.NewViewport(), maxWidth: maxWidth, scrim: NewScrim(func() {}), over: over}
	m.Port.Follow, m.Port.Fixed, m.Port.Pad, m.Port.Top, m.Port.Bottom, m.Port.OnEscape = false, true, 0, 0, 0, m.Close
	m.Port.SetRows([]*column.Placed{{Row: card}})
	m.ExtendBaseWidget(m)
	m.Resize(over.Size())
	over.Overlays().Add(m)
	return m
}

// OpenModal returns the card over a window, or nil.
func OpenModal(over fyne.Canvas) *Modal {
	for _, o := range slices.Backward(over.Overlays().List()) {
		if m, ok := o.(*Modal); ok {
			return m
		}
	}
	return nil
}

// Close removes the card.
func (m *Modal) Close() { m.over.Overlays().Remove(m) }

// CreateRenderer implements fyne.Widget.
func (m *Modal) CreateRenderer() fyne.WidgetRenderer {
	return &kit.Renderer{Widget: m, LayOut: m.layOut, Parts: m.parts}
}

func (m *Modal) layOut(s fyne.Size) {
	m.scrim.Resize(s)
	width := max(0, min(m.maxWidth, s.Width-2*kit.Gap20))
	height := m.Card.Measure(width)
	at := fyne.NewPos((s.Width-width)/2, max(0, (s.Height-height)/2))
	if m.tall = height > s.Height; m.tall {
		m.Port.Move(at)
		m.Port.Resize(fyne.NewSize(width, s.Height))
		m.Port.Remeasure(m.Card)
		return
	}
	m.Card.Move(at)
	m.Card.Resize(fyne.NewSize(width, height))
}

func (m *Modal) parts() []fyne.CanvasObject {
	if m.tall {
		return []fyne.CanvasObject{m.scrim, m.Port}
	}
	return []fyne.CanvasObject{m.scrim, m.Card}
}

// confirmWidth is the maximum width of a question.
const confirmWidth float32 = 360

// Confirm asks before an action. The button for it is of a kind: ButtonDanger if something is lost.
func Confirm(over fyne.Canvas, title, text string, kind kit.ButtonKind, yes string, do func()) {
	var m *Modal
	cancel := kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), func() { m.Close() })
	card := column.NewCardRow(kit.RoleNone, kit.Title(title), prose.NewParagraph(text, kit.RoleMuted), column.Spacer(kit.Gap8), kit.Line(kit.Gap8, -1,
		kit.NewButton(kind, yes, func() { m.Close(); do() }), cancel))
	card.Pad = kit.Gap16
	m = ShowModal(over, card, confirmWidth)
	over.Focus(cancel) // Enter must not be enough to confirm
}

// Scrim dims what is beside the drawer; a click on it closes the drawer.
type Scrim struct {
	widget.BaseWidget
	onTap func()
}

// NewScrim returns a scrim that calls onTap when clicked.
func NewScrim(onTap func()) *Scrim {
	s := &Scrim{onTap: onTap}
	s.ExtendBaseWidget(s)
	return s
}

// Tapped implements fyne.Tappable.
func (s *Scrim) Tapped(*fyne.PointEvent) { s.onTap() }

// CreateRenderer implements fyne.Widget.
func (s *Scrim) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(kit.NewSurface(kit.RoleScrim, kit.RoleNone, 0))
}
