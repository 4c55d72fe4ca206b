package chats

import (
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/sessionmem/memory"
)

// Decisions does what the user decides about what is remembered. Its methods return at
// once; the conversation tells what came of it.
type Decisions struct {
	host     Host
	memories Memories
	changed  func(*conversation.Conversation)
}

// Undo takes back a memory.
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

// SaveEdited changes a proposal's text and accepts it.
func (d Decisions) SaveEdited(c *conversation.Conversation, key, id, text string) {
	go func() {
		undoID := ""
		_, err := d.memories.Edit(d.host.Context(), id, text)
		if err == nil {
			c.Reword(key, text)
			var written memory.Written
			written, err = d.memories.Accept(d.host.Context(), id)
			undoID = written.UndoID
		}
		c.Decided(key, true, undoID, err)
		d.changed(c)
	}()
}

// SaveUnkept saves what the user has written where an answer only said that it would, for
// all agents.
func (d Decisions) SaveUnkept(c *conversation.Conversation, key, text string) {
	go func() {
		written, err := d.memories.Append(d.host.Context(), memory.Lesson{
			Text: text, Target: memory.Target{Kind: memory.TargetGlobal}, Confidence: 1, Session: c.Name,
		})
		c.KeptAfterAll(key, text, written, err)
		d.changed(c)
	}()
}
