package cpuwindow

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// pullState is a download under way, or how it failed.
type pullState struct {
	model     string
	status    string
	completed int64
	total     int64
	err       error
}

func (p pullState) fraction() float64 {
	if p.total <= 0 {
		return 0
	}
	return float64(p.completed) / float64(p.total)
}

func (p pullState) words() string {
	switch {
	case p.err != nil:
		return ""
	case p.total > 0:
		return i18n.With("{{.Status}} · {{.Completed}} of {{.Total}} GB · {{.What}} %", i18n.Places{"Status": p.status, "Completed": fmt.Sprintf("%.1f", float64(p.completed)/1e9), "Total": fmt.Sprintf("%.1f", float64(p.total)/1e9), "What": fmt.Sprintf("%.0f", math.Floor(100*p.fraction()))})
	}
	return cmp.Or(p.status, i18n.T("asking for it")) + "…"
}

// pullFailure says what went wrong with a download, and what to do.
func pullFailure(model string, err error) (what, next string) {
	detail := err.Error()
	var e *ollama.Error
	if errors.As(err, &e) && e.Detail != "" {
		detail = e.Detail
	}
	low := strings.ToLower(detail)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(low, p) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.Is(err, ollama.ErrOllamaDown), errors.Is(err, ollama.ErrTimeout), errors.Is(err, ollama.ErrStreamCut):
		x := agents.Explain(err)
		return x.Sentence, i18n.T("Check that Ollama is running, then try again. The download continues where it stopped.")
	case has("dial tcp", "lookup ", "no such host", "network is unreachable", "i/o timeout", "proxyconnect", "tls:", "x509:", "connection reset"):
		return i18n.T("The registry could not be reached."), i18n.T("Is the machine online? Then try again.")
	case has("file does not exist", "not found", "manifest unknown", "invalid model name"):
		return i18n.With("The registry has no model {{.Model}}.", i18n.Places{"Model": model}), i18n.T("Look its name up in the list of models, then try that.")
	case has("no space left", "disk quota"):
		return i18n.T("The disk is full."), i18n.T("Free some space, then try again. The download continues where it stopped.")
	case has("newer version", "upgrade"):
		return i18n.With("This Ollama is too old for {{.Model}}.", i18n.Places{"Model": model}), i18n.T("Update Ollama, then try again.")
	}
	return i18n.With("The download of {{.Model}} failed.", i18n.Places{"Model": model}), i18n.With("Try again. Ollama said: {{.Detail}}", i18n.Places{"Detail": i18n.Shorten(strings.Join(strings.Fields(detail), " "), 160)})
}

func (s setupCards) pullCard(p pullState) kit.Row {
	bar := kit.NewGauge(200)
	bar.Set(p.fraction(), kit.RoleAccent)
	parts := []fyne.CanvasObject{kit.Title(i18n.With("Pulling {{.Model}}", i18n.Places{"Model": p.model})), bar, kit.Line(kit.Gap8, 0, kit.Small(p.words()).Squeezable(), kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), s.cancel))}
	if p.err != nil {
		what, next := pullFailure(p.model, p.err)
		parts = []fyne.CanvasObject{
			kit.Title(i18n.With("{{.Model}} could not be pulled", i18n.Places{"Model": p.model})), kit.NewParagraph(what, kit.RoleText), kit.NewParagraph(next, kit.RoleMuted),
			kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonPrimary, i18n.T("Try again"), func() { s.pull(p.model) }), kit.NewButton(kit.ButtonPlain, i18n.T("Dismiss"), s.cancel)),
		}
	}
	c := kit.NewCardRow(kit.RoleNone, parts...)
	c.Pad, c.Gap = kit.Gap16, kit.Gap8
	return c
}
