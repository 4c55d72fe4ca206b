package chatpane

import (
	"strings"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/slash"
	"mac-stats/app/i18n"
)

// Send starts a turn with what was written, or does what a command says.
func (p *Pane) Send(text string) {
	if p.takeSlash(text) {
		return
	}
	c := p.Chats.Shown()
	files := c.TakeMessage()
	p.Compose.SetText("")
	p.Compose.SetFiles(nil)
	p.Chats.KeepDrafts()
	busy := c.Busy()
	if p.Chats.Turns.Send(c, text, files); !busy {
		p.View.Port.ToEnd()
	}
}

// Stop ends the run of the shown conversation; what has arrived is kept.
func (p *Pane) Stop() { p.Chats.Shown().StopRun() }

// askForRest asks for the rest of an answer that was cut short.
func (p *Pane) askForRest() {
	if c := p.Chats.Shown(); !c.Busy() {
		p.Chats.Turns.Send(c, i18n.T("Continue where you stopped."), nil)
		p.View.Port.ToEnd()
	}
}

// sendNow sends a message that waits.
func (p *Pane) sendNow(id int) {
	if p.Chats.Turns.SendNow(p.Chats.Shown(), id) {
		p.View.Port.ToEnd()
	}
}

// editQueued brings a message that waits back into the composer; what is written
// there waits in its place.
func (p *Pane) editQueued(id int) {
	c := p.Chats.Shown()
	q, ok := c.Unqueue(id)
	if !ok {
		return
	}
	if written := strings.TrimSpace(p.Compose.Entry.Text); written != "" || len(c.Attached()) > 0 {
		c.Enqueue(written, c.Attached())
	}
	c.KeepDraft(q.Text)
	c.Attach(q.Files)
	p.Compose.SetText(q.Text)
	p.Compose.SetFiles(q.Files)
	p.Chats.KeepDrafts()
	p.Chats.Changed(c)
	p.Focus()
}

// dropQueued takes a message away.
func (p *Pane) dropQueued(id int) {
	p.Chats.Shown().Unqueue(id)
	p.Chats.KeepDrafts()
	p.Chats.Changed(p.Chats.Shown())
	p.Focus()
}

func (p *Pane) keepDraft(text string) {
	if c := p.Chats.Shown(); c != nil {
		c.KeepDraft(text)
		p.Chats.KeepDrafts()
		p.parts.Typing()
	}
}

// Put puts a text into the composer, in place of what is there.
func (p *Pane) Put(text string) {
	p.Compose.SetText(text)
	p.keepDraft(text)
}

// Quote adds text to the message that is being written, without sending it; where none is,
// to that of a new chat.
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

// rewrite puts a refused message back into the composer, files and all.
func (p *Pane) rewrite(f conversation.Fault) {
	c := p.Chats.Shown()
	if c.Busy() || p.Compose.Entry.Text != "" {
		return // what is being written goes first
	}
	c.DropFailed()
	files := c.FilesSent()
	c.Attach(files)
	p.Compose.SetText(f.Text)
	p.Compose.SetFiles(files)
	p.keepDraft(f.Text)
	p.Focus()
	p.Chats.Changed(c)
}

// slashItems are what a message can begin with behind a slash. An agent goes before a skill
// or a command of its name.
func (p *Pane) slashItems() []slash.Item {
	var items []slash.Item
	for _, a := range p.parts.Roster.Agents() {
		if a.Usable() {
			items = append(items, slash.Item{Kind: slash.Agent, Name: a.Slug, Words: a.Description})
		}
	}
	for _, s := range p.parts.Roster.Skills() {
		if s.Err == nil {
			items = append(items, slash.Item{Kind: slash.Skill, Name: s.Name, Words: s.Description})
		}
	}
	return append(items, p.parts.Commands()...)
}

// takeSlash does what a message that is no message asks for; it reports whether it was
// one.
func (p *Pane) takeSlash(text string) bool {
	if p.Compose.Keys.Pasted {
		return false
	}
	it, rest, ok := slash.Find(p.slashItems, text)
	switch {
	case !ok:
		return false
	case it.Run != nil:
		p.Put("")
		it.Run(rest)
		return true
	case rest == "" && len(p.Chats.Shown().Attached()) == 0:
		p.Compose.Say(i18n.With("Write what {{.Name}} is to do.", i18n.Places{"Name": it.Name}))
		return true
	}
	return false
}

// address makes a request of a message that is for an agent or a skill.
func (p *Pane) address(req *agents.Request) {
	it, rest, ok := slash.Find(p.slashItems, req.Text)
	switch {
	case !ok || it.Run != nil:
	case it.Kind == slash.Agent:
		req.Agent, req.Text = it.Name, rest
	default:
		req.Skill, req.Text = it.Name, rest
	}
}
