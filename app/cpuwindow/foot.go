package cpuwindow

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/agents"
)

// foot is the line below the composer: context, reloads, server.
type foot struct {
	label   *words
	bar     *gauge
	context *words
	reload  *words
	server  *words
	box     *fyne.Container
}

func newFoot() *foot {
	f := &foot{label: smallWords("Context"), bar: newGauge(64), context: smallWords(""), reload: smallWords(""), server: smallWords("")}
	f.label.Hide()
	f.bar.Hide()
	f.box = container.New(&footLayout{}, f.label, f.bar, f.context, f.reload, f.server)
	return f
}

// footLayout: meter left, reloads in the middle where there is room, server right.
type footLayout struct{}

func (footLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(120, 16) }

func (footLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	x := float32(0)
	for _, obj := range o[:3] {
		if !obj.Visible() {
			continue
		}
		m := obj.MinSize()
		obj.Move(fyne.NewPos(x, (s.Height-m.Height)/2))
		obj.Resize(m)
		x += m.Width + gap8
	}
	server := o[4].MinSize()
	right := s.Width - server.Width
	o[4].Move(fyne.NewPos(right, (s.Height-server.Height)/2))
	o[4].Resize(server)
	mid := o[3].MinSize()
	at := (s.Width - mid.Width) / 2
	if at < x+gap8 {
		at = x + gap8
	}
	if at+mid.Width > right-gap8 {
		mid.Width = 0
	}
	o[3].Move(fyne.NewPos(at, (s.Height-mid.Height)/2))
	o[3].Resize(mid)
}

// setUsage shows how full the model's context is; nil hides the meter.
func (f *foot) setUsage(u *agents.Usage) {
	on := u != nil && u.ContextSize > 0
	f.label.Hidden, f.bar.Hidden = !on, !on
	if !on {
		f.context.SetText("")
		f.box.Refresh()
		return
	}
	share := float64(u.PromptTokens+u.AnswerTokens) / float64(u.ContextSize)
	role := roleAccent
	if share > 0.9 {
		role = roleHot
	} else if share > 0.75 {
		role = roleWarn
	}
	f.bar.set(share, role)
	f.context.SetText(fmt.Sprintf("%s of %s", tokensWords(u.PromptTokens+u.AnswerTokens), tokensWords(u.ContextSize)))
	f.box.Refresh()
}

func (f *foot) setReload(text string) {
	f.reload.SetText(text)
	f.box.Refresh()
}

func (f *foot) setServer(text string, down bool) {
	role := roleMuted
	if down {
		role = roleHot
	}
	f.server.set(text, role)
	f.box.Refresh()
}

// tokensWords is a count of tokens: 640, 3.1k, 8k.
func tokensWords(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000 && n%1000 >= 50 && n%1024 != 0:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n%1024 == 0:
		return fmt.Sprintf("%dk", n/1024)
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}
