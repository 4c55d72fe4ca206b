package compose

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// Foot is the line below the composer: context meter, reloads, server.
type Foot struct {
	label   *kit.Label
	bar     *kit.Gauge
	meter   *kit.Label
	summary *kit.Button // opens the Summary, if there is one
	Reload  *kit.Label
	server  *kit.Label
	Box     *fyne.Container
}

// NewFoot returns an empty foot.
func NewFoot(openSummary func()) *Foot {
	f := &Foot{label: kit.Small(i18n.T("Context")), bar: kit.NewGauge(64), meter: kit.Small(""), summary: kit.NewButton(kit.ButtonQuiet, "", openSummary), Reload: kit.Small("").Squeezable(), server: kit.Small("")}
	f.label.Hide()
	f.bar.Hide()
	f.summary.Hide()
	f.Box = container.New(&footLayout{}, f.label, f.bar, f.meter, f.summary, f.Reload, f.server)
	return f
}

// minTextWidth is the width below which a text that may be shortened is hidden.
const minTextWidth float32 = 64

// footLayout places the meter left, the link to the Summary and the reload message beside it
// if there is room, and the server right.
type footLayout struct{}

func (footLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(120, 16) }

func (footLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	x := float32(0)
	server := o[5].MinSize()
	right := s.Width - server.Width
	for i, obj := range o[:4] {
		m := obj.MinSize()
		if i == 3 {
			m.Width = min(m.Width, right-kit.Gap12-x)
			showSummary(obj.(*kit.Button), m.Width)
		}
		if !obj.Visible() {
			continue
		}
		obj.Move(fyne.NewPos(x, (s.Height-m.Height)/2))
		obj.Resize(m)
		x += m.Width + kit.Gap8
	}
	o[5].Move(fyne.NewPos(right, (s.Height-server.Height)/2))
	o[5].Resize(server)
	placeReload(o[4].(*kit.Label), x+kit.Gap8, right-kit.Gap8, s)
}

// showSummary hides the link to the Summary if there is none, or too little room to read it.
func showSummary(summary *kit.Button, width float32) {
	if on := summary.Text != "" && width >= minTextWidth; on != summary.Visible() {
		summary.Hidden = !on
		summary.Refresh()
	}
}

// placeReload centres the reload message as far as its neighbours allow. It shortens the
// message to the room there is, and hides it if that is too little to read.
func placeReload(reload *kit.Label, from, to float32, s fyne.Size) {
	need := kit.MeasureText(reload.Text, reload.TextSize, reload.Style)
	width := min(need.Width, to-from)
	if width < min(need.Width, minTextWidth) {
		width = 0
	}
	at := max(from, min((s.Width-width)/2, to-width))
	reload.Move(fyne.NewPos(at, (s.Height-need.Height)/2))
	reload.Resize(fyne.NewSize(width, need.Height))
}

// SetUsage shows how full the model's context is; nil hides the meter. summarised is the
// number of messages the Summary stands for; a tap on it opens the Summary.
func (f *Foot) SetUsage(u *agents.Usage, summarised int) {
	on := u != nil && u.ContextSize > 0
	f.label.Hidden, f.bar.Hidden = !on, !on
	text := ""
	if on {
		text = f.fill(u)
	}
	f.meter.SetText(text)
	f.meter.Hidden = !on
	text = ""
	if summarised > 0 {
		text = i18n.Count("{{.N}} older messages summarised", summarised)
	}
	f.summary.SetText(text)
	f.Box.Refresh()
}

// fill draws the meter and returns its text.
func (f *Foot) fill(u *agents.Usage) string {
	share := float64(u.PromptTokens+u.AnswerTokens) / float64(u.ContextSize)
	role := kit.RoleAccent
	if share > 0.9 {
		role = kit.RoleHot
	} else if share > 0.75 {
		role = kit.RoleWarn
	}
	f.bar.Set(share, role)
	return i18n.With("{{.PromptTokens}} of {{.ContextSize}}", i18n.Places{"PromptTokens": TokensWords(u.PromptTokens + u.AnswerTokens), "ContextSize": TokensWords(u.ContextSize)})
}

// SetReload shows what was read again from disk.
func (f *Foot) SetReload(text string) {
	f.Reload.SetText(text)
	f.Box.Refresh()
}

// SetServer shows the state of the model server.
func (f *Foot) SetServer(text string, down bool) {
	role := kit.RoleMuted
	if down {
		role = kit.RoleHot
	}
	if f.server.Text == text && f.server.Role == role {
		return // repeated every few seconds while the server is down
	}
	f.server.Set(text, role)
	f.Box.Refresh()
}

// TokensWords formats a number of tokens: 640, 3.1k, 8k.
func TokensWords(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000 && n%1000 >= 50 && n%1024 != 0:
		return i18n.Number(fmt.Sprintf("%.1fk", float64(n)/1000))
	case n%1024 == 0:
		return fmt.Sprintf("%dk", n/1024)
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}
