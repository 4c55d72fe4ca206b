package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
)

// Menus lie on a card of ours with an outline: Fyne's own stand out from what is below only
// by a shadow, which is invisible in a light window.

// ShowMenu opens a menu below a button.
func ShowMenu(m *fyne.Menu, below fyne.CanvasObject, canvas fyne.Canvas) {
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(below)
	ShowMenuAt(m, at.AddXY(0, below.Size().Height+Gap4), canvas)
}

// ShowMenuAt opens a menu at a position in the window, or beside it if there is no room.
func ShowMenuAt(m *fyne.Menu, at fyne.Position, c fyne.Canvas) {
	p := newMenuPopUp(m, at, c)
	p.Resize(c.Size())
	c.Overlays().Add(p)
	c.Focus(p)
}

// textField is what a field's menu needs from the field.
type textField interface {
	fyne.Focusable
	fyne.Shortcutable
	fyne.CanvasObject
	Disabled() bool
}

// showFieldMenu opens the menu of a text field, at a position in the window.
func showFieldMenu(f textField, at fyne.Position) {
	c := fyne.CurrentApp().Driver().CanvasForObject(f)
	if c == nil {
		return
	}
	c.Focus(f)
	clipboard := fyne.CurrentApp().Clipboard()
	item := func(label string, s fyne.Shortcut) *fyne.MenuItem {
		return fyne.NewMenuItem(label, func() { f.TypedShortcut(s) })
	}
	read := []*fyne.MenuItem{item(i18n.T("Copy"), &fyne.ShortcutCopy{Clipboard: clipboard}), item(i18n.T("Select all"), &fyne.ShortcutSelectAll{})}
	if f.Disabled() {
		ShowMenuAt(fyne.NewMenu("", read...), at, c)
		return
	}
	ShowMenuAt(fyne.NewMenu("",
		item(i18n.T("Undo"), &fyne.ShortcutUndo{}), item(i18n.T("Redo"), &fyne.ShortcutRedo{}), fyne.NewMenuItemSeparator(),
		item(i18n.T("Cut"), &fyne.ShortcutCut{Clipboard: clipboard}), read[0],
		item(i18n.T("Paste"), &fyne.ShortcutPaste{Clipboard: clipboard}), read[1]), at, c)
}

// menuPopUp is an open menu, used by mouse or by the arrow keys, Enter and Esc. A click
// beside it closes it.
type menuPopUp struct {
	widget.BaseWidget
	menu   *widget.Menu
	box    fyne.CanvasObject // the menu, in a theme without a shadow
	at     fyne.Position
	canvas fyne.Canvas
}

func newMenuPopUp(m *fyne.Menu, at fyne.Position, c fyne.Canvas) *menuPopUp {
	p := &menuPopUp{menu: widget.NewMenu(m), at: at, canvas: c}
	p.menu.OnDismiss = p.close
	p.box = container.NewThemeOverride(p.menu, flatTheme{})
	p.ExtendBaseWidget(p)
	return p
}

func (p *menuPopUp) close() { p.canvas.Overlays().Remove(p) }

// Tapped implements fyne.Tappable.
func (p *menuPopUp) Tapped(*fyne.PointEvent) { p.close() }

// TappedSecondary implements fyne.SecondaryTappable.
func (p *menuPopUp) TappedSecondary(*fyne.PointEvent) { p.close() }

// FocusGained implements fyne.Focusable.
func (p *menuPopUp) FocusGained() {}

// FocusLost implements fyne.Focusable.
func (p *menuPopUp) FocusLost() {}

// TypedRune implements fyne.Focusable.
func (p *menuPopUp) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (p *menuPopUp) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeyDown:
		p.menu.ActivateNext()
	case fyne.KeyUp:
		p.menu.ActivatePrevious()
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace:
		AfterLetter(p, ev, p.menu.TriggerLast)
	case fyne.KeyEscape:
		p.close()
	}
}

// CreateRenderer implements fyne.Widget.
func (p *menuPopUp) CreateRenderer() fyne.WidgetRenderer {
	r := &menuRenderer{p: p, card: canvas.NewRectangle(color.Transparent)}
	r.apply()
	return r
}

type menuRenderer struct {
	p    *menuPopUp
	card *canvas.Rectangle
}

func (r *menuRenderer) apply() {
	r.card.FillColor, r.card.StrokeColor, r.card.StrokeWidth = Color(RoleCard), Color(RoleLine), 1
	r.card.CornerRadius = RadiusCard
	r.card.Shadow = canvas.Shadow{Color: theme.Color(theme.ColorNameShadow), BlurRadius: Gap8, Offset: fyne.NewPos(0, 2)}
}

// Layout implements fyne.WidgetRenderer. It keeps the menu inside the window as far as it
// fits.
func (r *menuRenderer) Layout(s fyne.Size) {
	size := r.p.box.MinSize().AddWidthHeight(2*Gap4, 2*Gap4)
	size = fyne.NewSize(min(size.Width, s.Width), min(size.Height, s.Height))
	at := fyne.NewPos(max(0, min(r.p.at.X, s.Width-size.Width-Gap4)), max(0, min(r.p.at.Y, s.Height-size.Height-Gap4)))
	r.card.Move(at)
	r.card.Resize(size)
	r.p.box.Move(at.AddXY(Gap4, Gap4))
	r.p.box.Resize(size.SubtractWidthHeight(2*Gap4, 2*Gap4))
}

func (r *menuRenderer) MinSize() fyne.Size { return fyne.Size{} }

func (r *menuRenderer) Refresh() {
	r.apply()
	r.card.Refresh()
	r.p.box.Refresh()
}

func (r *menuRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.card, r.p.box} }
func (r *menuRenderer) Destroy()                     {}

// flatTheme leaves the background and the shadow of a menu to the card below it.
type flatTheme struct{ themeNow }

// Color implements fyne.Theme.
func (t flatTheme) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	switch name {
	case theme.ColorNameMenuBackground, theme.ColorNameShadow:
		return color.Transparent
	}
	return t.themeNow.Color(name, v)
}
