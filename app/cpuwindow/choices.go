package cpuwindow

import (
	"errors"
	"strconv"
	"strings"

	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// What is chosen for one conversation: agent, model, temperature, instructions. It
// stands in the transcript; before there is one, it goes along with the first
// message.

// choose changes what is chosen and writes it behind the scenes.
func (w *Window) choose(c *conversation.Conversation, s transcript.Settings) {
	if c.Chosen().Equal(s) {
		return
	}
	c.Choose(s)
	w.drawHeader()
	go func() {
		err := w.parts.keeper.SetSettings(w.ctx, c.Name, s)
		if errors.Is(err, sessionmem.ErrNotFound) {
			return // it goes along with the first message
		}
		c.ChoiceWritten(s)
		if err != nil && w.ctx.Err() == nil {
			w.p.Do(func() {
				w.tell(i18n.T("Your choice couldn't be saved. It lasts until mac-stats quits."), err.Error())
			})
		}
	}()
}

// optionsWords is the label of the button that opens the panel.
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
