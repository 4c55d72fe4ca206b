package setup

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

// The page of the first run shows the one thing that is missing for a first answer: the server,
// a model, or a larger model. As soon as nothing is missing it switches to the chat. It is shown
// at a start without a config.toml.

// focus focuses the primary button.
func (s *Setup) focus() {
	for _, p := range s.View.Rows {
		for _, b := range column.RowButtons([]*column.Placed{p}) {
			if b.Kind == kit.ButtonPrimary {
				s.View.RevealRow(p.Row) // only a visible row can have the focus
				s.host.Canvas().Focus(b)
				return
			}
		}
	}
}

// canBegin reports whether one of the models on this machine is large enough for useful answers
// or as large as its memory allows, or whether the user downloaded one here. A model of unknown
// size counts as large enough.
func (s *Setup) canBegin(all []ollama.ModelInfo) bool {
	most := ollama.ModelInfo{Name: ollama.Advice(s.host.MachineMemory())[0].Model}.KnownSize()
	return slices.ContainsFunc(models.ForChat(all), func(m ollama.ModelInfo) bool {
		return s.pulled || !m.Remote && (!m.Small() || m.KnownSize() >= most)
	})
}

// Draw updates the page of the first run, or switches to the chat if nothing is missing. It
// does nothing while another page is shown.
func (s *Setup) Draw() {
	if !s.host.Welcoming() {
		return
	}
	if st := &s.state; st.checked && st.down == nil && st.modelsErr == nil && s.canBegin(st.models) {
		s.host.LeaveWelcome()
		return
	}
	rows := []*column.Placed{column.TextRow(i18n.T("Your machine's vitals, and a chat with models that run on it. Nothing leaves this machine by itself."), kit.RoleMuted, kit.Gap4)}
	rows = append(rows, &column.Placed{Row: s.missingCard(), Gap: kit.Gap20, Max: kit.ProseMax})
	if s.state.checked {
		later := kit.NewButton(kit.ButtonQuiet, i18n.T("Set up later"), s.host.LeaveWelcome)
		rows = append(rows, &column.Placed{Row: column.NewBoxRow(kit.Line(0, -1, later)), Gap: kit.Gap12})
	}
	rows = append(rows, &column.Placed{Row: prose.New([]prose.Run{{Text: i18n.T("Conversations, memory and settings are plain files in one folder:") + " "}, {Text: s.home, Mono: true}}, kit.SizeSmall, kit.RoleMuted), Gap: kit.Gap20, Max: kit.ProseMax})
	before, _ := s.host.Canvas().Focused().(*kit.Button)
	s.View.ReplaceRows(s.host.Canvas(), rows)
	switch after := s.host.Canvas().Focused().(type) {
	case nil, *kit.Field: // not on this page
		s.focus()
	case *kit.Button:
		if before != nil && after.Text != before.Text { // the focused button is gone
			s.focus()
		}
	}
}

// missingCard returns the card that shows what is missing and how to get it.
func (s *Setup) missingCard() kit.Row {
	st := &s.state
	small := models.ForChat(st.models)
	switch {
	case !st.checked:
		return welcomeCard(i18n.T("Looking for Ollama…"), i18n.T("It runs models on this machine; mac-stats talks to it."))
	case st.down != nil:
		return s.downCard(false)
	case st.modelsErr != nil:
		return welcomeCard(i18n.With("Ollama {{.Version}} is running", i18n.Places{"Version": st.version}), i18n.T("Its models can't be listed. mac-stats looks again every few seconds."))
	case s.Puller.Now().Model != "" && !s.Puller.Now().Stopped:
		return s.Puller.Card()
	case len(small) == 0:
		return s.modelCard()
	}
	return s.smallCard(small[0])
}

// smallCard offers a model that fits the machine if only small ones are installed, or to start
// with what is there.
func (s *Setup) smallCard(have ollama.ModelInfo) kit.Row {
	memory := s.host.MachineMemory()
	better := ollama.Advice(memory)[0]
	has := i18n.Places{"Model": have.Name, "Size": models.Parameters(have.KnownSize()), "Better": better.Model}
	parts := []fyne.CanvasObject{
		prose.Heading(i18n.With("{{.Model}} is installed, but small", has)),
		prose.NewParagraph(i18n.With("It has {{.Size}} parameters: it answers quickly and is often wrong. {{.Better}} fits this machine and answers much better.", has), kit.RoleMuted),
		column.Spacer(kit.Gap4),
		kit.NewFlowRow(kit.Gap8, kit.NewButton(kit.ButtonPrimary, i18n.With("Pull {{.Model}}", i18n.Places{"Model": better.Model}), func() { s.Puller.Start(better.Model) }),
			kit.Muted(models.AdviceWords(better))),
		kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonPlain, i18n.With("Begin with {{.Model}}", has), s.host.LeaveWelcome)),
	}
	if have.Remote {
		parts[0] = prose.Heading(i18n.With("{{.Model}} runs elsewhere", has))
		parts[1] = prose.NewParagraph(i18n.With("With it, your messages leave this machine. {{.Better}} fits this machine and runs on it.", has), kit.RoleMuted)
	}
	c := column.NewCardRow(kit.RoleNone, parts...)
	c.Pad, c.Gap = kit.Gap16, kit.Gap8
	return c
}

func welcomeCard(title, text string) *column.CardRow {
	c := column.NewCardRow(kit.RoleNone, kit.Title(title), prose.NewParagraph(text, kit.RoleMuted))
	c.Pad = kit.Gap16
	return c
}
