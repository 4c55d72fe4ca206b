package cpuwindow

import (
	"errors"
	"strconv"
	"strings"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem"
)

// What is chosen for one conversation: agent, model, temperature, instructions. It
// stands in the transcript; before there is one, it goes along with the first
// message.

// chosen is what is chosen for the conversation now.
func (c *conversation) chosen() sessionmem.SessionSettings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return sessionmem.SessionSettings{Agent: c.agent, Model: c.model, Temperature: c.temperature, Prompt: c.prompt}
}

// setChosen must be called with the lock held.
func (c *conversation) setChosen(s sessionmem.SessionSettings) {
	c.agent, c.model, c.temperature, c.prompt = s.Agent, s.Model, s.Temperature, s.Prompt
}

// readChosen takes what the transcript says, unless something newer waits to be
// written. The lock must be held.
func (c *conversation) readChosen(t *sessionmem.Transcript) {
	if !c.unsaved {
		c.setChosen(t.Settings())
	}
}

// takeChosen puts what no transcript says yet into a request.
func (c *conversation) takeChosen(req *agents.Request) {
	s := c.chosen()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unsaved {
		req.Settings, c.unsaved = &s, false
	}
}

// choose changes what is chosen and writes it behind the scenes.
func (w *Window) choose(c *conversation, s sessionmem.SessionSettings) {
	if c.chosen().Equal(s) {
		return
	}
	c.mu.Lock()
	c.setChosen(s)
	c.unsaved = true
	c.mu.Unlock()
	w.drawHeader()
	go func() {
		err := w.parts.keeper.SetSettings(w.ctx, c.name, s)
		if errors.Is(err, sessionmem.ErrNotFound) {
			return // it goes along with the first message
		}
		saved := c.chosen().Equal(s)
		c.mu.Lock()
		c.unsaved = c.unsaved && !saved
		c.mu.Unlock()
		if err != nil && w.ctx.Err() == nil {
			w.p.Do(func() {
				w.tell(i18n.T("What you chose holds until mac-stats ends: it could not be written"), err.Error())
			})
		}
	}()
}

// optionsWords is the label of the button that opens the panel.
func optionsWords(s sessionmem.SessionSettings) string {
	var parts []string
	if s.Temperature != nil {
		parts = append(parts, i18n.With("temperature {{.What}}", i18n.Places{"What": strconv.FormatFloat(*s.Temperature, 'f', -1, 64)}))
	}
	if s.Prompt != "" {
		parts = append(parts, i18n.T("instructions"))
	}
	if len(parts) == 0 {
		return i18n.T("options")
	}
	return strings.Join(parts, " · ")
}
