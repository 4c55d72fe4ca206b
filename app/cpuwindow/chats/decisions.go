package chats

import (
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/sessionmem/memory"
)

// Decisions applies what the user decides about lessons and proposals. Its methods return at
// once; the conversation shows the outcome.
type Decisions struct {
	host     Host
	memories Memories
	changed  func(*conversation.Conversation)
}

// Undo removes a lesson that was remembered.
func (d Decisions) Undo(c *conversation.Conversation, key, id string) {
	go func() {
		_, err := d.memories.Undo(d.host.Context(), id)
		c.Undone(key, err)
		d.changed(c)
	}()
}

// Decide accepts or discards a proposal.
func (d Decisions) Decide(c *conversation.Conversation, key, id string, save bool) {
	go func() {
		undoID, err := "", error(nil)
		if save {
			written, acceptErr := d.memories.Accept(d.host.Context(), id)
			undoID, err = written.UndoID, acceptErr
		} else {
			_, err = d.memories.Discard(d.host.Context(), id)
		}
		c.Decided(key, save, undoID, err)
		d.changed(c)
	}()
}

// SaveEdited replaces the text of a proposal and accepts it.
func (d Decisions) SaveEdited(c *conversation.Conversation, key, id, text string) {
	go func() {
		undoID := ""
		_, err := d.memories.Edit(d.host.Context(), id, text)
		if err == nil {
			c.SetProposalText(key, text)
			var written memory.Written
			written, err = d.memories.Accept(d.host.Context(), id)
			undoID = written.UndoID
		}
		c.Decided(key, true, undoID, err)
		d.changed(c)
	}()
}
