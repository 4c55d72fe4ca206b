package chatpane

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

// optionParams holds what the panel is opened with.
type optionParams struct {
	Over   fyne.Canvas
	Chosen transcript.Settings
	Model  ollama.ModelInfo // the model that answers next; zero if unknown
	Auto   int              // its context in tokens if none is chosen; 0 if unknown
	Memory uint64           // of the machine, in bytes; 0 if unknown
	Save   func(transcript.Settings)
}

// optionsPanel is the panel for the options of one conversation: temperature, thinking, context
// size and instructions. It writes nothing itself, shows what is wrong with a value and stays
// open until it is corrected. Agent and model have buttons in the header instead.
type optionsPanel struct {
	pop         *overlay.Modal
	temperature *kit.Field
	think       *bool
	switches    *kit.Segments
	context     *contextChoice
	prompt      *kit.Field
	problem     *prose.Text
	card        *column.CardRow
	count       *kit.Label
	before      transcript.Settings
	save        func(transcript.Settings)
	bottom      *kit.FlowRow
}

const (
	panelWidth float32 = 420
	promptMax  int     = 4000 // characters; the limit of the transcript
)

// openOptions shows the panel over the window and focuses its first field.
func openOptions(params optionParams) *optionsPanel {
	p := &optionsPanel{before: params.Chosen, save: params.Save, context: newContextChoice(params)}
	p.build()
	p.pop = overlay.ShowModal(params.Over, p.card, panelWidth)
	params.Over.Focus(p.temperature)
	return p
}

func (p *optionsPanel) build() {
	temperature := ""
	if t := p.before.Temperature; t != nil {
		temperature = strconv.FormatFloat(*t, 'f', -1, 64)
	}
	p.temperature = p.field(kit.NewField(), temperature)
	p.temperature.SetPlaceHolder(i18n.T("the agent's own"))
	p.temperature.OnSubmitted = func(string) { p.onSave() }
	p.prompt = p.field(kit.NewTextArea(), p.before.Prompt)
	p.prompt.SetMinRowsVisible(3)
	p.prompt.SetPlaceHolder(i18n.T("For example: answer briefly, in German."))
	p.prompt.OnChanged = func(string) { p.recount() }
	p.problem = prose.New(nil, kit.SizeSmall, kit.RoleHot)
	p.problem.Hide()
	p.count = kit.Small("")
	p.recount()
	reset := kit.NewButton(kit.ButtonPlain, i18n.T("Reset all"), p.onReset)
	if p.before.IsZero() {
		reset.Disable()
	}
	p.bottom = kit.NewFlowRow(kit.Gap8, kit.NewButton(kit.ButtonPrimary, i18n.T("Save"), p.onSave), reset, kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), p.close))
	p.card = column.NewCardRow(kit.RoleNone,
		kit.Title(i18n.T("This conversation")),
		prose.NewParagraph(i18n.T("Saved in its transcript, for this conversation only. Reset all also goes back to the default agent and model."), kit.RoleMuted),
		column.Spacer(kit.Gap4),
		kit.Line(kit.Gap8, 1, kit.Text(i18n.T("Temperature")), kit.Small(i18n.T("0 = predictable, 2 = creative")).Squeezable(), kit.Sized(ringed(p.temperature), 130, 0)),
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

// thinking returns the switch for whether the model thinks before it answers.
func (p *optionsPanel) thinking() fyne.CanvasObject {
	yes, no := true, false
	choices := map[string]*bool{"": nil, "on": &yes, "off": &no}
	words := map[string]string{"": i18n.T("the agent's own"), "on": i18n.T("on"), "off": i18n.T("off")}
	p.switches = kit.NewSegments([]string{"", "on", "off"}, func(v string) string { return words[v] }, func(chosen string) {
		p.think = choices[chosen]
		p.switches.SetValue(chosen, false)
	})
	p.think = p.before.Think
	for value, think := range choices {
		if (think == nil) == (p.think == nil) && (think == nil || *think == *p.think) {
			p.switches.SetValue(value, false)
		}
	}
	return p.switches
}

// field prepares a field of the panel: its text, and Esc to close the panel.
func (p *optionsPanel) field(f *kit.Field, text string) *kit.Field {
	f.SetText(text)
	f.SetEscape(p.close)
	return f
}

// ringed returns a field with a border that shows the focus.
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

func (p *optionsPanel) close() { p.pop.Close() }

func (p *optionsPanel) recount() {
	n := utf8.RuneCountInString(strings.TrimSpace(p.prompt.Text))
	role := kit.RoleMuted
	if n > promptMax {
		role = kit.RoleHot
	}
	text := ""
	if n > promptMax/2 {
		text = i18n.With("{{.N}} of {{.PromptMax}}", i18n.Places{"N": i18n.Thousands(n), "PromptMax": i18n.Thousands(promptMax)})
	}
	p.count.Set(text, role)
}

// read returns the options in the fields, or what is wrong with them.
func (p *optionsPanel) read() (transcript.Settings, error) {
	s := p.before
	s.Temperature, s.Think, s.Context, s.Prompt = nil, p.think, p.context.chosen, strings.TrimSpace(p.prompt.Text)
	if text := strings.TrimSpace(p.temperature.Text); text != "" {
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
		p.problem.SetRuns([]prose.Run{{Text: i18n.Sentence(i18n.Capital(err.Error()))}})
		p.problem.Show()
		p.pop.Refresh()
		return
	}
	p.close()
	p.save(s)
}

func (p *optionsPanel) onReset() {
	p.close()
	p.save(transcript.Settings{})
}
