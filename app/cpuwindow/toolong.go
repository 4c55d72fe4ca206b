package cpuwindow

import (
	"cmp"

	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/options"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/transcript"
)

const (
	// longText is from how many bytes on a text is weighed while it is written.
	longText = 2000
	// promptShare is what the agent's own prompt takes of a model's context, in
	// tokens, roughly: the exact room is known when the message is sent.
	promptShare = 1000
	// autoContext is the largest context that is asked for where none is configured.
	autoContext = 16384
)

// tooLong says that what is being written will hardly fit the model's context,
// before it is sent; "" where it fits, or nothing is known of the model.
func (w *Window) tooLong(text string) string {
	if len(text) < longText || w.shown == nil {
		return ""
	}
	name, size := w.contextNow(w.shown)
	room := size*3/4 - promptShare // a quarter is the answer's
	need := transcript.EstimateTokens(text)
	if size == 0 || need <= room {
		return ""
	}
	return i18n.With("About {{.Need}} tokens: {{.Name}} has room for about {{.Room}}. Shorten it, attach it as a file, or choose a model with a larger context.", i18n.Places{"Need": compose.TokensWords(need), "Name": name, "Room": compose.TokensWords(max(room, 0))})
}

// contextNow is the context of the model that answers next, in tokens: what the last
// answer told, else what is known of the model that is chosen; 0 where nothing is.
func (w *Window) contextNow(c *conversation.Conversation) (model string, size int) {
	chosen, own := c.Chosen().Model, c.Chosen().Context
	if size := c.ContextSize(); size > 0 && own == 0 {
		return cmp.Or(chosen, i18n.T("the model")), size
	}
	cfg := w.parts.config().Ollama
	name := cmp.Or(chosen, cfg.Model)
	for _, m := range w.setup.Models() {
		if name != "" && ollama.SameModel(m.Name, name) && m.MaxContext > 0 {
			return m.Name, min(m.MaxContext, cmp.Or(own, cfg.NumCtx, autoContext))
		}
	}
	return cmp.Or(name, i18n.T("the model")), own
}

// showOptions opens the options of the conversation that is shown.
func (w *Window) showOptions() {
	c := w.shown
	cfg := w.parts.config().Ollama
	p := options.Params{Over: w.win.Canvas(), Chosen: c.Chosen(), Memory: windowHost{w}.MachineMemory(), Save: func(s transcript.Settings) { w.choose(c, s) }}
	name := cmp.Or(c.Chosen().Model, cfg.Model, c.LastModel())
	for _, m := range w.setup.Models() {
		if name != "" && ollama.SameModel(m.Name, name) {
			p.Model, p.Auto = m, cmp.Or(cfg.NumCtx, autoContext)
		}
	}
	options.Open(p)
}
