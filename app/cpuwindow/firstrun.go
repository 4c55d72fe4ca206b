package cpuwindow

import (
	"fmt"
	"strconv"

	"fyne.io/fyne/v2"

	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// The first run: the server, a model, the memory. Each step can be passed over, and
// nothing in it is asked again: it is shown where there was no config.toml yet.

// pageWelcome is the first run.
const pageWelcome page = "welcome"

const (
	stepServer = iota
	stepModel
	stepMemory
	welcomeSteps
)

// choicesShown is how many installed models the second step offers.
const choicesShown = 6

// welcome shows the first run from its first step on.
func (w *Window) welcome() {
	w.parts.firstRun = false
	w.step = stepServer
	w.showPage(pageWelcome)
}

// leaveWelcome ends the first run, at whatever step.
func (w *Window) leaveWelcome() {
	if w.page == pageWelcome {
		w.showPage(pageChat)
	}
}

func (w *Window) goToStep(n int) {
	if n >= welcomeSteps {
		w.leaveWelcome()
		return
	}
	w.step = n
	w.pageView.Offset = 0
	w.drawWelcome()
	w.focusWelcome()
}

// focusWelcome puts the focus on what goes on, or is to be done first.
func (w *Window) focusWelcome() {
	for _, p := range w.pageView.Rows {
		for _, b := range kit.RowButtons([]*kit.Placed{p}) {
			if b.Kind == kit.ButtonPrimary {
				w.pageView.RevealRow(p.Row) // only what is in sight can have the focus
				w.win.Canvas().Focus(b)
				return
			}
		}
	}
}

// drawWelcome shows the step as it is now; it does nothing where another page is.
func (w *Window) drawWelcome() {
	if w.page != pageWelcome || !w.visible {
		return
	}
	rows := []*kit.Placed{
		kit.TextRow(i18n.T("Your machine's vitals, and a chat with models that run on it. Nothing leaves this machine by itself."), kit.RoleMuted, kit.Gap4),
		{Row: kit.NewProse([]kit.Run{{Text: i18n.With("Step {{.Step}} of {{.Steps}}", i18n.Places{"Step": w.step + 1, "Steps": welcomeSteps})}}, kit.SizeSmall, kit.RoleMuted), Gap: kit.Gap20},
	}
	var body []*kit.Placed
	ready := true // going on is what is to be done now
	switch w.step {
	case stepServer:
		body, ready = w.serverStep()
		body = append(body, &kit.Placed{Row: w.folderCard(), Gap: kit.Gap12, Max: kit.ProseMax})
	case stepModel:
		body, ready = w.modelStep()
	default:
		body = w.memoryStep()
	}
	before, _ := w.win.Canvas().Focused().(*kit.Button)
	w.pageView.ReplaceRows(w.win.Canvas(), append(append(rows, body...), w.welcomeButtons(ready)))
	switch after := w.win.Canvas().Focused().(type) {
	case nil, *kit.Field: // nowhere that is seen
		w.focusWelcome()
	case *kit.Button:
		if before != nil && after.Text != before.Text { // that one is gone
			w.focusWelcome()
		}
	}
}

func (w *Window) welcomeButtons(ready bool) *kit.Placed {
	next, kind := i18n.T("Continue"), kit.ButtonPrimary
	if !ready {
		next, kind = i18n.T("Continue without Ollama"), kit.ButtonPlain
	}
	if w.step == welcomeSteps-1 {
		next = i18n.T("Begin")
	}
	buttons := []fyne.CanvasObject{kit.NewButton(kind, next, func() { w.goToStep(w.step + 1) })}
	if w.step > 0 {
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Back"), func() { w.goToStep(w.step - 1) }))
	}
	if w.step < welcomeSteps-1 {
		buttons = append(buttons, kit.NewButton(kit.ButtonQuiet, i18n.T("Skip setup"), w.leaveWelcome))
	}
	return &kit.Placed{Row: kit.NewBoxRow(kit.Line(kit.Gap12, -1, buttons...)), Gap: kit.Gap20}
}

// serverStep is the model server: found, or how to get it.
func (w *Window) serverStep() (rows []*kit.Placed, ready bool) {
	s := w.server
	switch {
	case !s.checked:
		return []*kit.Placed{{Row: welcomeCard(i18n.T("Looking for Ollama…"), i18n.T("It runs models on this machine; mac-stats talks to it.")), Gap: kit.Gap8, Max: kit.ProseMax}}, true
	case s.down != nil:
		return []*kit.Placed{{Row: w.setup().downCard(s, false), Gap: kit.Gap8, Max: kit.ProseMax}}, false
	}
	where := map[string]any{"Address": s.address, "Version": s.version}
	text := []string{i18n.With("It answers at {{.Address}} and has no model yet.", where)}
	if n := len(chatModels(s.models)); n > 0 {
		text = []string{i18n.With("It answers at {{.Address}}.", where), i18n.Count("{{.N}} models are installed.", n)}
	}
	return []*kit.Placed{{Row: welcomeCard(i18n.With("Ollama {{.Version}} is running", where), text...), Gap: kit.Gap8, Max: kit.ProseMax}}, true
}

func welcomeCard(title string, text ...string) *kit.CardRow {
	parts := []fyne.CanvasObject{kit.Title(title)}
	for _, t := range text {
		parts = append(parts, kit.NewParagraph(t, kit.RoleMuted))
	}
	c := kit.NewCardRow(kit.RoleNone, parts...)
	c.Pad = kit.Gap16
	return c
}

// machineMemory is the machine's memory in bytes, 0 where it is not known.
func (w *Window) machineMemory() uint64 {
	if s := w.lastVitals.Load(); s != nil {
		return s.Memory.Total
	}
	return 0
}

// modelStep is the model: choose an installed one, or pull one that fits.
func (w *Window) modelStep() (rows []*kit.Placed, ready bool) {
	s := w.server
	models := chatModels(s.models)
	var r kit.Row
	switch {
	case w.puller.Now().Model != "":
		r = w.puller.Card()
	case s.down != nil || s.modelsErr != nil:
		r = welcomeCard(i18n.T("A model"), i18n.T("There is no server to list or download models yet. As soon as Ollama runs, the chat offers what fits this machine; nothing has to be set for that."))
		ready = true
	case len(models) == 0:
		r = w.setup().modelCard(w.machineMemory())
	default:
		r, ready = w.modelChoices(models), true
	}
	return []*kit.Placed{{Row: r, Gap: kit.Gap8, Max: kit.ProseMax}}, ready
}

// modelChoices offers the installed models; the first is to leave it to mac-stats.
func (w *Window) modelChoices(models []ollama.ModelInfo) kit.Row {
	now, memory := w.parts.config().Ollama.Model, w.machineMemory()
	parts := []fyne.CanvasObject{kit.Title(i18n.T("Which model answers?")), kit.NewParagraph(i18n.T("You can choose another one for each chat."), kit.RoleMuted), kit.Spacer(kit.Gap4)}
	add := func(label, value, note string) {
		b := kit.NewButton(kit.ButtonPlain, label, func() { w.writer.Set("ollama.model", value, w.settled) })
		b.SetSelected(now == value)
		parts = append(parts, kit.Line(kit.Gap12, 1, b, kit.Muted(note).Squeezable()))
	}
	add(i18n.T("Automatic"), "", i18n.T("chosen by size and abilities"))
	for _, m := range models[:min(len(models), choicesShown)] {
		add(m.Name, m.Name, modelNote(m, memory))
	}
	if more := len(models) - choicesShown; more > 0 {
		parts = append(parts, kit.Muted(i18n.Count("and {{.N}} more, in the menu above a chat", more)).Squeezable())
	}
	c := kit.NewCardRow(kit.RoleNone, parts...)
	c.Pad, c.Gap = kit.Gap16, kit.Gap8
	return c
}

// modelNote says how large a model is, and whether it fits the machine.
func modelNote(m ollama.ModelInfo, memory uint64) string {
	if m.Remote {
		return i18n.T("runs elsewhere: your messages leave this machine")
	}
	note := fmt.Sprintf("%.1f GB", float64(m.Size)/1e9)
	if !ollama.Fits(m.Size, memory) {
		note = i18n.With("{{.Size}}, too large to run well with {{.Memory}} GB of memory", i18n.Places{"Size": note, "Memory": vitals.WholeGigabytes(memory)})
	}
	return note
}

// settled shows the step again after a setting was written.
func (w *Window) settled(err error) {
	if err != nil {
		w.tell(i18n.T("The setting was not changed"), err.Error())
	}
	w.drawWelcome()
}

// memoryStep says what is remembered.
func (w *Window) memoryStep() []*kit.Placed {
	now := w.parts.config().Memory.Write
	parts := []fyne.CanvasObject{kit.Title(i18n.T("What is remembered")), kit.NewParagraph(i18n.T("mac-stats can remember facts from long conversations for later. You see each one and can undo it."), kit.RoleMuted), kit.Spacer(kit.Gap4)}
	for _, c := range []struct{ value, label, note string }{
		{"auto", i18n.T("Remember"), i18n.T("saved at once, with Undo")},
		{"ask", i18n.T("Ask me"), i18n.T("waits in the inbox until you say yes")},
		{"off", i18n.T("Never"), i18n.T("remember nothing")},
	} {
		b := kit.NewButton(kit.ButtonPlain, c.label, func() { w.writer.Set("memory.write", c.value, w.settled) })
		b.SetSelected(now == c.value)
		parts = append(parts, kit.Line(kit.Gap12, 1, b, kit.Muted(c.note).Squeezable()))
	}
	lessons := kit.NewCardRow(kit.RoleNone, parts...)
	lessons.Pad, lessons.Gap = kit.Gap16, kit.Gap8
	return []*kit.Placed{{Row: lessons, Gap: kit.Gap8, Max: kit.ProseMax}, {Row: w.recallChoice(), Gap: kit.Gap12, Max: kit.ProseMax}}
}

// folderCard says where everything is.
func (w *Window) folderCard() kit.Row {
	where := kit.NewProse([]kit.Run{{Text: w.parts.home, Mono: true}}, kit.SizeText, kit.RoleText)
	files := kit.NewCardRow(kit.RoleNone, kit.Title(i18n.T("Where it is")), kit.NewParagraph(i18n.T("Conversations, memory and settings are plain files in one folder. Read, edit, copy or delete them with anything you like."), kit.RoleMuted), where,
		kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonPlain, i18n.T("Open the folder"), func() { w.openFile(w.parts.home) })))
	files.Pad, files.Gap = kit.Gap16, kit.Gap8
	return files
}

// recallChoice asks whether an answer may be made with what was said elsewhere.
func (w *Window) recallChoice() kit.Row {
	now := w.parts.config().Recall.CrossSession
	parts := []fyne.CanvasObject{kit.Title(i18n.T("Earlier conversations")), kit.NewParagraph(i18n.T("A message can carry short quotes of earlier conversations that fit it. The answer names them; click one to open it."), kit.RoleMuted), kit.Spacer(kit.Gap4)}
	for _, c := range []struct {
		value       bool
		label, note string
	}{
		{false, i18n.T("This conversation"), i18n.T("only what the same conversation said earlier")},
		{true, i18n.T("All of mine"), i18n.T("all of your own conversations; never for anybody on Discord")},
	} {
		b := kit.NewButton(kit.ButtonPlain, c.label, func() { w.writer.Set("recall.cross_session", strconv.FormatBool(c.value), w.settled) })
		b.SetSelected(now == c.value)
		parts = append(parts, kit.Line(kit.Gap12, 1, b, kit.Muted(c.note).Squeezable()))
	}
	card := kit.NewCardRow(kit.RoleNone, parts...)
	card.Pad, card.Gap = kit.Gap16, kit.Gap8
	return card
}
