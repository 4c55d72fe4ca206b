// Package header is the line above the chat and the pages: the title, the agent, the model
// and the options of what is shown, and what can be done with it.
//
// It is told what to show and says what was pressed; it decides nothing and keeps nothing
// of a conversation. In a narrow window the choices get a line of their own, and the list of
// chats, which is a drawer then, is opened from here. The menus of agents and models are
// made here too, also for others that offer the same choice.
package header

import (
	"cmp"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/transcript"
)

// Actions is what can be pressed.
type Actions struct {
	OpenList       func() // in narrow windows
	PickAgent      func()
	PickModel      func()
	Options        func()
	ExplainPrivate func()
	OpenFile       func()
	NewChat        func()
	LeaveDemo      func()
}

// Header is the line. Its fields belong to the UI goroutine.
type Header struct {
	Object  fyne.CanvasObject
	Agent   *kit.Button
	Model   *kit.Button
	Options *kit.Button // temperature, instructions
	Demo    *kit.Button // opens the way out of it
	chats   *kit.Button // opens the drawer in narrow windows
	title   *kit.Label
	private *kit.Button // what is shown is a private chat
	file    *kit.Button
	fresh   *kit.Button
	bar     *fyne.Container
	layout  *barLayout
	empty   bool // what is shown is a new chat
}

// New is the header of a new chat; demo: the app runs without a model.
func New(act Actions, demo bool) *Header {
	h := &Header{title: kit.Bold(untitled()).Squeezable(), empty: true}
	h.chats = kit.NewButton(kit.ButtonQuiet, i18n.T("Chats"), act.OpenList)
	h.chats.TextSize = kit.SizeText
	h.Agent = kit.NewButton(kit.ButtonPill, i18n.T("orchestrator"), act.PickAgent)
	h.Model = kit.NewButton(kit.ButtonPill, automaticModel(), act.PickModel)
	h.Options = kit.NewButton(kit.ButtonPill, i18n.T("options"), act.Options)
	h.private = kit.NewButton(kit.ButtonPill, i18n.T("private"), act.ExplainPrivate)
	h.private.Tone = kit.RoleWarn
	h.file = kit.NewButton(kit.ButtonQuiet, i18n.T("Open file"), act.OpenFile)
	h.fresh = kit.NewButton(kit.ButtonQuiet, i18n.T("New chat"), act.NewChat)
	h.Demo = kit.NewButton(kit.ButtonPill, i18n.T("demo, no model"), act.LeaveDemo)
	h.Demo.Tone = kit.RoleWarn
	h.chats.Hide()
	h.private.Hide()
	h.fresh.Hide()
	h.Demo.Hidden = !demo
	h.layout = &barLayout{}
	h.bar = container.New(h.layout, h.chats, h.title, h.private, h.Agent, h.Model, h.Options, h.Demo, h.file, h.fresh)
	h.Object = container.New(kit.TightLayout{}, h.bar, kit.Hairline())
	return h
}

// untitled is the title of a chat in which nothing was said yet.
func untitled() string { return i18n.T("New chat") }

// automaticModel is what stands where no model is chosen.
func automaticModel() string { return i18n.T("automatic model") }

// ShowChat shows whose conversation it is; "" is a title or a model that there is not.
func (h *Header) ShowChat(title, agent string, chosen transcript.Settings, hasFile bool) {
	title = cmp.Or(title, untitled())
	h.title.SetText(title)
	h.Agent.SetText(agent)
	h.Model.SetText(cmp.Or(chosen.Model, automaticModel()))
	h.Options.SetText(optionsWords(chosen))
	h.file.Hidden = !hasFile
	h.empty = title == untitled()
	h.fresh.Hidden = !h.layout.narrow || h.empty
	h.bar.Refresh()
}

// optionsWords is the label of the button that opens the options.
func optionsWords(s transcript.Settings) string {
	var parts []string
	if s.Temperature != nil {
		parts = append(parts, i18n.With("temperature {{.What}}", i18n.Places{"What": strconv.FormatFloat(*s.Temperature, 'f', -1, 64)}))
	}
	if s.Think != nil {
		parts = append(parts, map[bool]string{true: i18n.T("thinking on"), false: i18n.T("thinking off")}[*s.Think])
	}
	if s.Context != 0 {
		parts = append(parts, i18n.With("context {{.N}}", i18n.Places{"N": compose.TokensWords(s.Context)}))
	}
	if s.Prompt != "" {
		parts = append(parts, i18n.T("instructions"))
	}
	if len(parts) == 0 {
		return i18n.T("options")
	}
	return strings.Join(parts, " · ")
}

// ForPage shows a page's title alone; off, the choices of a chat.
func (h *Header) ForPage(on bool, title string) {
	h.Agent.Hidden, h.Model.Hidden, h.Options.Hidden = on, on, on
	if on {
		h.private.Hidden = true
		h.file.Hidden, h.empty = true, false
		h.fresh.Hidden = !h.layout.narrow
		h.title.SetText(title)
	}
	h.bar.Refresh()
}

// SetTitle changes the title of a page.
func (h *Header) SetTitle(title string) {
	h.title.SetText(title)
	h.bar.Refresh()
}

// SetPrivate says whether a private chat is shown, from the next ShowChat on.
func (h *Header) SetPrivate(on bool) { h.private.Hidden = !on }

// SetWidth tells how wide the header is.
func (h *Header) SetWidth(width float32) {
	if tight := width < tightBelow; tight != h.layout.tight {
		h.layout.tight = tight
		h.bar.Refresh()
	}
}

// SetAsks marks the way to the list, which is closed in a narrow window, where a question
// waits in another chat.
func (h *Header) SetAsks(on bool) {
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

// SetNarrow swaps the list for a button that opens it.
func (h *Header) SetNarrow(narrow bool) {
	if h.chats.Hidden == !narrow {
		return
	}
	h.layout.narrow = narrow
	h.chats.Hidden = !narrow
	h.fresh.Hidden = !narrow || h.empty
	h.bar.Refresh()
}
