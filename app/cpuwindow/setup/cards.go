package setup

import (
	"os/exec"
	"runtime"

	"fyne.io/fyne/v2"

	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/answer"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// startSteps returns how to start Ollama on a system, or how to install it.
func startSteps(goos string, installed bool) (steps, command string) {
	switch {
	case installed && goos == "darwin":
		return i18n.T("It is installed. Open the Ollama app; or, in a terminal:"), "ollama serve"
	case installed:
		return i18n.T("It is installed. Start it; in a terminal:"), "ollama serve"
	case goos == "darwin":
		return i18n.T("Download Ollama, move it to Applications and open it once; or, with Homebrew:"), "brew install ollama && brew services start ollama"
	case goos == "windows":
		return i18n.T("Download and run OllamaSetup.exe; it starts by itself. Or, in a terminal:"), "winget install Ollama.Ollama"
	}
	return i18n.T("Download and run the installer, which also starts the service; in a terminal:"), "curl -fsSL https://ollama.com/install.sh | sh"
}

// ollamaInstalled reports whether the program is on this machine. It may run on another one.
func ollamaInstalled() bool {
	_, err := exec.LookPath("ollama")
	return err == nil
}

// Cards returns the cards that a chat shows while it can't answer, or nil. helpless is set if
// the user sees nothing else that helps: in a new chat or, with failed, below a message without
// an answer.
func (s *Setup) Cards(helpless, failed bool) []*column.Placed {
	st := &s.state
	switch {
	case !st.checked:
		return nil
	case s.Puller.Now().Model != "" && (!s.Puller.Now().Stopped || len(models.ForChat(st.models)) == 0): // the Models page shows a stopped download
		return []*column.Placed{{Row: s.Puller.Card(), Gap: kit.Gap20, Max: kit.ProseMax}}
	case st.down != nil && helpless:
		return []*column.Placed{{Row: s.downCard(failed), Gap: kit.Gap20, Max: kit.ProseMax}}
	case st.down == nil && st.modelsErr == nil && len(models.ForChat(st.models)) == 0:
		return []*column.Placed{{Row: s.modelCard(), Gap: kit.Gap20, Max: kit.ProseMax}}
	}
	return nil
}

// downCard explains how to get and start the server. Below a message that failed, it doesn't
// repeat what the error says.
func (s *Setup) downCard(failed bool) kit.Row {
	installed := ollamaInstalled()
	steps, command := startSteps(runtime.GOOS, installed)
	code := answer.NewCommandRow(command, s.host.Copy)
	kind := kit.ButtonPrimary
	if failed {
		kind = kit.ButtonPlain // Retry is the primary button
	}
	buttons := []fyne.CanvasObject{kit.NewButton(kind, i18n.T("Re-check"), s.Recheck)}
	if !installed {
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Get Ollama"), func() { s.host.OpenLink("https://ollama.com/download") }))
	}
	if demo := s.host.Demo(); demo != nil {
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Try the demo"), demo))
	}
	title, why := i18n.T("Ollama isn't running"), i18n.With("mac-stats talks to models on your own machine, through Ollama. Nothing answers at {{.Address}}.", i18n.Places{"Address": s.state.address})
	start := i18n.T("Already installed? Start it with `ollama serve`, then re-check.")
	if failed {
		title, why, start = i18n.T("Not installed yet?"), i18n.T("mac-stats talks to models on your own machine, through Ollama."), ""
		if installed {
			title = i18n.T("Start Ollama")
		}
	}
	parts := []fyne.CanvasObject{kit.Title(title), prose.NewParagraph(why, kit.RoleMuted), column.Spacer(kit.Gap4), prose.NewParagraph(steps, kit.RoleText), code}
	if start != "" && !installed {
		parts = append(parts, prose.NewParagraph(start, kit.RoleMuted))
	}
	c := column.NewCardRow(kit.RoleNone, append(parts, column.Spacer(kit.Gap4), kit.NewFlowRow(kit.Gap8, buttons...), s.recheck.note)...)
	c.Pad = kit.Gap16
	return c
}

func (s *Setup) modelCard() kit.Row {
	memory := s.host.MachineMemory()
	intro := i18n.T("Ollama is ready and has no model yet. Pick one to download; you can change it later.")
	if memory > 0 {
		intro = i18n.With("Ollama is ready and has no model yet. This machine has {{.Memory}} GB of memory, so:", i18n.Places{"Memory": vitals.WholeGigabytes(memory)})
	}
	parts := []fyne.CanvasObject{kit.Title(i18n.T("One model to begin with")), prose.NewParagraph(intro, kit.RoleMuted), column.Spacer(kit.Gap4)}
	for i, a := range ollama.Advice(memory) {
		kind := kit.ButtonPlain
		if i == 0 {
			kind = kit.ButtonPrimary
		}
		parts = append(parts, kit.NewFlowRow(kit.Gap8, kit.NewButton(kind, i18n.With("Pull {{.Model}}", i18n.Places{"Model": a.Model}), func() { s.Puller.Start(a.Model) }), kit.Muted(models.AdviceWords(a))))
	}
	parts = append(parts, column.Spacer(kit.Gap4), kit.Line(kit.Gap16, -1, kit.NewButton(kit.ButtonQuiet, i18n.T("More models"), func() { s.host.OpenLink("https://ollama.com/library") }), kit.NewButton(kit.ButtonQuiet, i18n.T("Re-check"), s.Recheck)), s.recheck.note)
	c := column.NewCardRow(kit.RoleNone, parts...)
	c.Pad, c.Gap = kit.Gap16, kit.Gap8
	return c
}
