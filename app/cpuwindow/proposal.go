package cpuwindow

import "mac-stats/agents"

// proposalNote makes a note of a proposed memory: what would change, with the id
// that Save and Discard need.
func (e *entry) proposalNote(m *agents.MemoryChange) {
	if m == nil || m.Inbox == "" {
		return
	}
	e.proposal = m.Inbox
	switch m.Change {
	case "replace":
		e.text = "proposed to remember “" + m.Text + "” in place of “" + m.Old + "”"
	case "remove":
		e.text = "proposed to forget “" + m.Old + "”"
	}
}

// noteRows is a note; a proposal is shown whole, for what is cut can't be decided,
// with its buttons below. Edit opens the inbox: it is a file.
func (c *chatView) noteRows(e *entryView) []*placed {
	if e.proposal == "" {
		return []*placed{{row: c.noteRow(e), gap: gap8}}
	}
	key, id := e.key, e.proposal
	words := newProse([]run{{text: e.text}}, sizeText, roleMuted)
	buttons := line(gap8, -1,
		newButton(buttonLink, "Save", func() { c.act.decide(key, id, true) }),
		newButton(buttonLink, "Edit", func() { c.act.openInbox() }),
		newButton(buttonLink, "Discard", func() { c.act.decide(key, id, false) }),
	)
	return []*placed{
		{row: newFramed(words, rolePanel, roleLine, radiusCard, gap12, gap8), gap: gap8, max: proseMax},
		{row: newBoxRow(buttons), gap: gap4},
	}
}

// decide accepts or discards a proposal.
func (w *Window) decide(key, id string, save bool) {
	c := w.shown
	go func() {
		undoID, err := "", error(nil)
		if save {
			written, acceptErr := w.parts.memories.Accept(w.ctx, id)
			undoID, err = written.UndoID, acceptErr
		} else {
			_, err = w.parts.memories.Discard(w.ctx, id)
		}
		c.decided(key, save, undoID, err)
		w.painter.changed(c)
	}()
}

// openInbox opens the proposals in the user's editor.
func (w *Window) openInbox() { w.openFile(w.parts.memories.InboxPath()) }

// decided notes what came of a proposal. After an error it can be decided again.
func (c *conversation) decided(key string, saved bool, undoID string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.key != key || e.proposal == "" {
			continue
		}
		e.rev++
		if err != nil {
			e.text += " · that failed: " + err.Error()
			return
		}
		e.proposal, e.undoID = "", undoID
		if saved {
			e.text = "saved: " + e.text
		} else {
			e.text = "discarded: " + e.text
		}
	}
}
