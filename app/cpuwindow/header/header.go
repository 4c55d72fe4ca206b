// Package header is the line above the chat and the pages. It shows the title and, for a chat,
// its agent, model, options and actions.
//
// It shows what it is given and calls Actions when something is pressed; it holds no state of a
// conversation. In a narrow window the choices get a line of their own, and a button opens the
// list of chats, which is a drawer there. The package also builds the menus of agents and
// models, for every part that offers them.
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

// Actions are called when a button is pressed.
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

// Header is the line above the chat. Its fields belong to the UI goroutine.
type Header struct {
	Object  fyne.CanvasObject
	Agent   *kit.Button
	Model   *kit.Button
	Options *kit.Button // temperature, instructions
	Demo    *kit.Button // offers the ways out of the demo
	chats   *kit.Button // opens the drawer in narrow windows
	title   *kit.Label
	private *kit.Button // marks a private chat
	file    *kit.Button
	fresh   *kit.Button
	bar     *fyne.Container
	layout  *barLayout
	empty   bool // the chat has no messages
	hasFile bool
	width   float32
}

// New returns the header of a new chat. demo shows that the app runs without a model.
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

// untitled returns the title of a chat without messages.
func untitled() string { return i18n.T("New chat") }

// automaticModel returns the label shown when no model is chosen.
func automaticModel() string { return i18n.T("automatic model") }

// ShowChat shows the title, agent and choices of a conversation. The title may be "".
func (h *Header) ShowChat(title, agent string, chosen transcript.Settings, hasFile bool) {
	title = cmp.Or(title, untitled())
	h.title.SetText(title)
	h.Agent.SetText(agent)
	h.Model.SetText(cmp.Or(chosen.Model, automaticModel()))
	h.Options.SetText(optionsWords(chosen))
	h.hasFile = hasFile
	h.showFile()
	h.empty = title == untitled()
	h.fresh.Hidden = !h.layout.narrow || h.empty
	h.bar.Refresh()
}

// optionsWords returns the label of the options button.
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

// ForPage shows only the title of a page if on is set, otherwise the choices of a chat.
func (h *Header) ForPage(on bool, title string) {
	h.Agent.Hidden, h.Model.Hidden, h.Options.Hidden = on, on, on
	if on {
		h.private.Hidden = true
		h.hasFile, h.empty = false, false
		h.showFile()
		h.fresh.Hidden = !h.layout.narrow
		h.title.SetText(title)
	}
	h.bar.Refresh()
}

// SetTitle sets the title of a page.
func (h *Header) SetTitle(title string) {
	h.title.SetText(title)
	h.bar.Refresh()
}

// SetPrivate sets whether the chat is private. The next ShowChat shows it.
func (h *Header) SetPrivate(on bool) { h.private.Hidden = !on }

// SetWidth sets the width of the header.
func (h *Header) SetWidth(width float32) {
	h.width = width
	h.showFile()
	if tight := width < tightBelow; tight != h.layout.tight {
		h.layout.tight = tight
		h.bar.Refresh()
	}
}

// fileFrom is the least width with room for the button that opens the file beside a title. The
// menu of the session opens it too.
const fileFrom float32 = 420

// showFile shows the button that opens the file if there is one, and room.
func (h *Header) showFile() { h.file.Hidden = !h.hasFile || h.width != 0 && h.width < fileFrom }

// SetAsks marks the button that opens the list if a question waits in another chat.
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

// SetNarrow shows the button that opens the list if the window is narrow.
func (h *Header) SetNarrow(narrow bool) {
	if h.chats.Hidden == !narrow {
		return
	}
	h.layout.narrow = narrow
	h.chats.Hidden = !narrow
	h.fresh.Hidden = !narrow || h.empty
	h.bar.Refresh()
}
