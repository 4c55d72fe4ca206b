package cpuwindow

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/sessionmem"
)

// optionsPanel changes what is chosen for one conversation beside agent and model,
// which have buttons of their own in the header.
type optionsPanel struct {
	pop     *modal
	warmth  *panelEntry
	prompt  *panelEntry
	problem *prose
	card    *cardRow
	count   *words
	was     sessionmem.SessionSettings
	save    func(sessionmem.SessionSettings)
	bottom  *fyne.Container
}

// panelEntry is a field that Escape leaves the panel from.
type panelEntry struct {
	widget.Entry
	box      *surface // around it, with the focus
	onEscape func()
}

// TappedSecondary implements fyne.SecondaryTappable.
func (e *panelEntry) TappedSecondary(ev *fyne.PointEvent) { showFieldMenu(e, ev.AbsolutePosition) }

func newPanelEntry(text string, rows int, onEscape func()) *panelEntry {
	e := &panelEntry{onEscape: onEscape, box: newSurface(roleWindow, roleLine, radiusRow)}
	e.ExtendBaseWidget(e)
	if rows > 1 {
		e.MultiLine, e.Wrapping = true, fyne.TextWrapWord
		e.SetMinRowsVisible(rows)
	}
	e.SetText(text)
	return e
}

// framed is the field with the line around it.
func (e *panelEntry) framed() fyne.CanvasObject { return container.NewStack(e.box, e) }

// FocusGained implements fyne.Focusable.
func (e *panelEntry) FocusGained() {
	e.box.set(e.box.fill, roleAccent)
	e.Entry.FocusGained()
}

// FocusLost implements fyne.Focusable.
func (e *panelEntry) FocusLost() {
	e.box.set(e.box.fill, roleLine)
	e.Entry.FocusLost()
}

// AcceptsTab implements fyne.Tabbable: Tab leaves the field.
func (e *panelEntry) AcceptsTab() bool { return false }

// TypedKey implements fyne.Focusable.
func (e *panelEntry) TypedKey(k *fyne.KeyEvent) {
	if k.Name == fyne.KeyEscape {
		e.onEscape()
		return
	}
	e.Entry.TypedKey(k)
}

const (
	panelWidth float32 = 420
	promptMax  int     = 4000 // characters, as the transcript takes them
)

// showOptions opens the panel for the conversation that is shown.
func (w *Window) showOptions() {
	c := w.shown
	p := &optionsPanel{was: c.chosen()}
	p.save = func(s sessionmem.SessionSettings) { w.choose(c, s) }
	p.open(w)
}

func (p *optionsPanel) open(w *Window) {
	p.build()
	p.pop = w.showModal(p.card, panelWidth)
	w.win.Canvas().Focus(p.warmth)
}

func (p *optionsPanel) build() {
	warmth := ""
	if t := p.was.Temperature; t != nil {
		warmth = strconv.FormatFloat(*t, 'f', -1, 64)
	}
	p.warmth = newPanelEntry(warmth, 1, p.close)
	p.warmth.SetPlaceHolder(i18n.T("the agent's own"))
	p.warmth.OnSubmitted = func(string) { p.onSave() }
	p.prompt = newPanelEntry(p.was.Prompt, 5, p.close)
	p.prompt.SetPlaceHolder(i18n.T("Such as: answer in German, and briefly."))
	p.prompt.OnChanged = func(string) { p.recount() }
	p.problem = newProse(nil, sizeSmall, roleHot)
	p.problem.Hide()
	p.count = smallWords("")
	p.recount()
	reset := newButton(buttonPlain, i18n.T("Reset all"), p.onReset)
	if p.was.IsZero() {
		reset.Disable()
	}
	p.bottom = line(gap8, -1, newButton(buttonPrimary, i18n.T("Save"), p.onSave), reset, newButton(buttonPlain, i18n.T("Cancel"), p.close))
	p.card = newCardRow(roleNone,
		titleWords(i18n.T("This conversation")),
		newParagraph(i18n.T("Kept in its transcript, and for this conversation alone. Reset all goes back to the default agent and model, too."), roleMuted),
		spacer(gap4),
		line(gap8, 1, textWords(i18n.T("Temperature")), smallWords(i18n.T("0 is precise, 2 is free")).squeezable()),
		container.New(&capLayout{160}, p.warmth.framed()),
		spacer(gap4),
		line(gap8, 1, textWords(i18n.T("Instructions")), smallWords(i18n.T("added to the agent's own")).squeezable(), p.count),
		p.prompt.framed(),
		p.problem,
		spacer(gap4),
		p.bottom,
	)
	p.card.pad = gap16
}

// capLayout gives an object no more than a width.
type capLayout struct{ width float32 }

// MinSize implements fyne.Layout.
func (l *capLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return o[0].MinSize() }

// Layout implements fyne.Layout.
func (l *capLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	o[0].Resize(fyne.NewSize(min(l.width, s.Width), s.Height))
}

func (p *optionsPanel) close() { p.pop.close() }

func (p *optionsPanel) recount() {
	n := utf8.RuneCountInString(strings.TrimSpace(p.prompt.Text))
	role := roleMuted
	if n > promptMax {
		role = roleHot
	}
	text := ""
	if n > promptMax/2 {
		text = i18n.With("{{.N}} of {{.PromptMax}}", i18n.Places{"N": n, "PromptMax": promptMax})
	}
	p.count.set(text, role)
}

// read gives what is written in the fields, or what is wrong with it.
func (p *optionsPanel) read() (sessionmem.SessionSettings, error) {
	s := p.was
	s.Temperature, s.Prompt = nil, strings.TrimSpace(p.prompt.Text)
	if text := strings.TrimSpace(p.warmth.Text); text != "" {
		t, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
		if err != nil {
			return s, fmt.Errorf("%q is no temperature: write a number from 0 to 2, or nothing", text)
		}
		s.Temperature = &t
	}
	return s, s.Check()
}

func (p *optionsPanel) onSave() {
	s, err := p.read()
	if err != nil {
		p.problem.setRuns([]run{{text: fullStop(capital(err.Error()))}})
		p.problem.Show()
		p.pop.Refresh()
		return
	}
	p.close()
	p.save(s)
}

func (p *optionsPanel) onReset() {
	p.close()
	p.save(sessionmem.SessionSettings{})
}
