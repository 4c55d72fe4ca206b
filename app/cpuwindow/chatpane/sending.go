package chatpane

import (
	"strings"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/slash"
	"mac-stats/app/i18n"
)

// Send sends a message, or runs the command that the text is.
func (p *Pane) Send(text string) {
	if (messages{p}).runCommand(text) {
		return
	}
	c := p.Chats.Shown()
	files := c.TakeMessage()
	p.Compose.SetText("")
	p.Compose.SetFiles(nil)
	p.Chats.Drafts.Save()
	busy := c.Busy()
	if p.Chats.Turns.Send(c, text, files); !busy {
		p.View.Port.ToEnd()
	}
}

// Stop stops the run of the shown conversation, and the reading of its files. The text that has
// arrived is kept.
func (p *Pane) Stop() {
	p.Files.Stop()
	p.Chats.Shown().StopRun()
}

// askToContinue asks the model to continue an answer that was cut short.
func (m messages) askToContinue() {
	if c := m.Chats.Shown(); !c.Busy() {
		m.Chats.Turns.Send(c, i18n.T("Continue where you stopped."), nil)
		m.View.Port.ToEnd()
	}
}

// sendNow sends a queued message now.
func (m messages) sendNow(id int) {
	if m.Chats.Turns.SendNow(m.Chats.Shown(), id) {
		m.View.Port.ToEnd()
	}
}

// editQueued moves a queued message into the composer. The text that was there is queued
// instead.
func (m messages) editQueued(id int) {
	c := m.Chats.Shown()
	q, ok := c.Unqueue(id)
	if !ok {
		return
	}
	if written := strings.TrimSpace(m.Compose.Entry.Text); written != "" || len(c.Attached()) > 0 {
		c.Enqueue(written, c.Attached())
	}
	c.KeepDraft(q.Text)
	c.Attach(q.Files)
	m.Compose.SetText(q.Text)
	m.Compose.SetFiles(q.Files)
	m.Chats.Drafts.Save()
	m.Chats.Changed(c)
	m.Focus()
}

// dropQueued deletes a queued message.
func (m messages) dropQueued(id int) {
	m.Chats.Shown().Unqueue(id)
	m.Chats.Drafts.Save()
	m.Chats.Changed(m.Chats.Shown())
	m.Focus()
}

func (m messages) keepDraft(text string) {
	if c := m.Chats.Shown(); c != nil {
		c.KeepDraft(text)
		m.Chats.Drafts.Save()
		m.parts.Typing()
	}
}

// Put replaces the text in the composer.
func (p *Pane) Put(text string) {
	p.Compose.SetText(text)
	messages{p}.keepDraft(text)
}

// Quote appends text to the message in the composer without sending it. If the composer is
// empty, it starts a new chat.
func (p *Pane) Quote(text string) {
	if strings.TrimSpace(p.Compose.Entry.Text) == "" && p.Chats.Shown().Begun() {
		p.ShowFresh()
	}
	written := strings.TrimRight(p.Compose.Entry.Text, "\n ")
	if written != "" {
		written += "\n\n"
	}
	p.FocusChat()
	p.Put(written + text + "\n\n")
	p.Compose.Entry.CursorRow = strings.Count(p.Compose.Entry.Text, "\n")
	p.Compose.Entry.CursorColumn = 0
	p.Compose.Entry.Refresh()
	p.Focus()
}

// rewrite moves a refused message and its files back into the composer.
func (m messages) rewrite(f conversation.Fault) {
	c := m.Chats.Shown()
	if c.Busy() || m.Compose.Entry.Text != "" {
		return // keep what the user is writing
	}
	c.DropFailed()
	files := c.FilesSent()
	c.Attach(files)
	m.Compose.SetText(f.Text)
	m.Compose.SetFiles(files)
	m.keepDraft(f.Text)
	m.Focus()
	m.Chats.Changed(c)
}

// slashItems returns the names that can follow a slash at the start of a message. An agent
// comes before a skill or command of the same name.
func (m messages) slashItems() []slash.Item {
	var items []slash.Item
	for _, a := range m.parts.Roster.Agents() {
		if a.Usable() {
			items = append(items, slash.Item{Kind: slash.Agent, Name: a.Slug, Words: a.Description})
		}
	}
	for _, s := range m.parts.Roster.Skills() {
		if s.Err == nil {
			items = append(items, slash.Item{Kind: slash.Skill, Name: s.Name, Words: s.Description})
		}
	}
	return append(items, m.parts.Commands()...)
}

// runCommand runs the command that a text consists of. It reports whether the text is done
// with and must not be sent.
func (m messages) runCommand(text string) bool {
	if m.Compose.Keys.Pasted {
		return false
	}
	it, rest, ok := slash.Find(m.slashItems, text)
	switch {
	case !ok:
		return false
	case it.Run != nil:
		m.Put("")
		it.Run(rest)
		return true
	case rest == "" && len(m.Chats.Shown().Attached()) == 0:
		m.Compose.SetHint(i18n.With("Write what {{.Name}} is to do.", i18n.Places{"Name": it.Name}))
		return true
	}
	return false
}

// address sets the agent or skill that a message names after its slash.
func (m messages) address(req *agents.Request) {
	it, rest, ok := slash.Find(m.slashItems, req.Text)
	switch {
	case !ok || it.Run != nil:
	case it.Kind == slash.Agent:
		req.Agent, req.Text = it.Name, rest
	default:
		req.Skill, req.Text = it.Name, rest
	}
}
