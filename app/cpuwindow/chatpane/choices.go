package chatpane

import (
	"cmp"
	"slices"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/app/cpuwindow/chats"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/header"
	"mac-stats/app/cpuwindow/setup"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/transcript"
)

const (
	// longText is the length in bytes from which a message is checked while it is written.
	longText = 2000
	// promptShare is roughly how many tokens of the context the agent's own prompt takes. The
	// exact number is known only when the message is sent.
	promptShare = 1000
	// autoContext is the largest context, in tokens, requested when none is configured.
	autoContext = 16384
)

// Choices changes the agent, model and options of the shown conversation.
type Choices struct {
	host  Host
	parts Parts
	setup *setup.Setup
	chats *chats.Chats
	head  *header.Header
}

// choose sets and saves the choice of a conversation.
func (h *Choices) choose(c *conversation.Conversation, s transcript.Settings) {
	if !c.Chosen().Equal(s) {
		c.Choose(s)
		h.drawHeader()
		h.chats.WriteChoice(c, s)
	}
}

// drawHeader shows the choice in the header while the chat is shown.
func (h *Choices) drawHeader() {
	if c := h.chats.Shown(); h.host.OnChat() {
		s := c.Chosen()
		h.head.ShowChat(c.Title(), cmp.Or(s.Agent, h.parts.Config().Agents.Default, "orchestrator"), s, c.Path() != "")
	}
}

// PickAgent opens the menu of the agents.
func (h *Choices) PickAgent() {
	c := h.chats.Shown()
	chosen := cmp.Or(c.Chosen().Agent, h.parts.Config().Agents.Default)
	go func() { // Agents reads files
		all := h.parts.Roster.Agents()
		h.host.Do(func() {
			kit.ShowMenu(header.AgentMenu(all, chosen, func(slug string) {
				s := c.Chosen()
				s.Agent = slug
				h.choose(c, s)
			}), h.head.Agent, h.host.Canvas())
		})
	}()
}

// PickModel opens the menu of the models.
func (h *Choices) PickModel() {
	c := h.chats.Shown()
	kit.ShowMenu(header.ModelMenu(h.setup.Models(), c.Chosen().Model, func(name string) { h.useModel(c, name) }), h.head.Model, h.host.Canvas())
}

func (h *Choices) useModel(c *conversation.Conversation, name string) {
	s := c.Chosen()
	s.Model = name
	h.choose(c, s)
}

// ShowOptions opens the options of the shown conversation.
func (h *Choices) ShowOptions() {
	c := h.chats.Shown()
	cfg := h.parts.Config().Ollama
	p := optionParams{Over: h.host.Canvas(), Chosen: c.Chosen(), Memory: h.host.MachineMemory(), Save: func(s transcript.Settings) { h.choose(c, s) }}
	if m, ok := h.modelNamed(cmp.Or(c.Chosen().Model, cfg.Model, c.LastModel())); ok {
		p.Model, p.Auto = m, cmp.Or(cfg.NumCtx, autoContext)
	}
	openOptions(p)
}

// modelNamed returns what the server knows about a model.
func (h *Choices) modelNamed(name string) (ollama.ModelInfo, bool) {
	all := h.setup.Models()
	if i := slices.IndexFunc(all, func(m ollama.ModelInfo) bool { return ollama.SameModel(m.Name, name) }); name != "" && i >= 0 {
		return all[i], true
	}
	return ollama.ModelInfo{}, false
}

// tooLong returns a warning if the unsent text will probably not fit the model's context, or if
// only a part of its files will be sent. It returns "" if all fits, or if nothing is known about
// the model.
func (h *Choices) tooLong(text string) string {
	if h.chats.Shown() == nil {
		return ""
	}
	if len(text) < longText {
		return h.filesTooLong()
	}
	name, size := h.nextContext(h.chats.Shown())
	room := prompt.NewBudget(size).Rest(promptShare)
	need := transcript.EstimateTokens(text)
	if size == 0 || need <= room {
		return h.filesTooLong()
	}
	return i18n.With("About {{.Need}} tokens: {{.Name}} has room for about {{.Room}}. Shorten it, attach it as a file, or choose a model with a larger context.", i18n.Places{"Need": compose.TokensWords(need), "Name": name, "Room": compose.TokensWords(max(room, 0))})
}

// filesTooLong returns a warning if a message has no room for all the text that is attached.
func (h *Choices) filesTooLong() string {
	room, need := agents.Settings{MaxTokens: h.parts.Config().Session.MaxTokens}.FilesTokens(), 0
	for _, f := range h.chats.Shown().Attached() {
		if !f.Upload.Image {
			need += transcript.EstimateTokens(string(f.Upload.Data))
		}
	}
	if need <= room {
		return ""
	}
	return i18n.With("Only about {{.N}} % of the attached text will be sent: that is what a message has room for. Attach the part that matters.", i18n.Places{"N": max(1, 100*room/need)})
}

// nextContext returns the model that answers next and its context in tokens: as the last answer
// reported it, otherwise as known from the chosen model, otherwise 0.
func (h *Choices) nextContext(c *conversation.Conversation) (model string, size int) {
	chosen, own := c.Chosen().Model, c.Chosen().Context
	if size := c.ContextSize(); size > 0 && own == 0 {
		return cmp.Or(chosen, i18n.T("the model")), size
	}
	cfg := h.parts.Config().Ollama
	name := cmp.Or(chosen, cfg.Model)
	if m, ok := h.modelNamed(name); ok && m.MaxContext > 0 {
		return m.Name, min(m.MaxContext, cmp.Or(own, cfg.NumCtx, autoContext))
	}
	return cmp.Or(name, i18n.T("the model")), own
}
