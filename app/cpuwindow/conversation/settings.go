package conversation

import (
	"mac-stats/agents"
	"mac-stats/sessionmem/transcript"
)

// Chosen is what is chosen for the conversation now.
func (c *Conversation) Chosen() transcript.Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return transcript.Settings{Agent: c.agent, Model: c.model, Temperature: c.temperature, Think: c.think, Context: c.context, Prompt: c.prompt}
}

// setChosen must be called with the lock held.
func (c *Conversation) setChosen(s transcript.Settings) {
	c.agent, c.model, c.temperature, c.think, c.context, c.prompt = s.Agent, s.Model, s.Temperature, s.Think, s.Context, s.Prompt
}

// readChosen takes what the transcript says, unless something newer waits to be
// written. The lock must be held.
func (c *Conversation) readChosen(t *transcript.Transcript) {
	if !c.unsaved {
		c.setChosen(t.Settings())
	}
}

// TellChosen lets a turn that writes no message know what is being written just now.
func (c *Conversation) TellChosen(req *agents.Request) {
	s := c.Chosen()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unsaved {
		req.Settings = &s
	}
}

// TakeChosen puts what no transcript says yet into a request.
func (c *Conversation) TakeChosen(req *agents.Request) {
	s := c.Chosen()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unsaved {
		req.Settings, c.unsaved = &s, false
	}
}
