// Package options is the panel that changes what is chosen for one conversation beside its
// agent and model: the temperature, thinking, the size of the context, instructions.
//
// It is opened with what is chosen now and gives what was saved; it writes nothing itself.
// What is wrong with a value is said on the panel, which stays until it is right. The
// choice of a context says what fits the machine's memory.
package options

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/agents/ollama"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/transcript"
)

// Params is what the panel is opened with.
type Params struct {
	Over   fyne.Canvas
	Chosen transcript.Settings
	Model  ollama.ModelInfo // that answers next; zero where that is not known
	Auto   int              // tokens of its context where none is chosen; 0: not known
	Memory uint64           // the machine's, in bytes; 0: not known
	Save   func(transcript.Settings)
}

// panel has the fields on the screen. Agent and model have buttons in the header.
type panel struct {
	pop      *overlay.Modal
	warmth   *kit.Field
	think    *bool
	switches *kit.Segments
	context  *contextChoice
	prompt   *kit.Field
	problem  *prose.Text
	card     *column.CardRow
	count    *kit.Label
	was      transcript.Settings
	save     func(transcript.Settings)
	bottom   *kit.FlowRow
}

const (
	panelWidth float32 = 420
	promptMax  int     = 4000 // characters, as the transcript takes them
)

// Open shows the panel over the window, and gives its first field the focus.
func Open(p Params) { open(p) }

func open(params Params) *panel {
	p := &panel{was: params.Chosen, save: params.Save, context: newContextChoice(params)}
	p.build()
	p.pop = overlay.ShowModal(params.Over, p.card, panelWidth)
	params.Over.Focus(p.warmth)
	return p
}

func (p *panel) build() {
	warmth := ""
	if t := p.was.Temperature; t != nil {
		warmth = strconv.FormatFloat(*t, 'f', -1, 64)
	}
	p.warmth = p.field(kit.NewField(), warmth)
	p.warmth.SetPlaceHolder(i18n.T("the agent's own"))
	p.warmth.OnSubmitted = func(string) { p.onSave() }
	p.prompt = p.field(kit.NewTextArea(), p.was.Prompt)
	p.prompt.SetMinRowsVisible(3)
	p.prompt.SetPlaceHolder(i18n.T("For example: answer briefly, in German."))
	p.prompt.OnChanged = func(string) { p.recount() }
	p.problem = prose.New(nil, kit.SizeSmall, kit.RoleHot)
	p.problem.Hide()
	p.count = kit.Small("")
	p.recount()
	reset := kit.NewButton(kit.ButtonPlain, i18n.T("Reset all"), p.onReset)
	if p.was.IsZero() {
		reset.Disable()
	}
	p.bottom = kit.NewFlowRow(kit.Gap8, kit.NewButton(kit.ButtonPrimary, i18n.T("Save"), p.onSave), reset, kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), p.close))
	p.card = column.NewCardRow(kit.RoleNone,
		kit.Title(i18n.T("This conversation")),
		prose.NewParagraph(i18n.T("Saved in its transcript, for this conversation only. Reset all also goes back to the default agent and model."), kit.RoleMuted),
		column.Spacer(kit.Gap4),
		kit.Line(kit.Gap8, 1, kit.Text(i18n.T("Temperature")), kit.Small(i18n.T("0 = predictable, 2 = creative")).Squeezable(), kit.Sized(ringed(p.warmth), 130, 0)),
		kit.Line(kit.Gap8, 1, kit.Text(i18n.T("Thinking")), kit.Small(i18n.T("before the answer, where the model can")).Squeezable()),
		p.thinking(),
		column.Spacer(kit.Gap4),
		kit.Line(kit.Gap8, 1, kit.Text(i18n.T("Context")), kit.Small(i18n.T("how much the model sees")).Squeezable(), p.context.button),
		p.context.words,
		column.Spacer(kit.Gap4),
		kit.Line(kit.Gap8, 1, kit.Text(i18n.T("Instructions")), kit.Small(i18n.T("added to the agent's own")).Squeezable(), p.count),
		ringed(p.prompt),
		p.problem,
		column.Spacer(kit.Gap4),
		p.bottom,
	)
	p.card.Pad = kit.Gap16
}

// thinking chooses whether the model thinks before it answers.
func (p *panel) thinking() fyne.CanvasObject {
	yes, no := true, false
	choices := map[string]*bool{"": nil, "on": &yes, "off": &no}
	words := map[string]string{"": i18n.T("the agent's own"), "on": i18n.T("on"), "off": i18n.T("off")}
	p.switches = kit.NewSegments([]string{"", "on", "off"}, func(v string) string { return words[v] }, func(chosen string) {
		p.think = choices[chosen]
		p.switches.SetValue(chosen, false)
	})
	p.think = p.was.Think
	for value, think := range choices {
		if (think == nil) == (p.think == nil) && (think == nil || *think == *p.think) {
			p.switches.SetValue(value, false)
		}
	}
	return p.switches
}

// field is a field of the panel, which Esc closes.
func (p *panel) field(f *kit.Field, text string) *kit.Field {
	f.SetText(text)
	f.LeaveBy(p.close)
	return f
}

// ringed is a field with a line around it, which shows the focus.
func ringed(f *kit.Field) fyne.CanvasObject {
	box := kit.NewSurface(kit.RoleWindow, kit.RoleLine, kit.RadiusRow)
	f.OnFocus = func(on bool) {
		role := kit.RoleLine
		if on {
			role = kit.RoleAccent
		}
		box.Set(box.Fill, role)
	}
	return container.NewStack(box, f)
}

func (p *panel) close() { p.pop.Close() }

func (p *panel) recount() {
	n := utf8.RuneCountInString(strings.TrimSpace(p.prompt.Text))
	role := kit.RoleMuted
	if n > promptMax {
		role = kit.RoleHot
	}
	text := ""
	if n > promptMax/2 {
		text = i18n.With("{{.N}} of {{.PromptMax}}", i18n.Places{"N": n, "PromptMax": promptMax})
	}
	p.count.Set(text, role)
}

// read gives what is written in the fields, or what is wrong with it.
func (p *panel) read() (transcript.Settings, error) {
	s := p.was
	s.Temperature, s.Think, s.Context, s.Prompt = nil, p.think, p.context.chosen, strings.TrimSpace(p.prompt.Text)
	if text := strings.TrimSpace(p.warmth.Text); text != "" {
		t, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
		if err != nil {
			return s, fmt.Errorf("%q is no temperature: write a number from 0 to 2, or nothing", text)
		}
		s.Temperature = &t
	}
	return s, s.Check()
}

func (p *panel) onSave() {
	s, err := p.read()
	if err != nil {
		p.problem.SetRuns([]prose.Run{{Text: i18n.Sentence(i18n.Capital(err.Error()))}})
		p.problem.Show()
		p.pop.Refresh()
		return
	}
	p.close()
	p.save(s)
}

func (p *panel) onReset() {
	p.close()
	p.save(transcript.Settings{})
}
