package chatpane

import (
	"cmp"

	"fyne.io/fyne/v2"

	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
	"mac-stats/app/ui/prose"
)

// contextChoice sets the size of the model's context in one conversation and shows what fits
// into the machine's memory.
type contextChoice struct {
	button *kit.Button
	words  *prose.Text
	chosen int // tokens; 0: the size for all conversations
	model  ollama.ModelInfo
	auto   int // the size for all conversations in tokens; 0 if unknown
	memory uint64
	over   fyne.Canvas
}

func newContextChoice(p optionParams) *contextChoice {
	c := &contextChoice{memory: p.Memory, over: p.Over, model: p.Model, words: prose.New(nil, kit.SizeSmall, kit.RoleMuted)}
	c.auto = min(p.Auto, cmp.Or(p.Model.MaxContext, p.Auto))
	c.button = kit.NewButton(kit.ButtonPill, "", func() { kit.ShowMenu(c.menu(), c.button, p.Over) })
	c.choose(p.Chosen.Context)
	return c
}

func (c *contextChoice) choose(n int) {
	c.chosen = n
	c.button.SetText(c.label(n) + "  ▾")
	words, role := c.fitWords(cmp.Or(n, c.auto))
	c.words.SetRuns([]prose.Run{{Text: words, Role: role}})
	if m := overlay.OpenModal(c.over); m != nil {
		m.Refresh()
	}
}

// label returns the label of a size.
func (c *contextChoice) label(n int) string {
	switch {
	case n > 0:
		return i18n.With("{{.N}} tokens", i18n.Places{"N": compose.TokensWords(n)})
	case c.auto > 0:
		return i18n.With("as for all ({{.N}})", i18n.Places{"N": compose.TokensWords(c.auto)})
	}
	return i18n.T("as for all")
}

// contextBytes returns the memory in bytes that a context of n tokens takes, or 0 if unknown.
func (c *contextChoice) contextBytes(n int) int64 {
	if c.model.Remote {
		return 0
	}
	return c.model.TokenBytes * int64(n)
}

func (c *contextChoice) fits(n int) bool {
	return c.contextBytes(n) == 0 || ollama.Fits(c.model.Size+c.contextBytes(n), c.memory)
}

// fitWords returns a sentence about the memory that a context of n tokens takes.
func (c *contextChoice) fitWords(n int) (string, fyne.ThemeColorName) {
	places := i18n.Places{"Model": c.model.Name, "Most": compose.TokensWords(c.model.MaxContext), "Size": models.Gigabytes(c.contextBytes(n)), "Own": models.Gigabytes(c.model.Size)}
	switch {
	case c.model.Name == "":
		return i18n.T("A larger context takes more memory and more time before the answer. A model with a smaller maximum uses its maximum."), kit.RoleMuted
	case c.contextBytes(n) == 0:
		return i18n.With("{{.Model}} sees up to {{.Most}} tokens.", places), kit.RoleMuted
	case c.fits(n):
		return i18n.With("{{.Model}} sees up to {{.Most}} tokens. This takes about {{.Size}} of memory beside the model's {{.Own}}, which fits.", places), kit.RoleMuted
	}
	return i18n.With("This takes about {{.Size}} of memory beside the model's {{.Own}}: too much for this machine. Answers will be slow, or fail.", places), kit.RoleWarn
}

// menu returns the menu of sizes, up to the maximum of the model.
func (c *contextChoice) menu() *fyne.Menu {
	item := func(n int) *fyne.MenuItem {
		label := c.label(n)
		if n > 0 && c.contextBytes(n) > 0 {
			label += "  ·  " + i18n.With("about {{.Size}}", i18n.Places{"Size": models.Gigabytes(c.contextBytes(n))})
			if !c.fits(n) {
				label += "  ·  " + i18n.T("too much for this machine")
			}
		}
		m := fyne.NewMenuItem(label, func() { c.choose(n) })
		m.Checked = n == c.chosen
		return m
	}
	m := fyne.NewMenu("", item(0))
	most := cmp.Or(c.model.MaxContext, 128<<10)
	last := 0
	for n := 4 << 10; n <= min(most, 256<<10); n *= 2 {
		m.Items, last = append(m.Items, item(n)), n
	}
	if last < most && most < 256<<10 {
		m.Items = append(m.Items, item(most))
	}
	return m
}
