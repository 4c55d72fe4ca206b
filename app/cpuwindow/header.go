package cpuwindow

import (
	"cmp"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// untitled is the title of a chat in which nothing was said yet.
func untitled() string { return i18n.T("New chat") }

// automaticModel is what stands where no model is chosen.
func automaticModel() string { return i18n.T("automatic model") }

// header is the line above the chat: title, agent, model, what to do with it.
type header struct {
	chats   *kit.Button // opens the drawer in narrow windows
	title   *kit.Label
	agent   *kit.Button
	model   *kit.Button
	options *kit.Button // temperature, instructions
	private *kit.Button // what is shown is a private chat
	file    *kit.Button
	fresh   *kit.Button
	demo    *kit.Button // opens the way out of it
	bar     *fyne.Container
	layout  *headerLayout
	empty   bool // what is shown is a new chat
	object  fyne.CanvasObject
}

func newHeader(openDrawer, pickAgent, pickModel, options, explainPrivate, openFile, newChat, leaveDemo func()) *header {
	h := &header{title: kit.Bold(untitled()).Squeezable(), empty: true}
	h.chats = kit.NewButton(kit.ButtonQuiet, i18n.T("Chats"), openDrawer)
	h.chats.TextSize = kit.SizeText
	h.chats.Hide()
	h.agent = kit.NewButton(kit.ButtonPill, i18n.T("orchestrator"), pickAgent)
	h.model = kit.NewButton(kit.ButtonPill, automaticModel(), pickModel)
	h.options = kit.NewButton(kit.ButtonPill, i18n.T("options"), options)
	h.private = kit.NewButton(kit.ButtonPill, i18n.T("private"), explainPrivate)
	h.private.Tone = kit.RoleWarn
	h.private.Hide()
	h.file = kit.NewButton(kit.ButtonQuiet, i18n.T("Open file"), openFile)
	h.fresh = kit.NewButton(kit.ButtonQuiet, i18n.T("New chat"), newChat)
	h.demo = kit.NewButton(kit.ButtonPill, i18n.T("demo, no model"), leaveDemo)
	h.demo.Tone = kit.RoleWarn
	h.demo.Hide()
	h.layout = &headerLayout{}
	h.bar = container.New(h.layout, h.chats, h.title, h.private, h.agent, h.model, h.options, h.demo, h.file, h.fresh)
	h.object = container.New(kit.TightLayout{}, h.bar, kit.Hairline())
	return h
}

// headerLayout gives the title what the others leave, but no more than it needs;
// where there is little room the choices get a line of their own.
type headerLayout struct {
	narrow bool // the list is a drawer, opened from here
	tight  bool
}

// tightBelow is how wide the header has to be for title and choices on one line.
const tightBelow float32 = 560

const (
	headerHeight float32 = 43
	headerSecond float32 = 32
)

func (l *headerLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	if l.twoLines(o) {
		return fyne.NewSize(160, headerHeight+headerSecond)
	}
	return fyne.NewSize(160, headerHeight)
}

func (l *headerLayout) twoLines(o []fyne.CanvasObject) bool {
	return (l.narrow || l.tight) && o[3].Visible()
}

func (l *headerLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	pad := kit.Gap20
	left, choices, right := o[:2], o[2:7], o[7:]
	x := s.Width - pad
	for i := len(right) - 1; i >= 0; i-- {
		if right[i].Visible() {
			w := right[i].MinSize().Width
			x -= w
			kit.PlaceMiddle(right[i], x, w, 0, headerHeight)
			x -= kit.Gap16
		}
	}
	room := x
	x = pad
	if left[0].Visible() {
		w := left[0].MinSize().Width
		kit.PlaceMiddle(left[0], x, w, 0, headerHeight)
		x += w + kit.Gap12
	}
	title := left[1].(*kit.Label)
	want := kit.MeasureText(title.Text, title.TextSize, title.Style).Width + 1
	var at, y float32
	h := headerHeight
	widths := choiceWidths(choices, room-x-min(want, titleLeast)-kit.Gap12)
	if l.twoLines(o) {
		widths = choiceWidths(choices, s.Width-2*pad)
		want = min(want, room-x)
		at, y, h = pad, headerHeight-kit.Gap8, headerSecond
	} else {
		second := float32(0)
		for _, w := range widths {
			second += w + kit.Gap8
		}
		want = min(want, room-x-second-kit.Gap4)
		at = x + max(0, want) + kit.Gap12
	}
	kit.PlaceMiddle(title, x, max(0, want), 0, headerHeight)
	for i, c := range choices {
		if c.Visible() {
			kit.PlaceMiddle(c, at, widths[i], y, h)
			at += widths[i] + kit.Gap8
		}
	}
}

// titleLeast is how much of a title is kept beside long choices.
const titleLeast float32 = 120

// choiceWidths gives each choice what it needs; where that is too much, the widest
// are squeezed, and end in ….
func choiceWidths(choices []fyne.CanvasObject, room float32) []float32 {
	widths := make([]float32, len(choices))
	total := float32(0)
	for i, c := range choices {
		if c.Visible() {
			widths[i] = c.MinSize().Width
			total += widths[i] + kit.Gap8
		}
	}
	for total > room+kit.Gap8 {
		widest, next := 0, float32(0)
		for i, w := range widths {
			if w > widths[widest] {
				widest, next = i, widths[widest]
			} else if i != widest {
				next = max(next, w)
			}
		}
		cut := min(max(widths[widest]-next, 1), total-room-kit.Gap8)
		if widths[widest]-cut < choiceLeast {
			break
		}
		widths[widest] -= cut
		total -= cut
	}
	return widths
}

// choiceLeast is how far a choice is squeezed.
const choiceLeast float32 = 40

// set shows whose conversation it is.
func (h *header) set(title, agent, model, options string, hasFile bool) {
	h.title.SetText(title)
	h.agent.SetText(agent)
	h.model.SetText(model)
	h.options.SetText(options)
	h.file.Hidden = !hasFile
	h.empty = title == untitled()
	h.fresh.Hidden = !h.layout.narrow || h.empty
	h.bar.Refresh()
}

// forPage shows a page's title alone.
func (h *header) forPage(on bool, title string) {
	h.agent.Hidden, h.model.Hidden, h.options.Hidden = on, on, on
	if on {
		h.private.Hidden = true
		h.file.Hidden, h.empty = true, false
		h.fresh.Hidden = !h.layout.narrow
		h.title.SetText(title)
	}
	h.bar.Refresh()
}

// setWidth tells how wide the header is.
func (h *header) setWidth(width float32) {
	if tight := width < tightBelow; tight != h.layout.tight {
		h.layout.tight = tight
		h.bar.Refresh()
	}
}

// setAsks marks the way to the list, which is closed in a narrow window, where a question
// waits in another chat.
func (h *header) setAsks(on bool) {
	words, tone := i18n.T("Chats"), kit.RoleNone
	if on {
		words, tone = words+" ●", kit.RoleWarn
	}
	if h.chats.Text != words {
		h.chats.Tone = tone
		h.chats.SetText(words)
		h.bar.Refresh()
	}
}

// setNarrow swaps the list for a button that opens it.
func (h *header) setNarrow(narrow bool) {
	if h.chats.Hidden == !narrow {
		return
	}
	h.layout.narrow = narrow
	h.chats.Hidden = !narrow
	h.fresh.Hidden = !narrow || h.empty
	h.bar.Refresh()
}

// agentMenu is the agents to choose from; one that can't be used says why.
func agentMenu(list []registry.Agent, chosen string, pick func(slug string)) *fyne.Menu {
	m := fyne.NewMenu("")
	for _, a := range list {
		if !a.Enabled && a.Err == nil {
			continue
		}
		label := cmp.Or(a.Slug, a.Name)
		if a.Description != "" {
			label += "  ·  " + i18n.Shorten(a.Description, 56)
		}
		item := fyne.NewMenuItem(label, func() { pick(a.Slug) })
		if a.Err != nil {
			item.Label = i18n.With("{{.Slug}}  ·  can't be used: {{.Error}}", i18n.Places{"Slug": cmp.Or(a.Slug, a.ID), "Error": i18n.Shorten(a.Err.Error(), 56)})
			item.Disabled = true
		}
		item.Checked = a.Slug == chosen
		m.Items = append(m.Items, item)
	}
	return m
}

// modelMenu is the models to choose from; "" leaves it to the agent.
func modelMenu(models []ollama.ModelInfo, chosen string, pick func(name string)) *fyne.Menu {
	auto := fyne.NewMenuItem(i18n.T("automatic: the agent's own, else one that fits it"), func() { pick("") })
	auto.Checked = chosen == ""
	m := fyne.NewMenu("", auto)
	found := chosen == ""
	for _, info := range chatModels(models) {
		label := info.Name
		if info.Size > 0 {
			label += "  ·  " + i18n.Number(fmt.Sprintf("%.1f GB", float64(info.Size)/1e9))
		}
		if info.MaxContext > 0 {
			label += i18n.With("  ·  {{.MaxContext}} context", i18n.Places{"MaxContext": compose.TokensWords(info.MaxContext)})
		}
		if info.Can("vision") {
			label += i18n.T("  ·  sees images")
		}
		item := fyne.NewMenuItem(label, func() { pick(info.Name) })
		item.Checked = info.Name == chosen
		found = found || item.Checked
		m.Items = append(m.Items, item)
	}
	if !found {
		item := fyne.NewMenuItem(i18n.With("{{.Chosen}}  ·  not installed", i18n.Places{"Chosen": chosen}), func() {})
		item.Checked, item.Disabled = true, true
		m.Items = append(m.Items, item)
	}
	return m
}

// demoMenu is the ways out of the demo; own is nil where there is none to one's own
// data.
func demoMenu(own, quit func()) *fyne.Menu {
	m := fyne.NewMenu("", fyne.NewMenuItem(i18n.T("Quit the demo"), quit))
	if own != nil {
		m.Items = append([]*fyne.MenuItem{fyne.NewMenuItem(i18n.T("Leave the demo for your own data"), own)}, m.Items...)
	}
	return m
}
