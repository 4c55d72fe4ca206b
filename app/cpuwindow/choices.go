package cpuwindow

import (
	"errors"

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
