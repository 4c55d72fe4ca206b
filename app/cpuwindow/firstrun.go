package cpuwindow

import (
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// The first run: one page with the one thing that is missing for a first answer, where
// something is: the server, a model, or a model worth asking. It leads to the chat by
// itself as soon as nothing is. It is shown where there was no config.toml yet.

// pageWelcome is the first run.
const pageWelcome page = "welcome"

// welcome shows the first run.
func (w *Window) welcome() {
	w.parts.firstRun = false
	w.showPage(pageWelcome)
}

// leaveWelcome ends the first run.
func (w *Window) leaveWelcome() {
	if w.page == pageWelcome {
		w.showPage(pageChat)
	}
}

// focusWelcome puts the focus on what is to be done first.
func (w *Window) focusWelcome() {
	for _, p := range w.pageView.Rows {
		for _, b := range column.RowButtons([]*column.Placed{p}) {
			if b.Kind == kit.ButtonPrimary {
				w.pageView.RevealRow(p.Row) // only what is in sight can have the focus
				w.win.Canvas().Focus(b)
				return
			}
		}
	}
}

// canBegin reports whether one of the models is large enough for answers one can use, is
// as large as this machine's memory allows, or was chosen here; one whose size nobody
// knows may be.
func (w *Window) canBegin(all []ollama.ModelInfo) bool {
	most := ollama.ModelInfo{Name: ollama.Advice(w.machineMemory())[0].Model}.KnownSize()
	return slices.ContainsFunc(chatModels(all), func(m ollama.ModelInfo) bool {
		return w.pulled || !m.Remote && (!m.Small() || m.KnownSize() >= most)
	})
}

// drawWelcome shows what is missing as it is now, or leaves for the chat; it does
// nothing where another page is.
func (w *Window) drawWelcome() {
	if w.page != pageWelcome || !w.visible {
		return
	}
	s := w.server
	if s.checked && s.down == nil && s.modelsErr == nil && w.canBegin(s.models) {
		w.leaveWelcome()
		return
	}
	rows := []*column.Placed{column.TextRow(i18n.T("Your machine's vitals, and a chat with models that run on it. Nothing leaves this machine by itself."), kit.RoleMuted, kit.Gap4)}
	rows = append(rows, &column.Placed{Row: w.missingCard(), Gap: kit.Gap20, Max: kit.ProseMax})
	if s.checked {
		later := kit.NewButton(kit.ButtonQuiet, i18n.T("Set up later"), w.leaveWelcome)
		rows = append(rows, &column.Placed{Row: column.NewBoxRow(kit.Line(0, -1, later)), Gap: kit.Gap12})
	}
	rows = append(rows, &column.Placed{Row: prose.New([]prose.Run{{Text: i18n.T("Conversations, memory and settings are plain files in one folder:") + " "}, {Text: w.parts.home, Mono: true}}, kit.SizeSmall, kit.RoleMuted), Gap: kit.Gap20, Max: kit.ProseMax})
	before, _ := w.win.Canvas().Focused().(*kit.Button)
	w.pageView.ReplaceRows(w.win.Canvas(), rows)
	switch after := w.win.Canvas().Focused().(type) {
	case nil, *kit.Field: // nowhere that is seen
		w.focusWelcome()
	case *kit.Button:
		if before != nil && after.Text != before.Text { // that one is gone
			w.focusWelcome()
		}
	}
}

// missingCard is what is missing, and how to get it.
func (w *Window) missingCard() kit.Row {
	s := w.server
	small := chatModels(s.models)
	switch {
	case !s.checked:
		return welcomeCard(i18n.T("Looking for Ollama…"), i18n.T("It runs models on this machine; mac-stats talks to it."))
	case s.down != nil:
		return w.setup().downCard(s, false)
	case s.modelsErr != nil:
		return welcomeCard(i18n.With("Ollama {{.Version}} is running", i18n.Places{"Version": s.version}), i18n.T("Its models can't be listed. mac-stats looks again every few seconds."))
	case w.puller.Now().Model != "" && !w.puller.Now().Stopped:
		return w.puller.Card()
	case len(small) == 0:
		return w.setup().modelCard(w.machineMemory())
	}
	return w.smallCard(small[0])
}

// smallCard is for who has none but a small model: it offers the one that fits the
// machine, and to begin with what is there.
func (w *Window) smallCard(have ollama.ModelInfo) kit.Row {
	memory := w.machineMemory()
	better := ollama.Advice(memory)[0]
	has := i18n.Places{"Model": have.Name, "Size": models.Parameters(have.KnownSize()), "Better": better.Model}
	parts := []fyne.CanvasObject{
		prose.Heading(i18n.With("{{.Model}} is installed, and small", has)),
		prose.NewParagraph(i18n.With("It has {{.Size}} parameters: it answers quickly and is often wrong. {{.Better}} fits this machine and answers much better.", has), kit.RoleMuted),
		column.Spacer(kit.Gap4),
		kit.NewFlowRow(kit.Gap8, kit.NewButton(kit.ButtonPrimary, i18n.With("Pull {{.Model}}", i18n.Places{"Model": better.Model}), func() { w.puller.Start(better.Model) }),
			kit.Muted(models.AdviceWords(better))),
		kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonPlain, i18n.With("Begin with {{.Model}}", has), w.leaveWelcome)),
	}
	if have.Remote {
		parts[0] = prose.Heading(i18n.With("{{.Model}} runs elsewhere", has))
		parts[1] = prose.NewParagraph(i18n.With("Your messages leave this machine with it. {{.Better}} fits this machine and runs on it.", has), kit.RoleMuted)
	}
	c := column.NewCardRow(kit.RoleNone, parts...)
	c.Pad, c.Gap = kit.Gap16, kit.Gap8
	return c
}

func welcomeCard(title string, text ...string) *column.CardRow {
	parts := []fyne.CanvasObject{kit.Title(title)}
	for _, t := range text {
		parts = append(parts, prose.NewParagraph(t, kit.RoleMuted))
	}
	c := column.NewCardRow(kit.RoleNone, parts...)
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
