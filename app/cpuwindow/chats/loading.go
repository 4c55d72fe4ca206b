package chats

import (
	"context"
	"errors"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// Load reads a conversation off the UI goroutine and joins a run that this process has in
// progress.
func (c *Chats) Load(conv *conversation.Conversation) {
	go func() {
		t, err := c.read(conv)
		switch {
		case err == nil:
			conv.Fill(t)
			c.showLessons(conv)
			c.showRemoved(conv)
		case errors.Is(err, session.ErrNotFound):
			conv.LoadFailed(nil) // it has no messages yet
		default:
			conv.LoadFailed(err)
		}
		c.host.Do(func() {
			if run := c.parts.Engine.Active(conv.Name); run != nil && !conv.Busy() {
				c.Turns.follow(conv, run, func() {})
			}
			c.Changed(conv)
		})
	}()
}

func (c *Chats) read(conv *conversation.Conversation) (*transcript.Transcript, error) {
	return c.parts.Sessions.Load(c.host.Context(), conv.Name)
}

// Reload reads the shown conversation again, in case another program changed its file.
func (c *Chats) Reload() {
	conv := c.shown
	if conv == nil || conv.Busy() {
		return
	}
	turns := conv.Turns()
	go func() {
		t, err := c.read(conv)
		if err != nil || conv.Busy() {
			return
		}
		if conv.ShowsAll(t.Blocks) && !conv.Differs(t.Blocks) {
			conv.LoadChoice(t) // the command line or an editor may have changed it
		} else {
			conv.FillSince(turns, t)
		}
		c.showLessons(conv)
		c.showRemoved(conv)
		c.Changed(conv)
	}()
}

// Reread reads a conversation again. Off the UI goroutine.
func (c *Chats) Reread(ctx context.Context, conv *conversation.Conversation) error {
	t, err := c.parts.Sessions.Load(ctx, conv.Name)
	if err == nil {
		conv.Fill(t)
		c.showLessons(conv)
	}
	return err
}

// ReadOlder reads a conversation's transcript again and calls show to show more of it, off
// the UI goroutine. It does nothing while an earlier call is still reading.
func (c *Chats) ReadOlder(conv *conversation.Conversation, show func(*transcript.Transcript)) {
	if !conv.StartOlder() {
		return
	}
	go func() {
		t, err := c.read(conv)
		if err == nil {
			show(t)
		}
		conv.EndOlder()
		if err != nil {
			c.host.Do(func() {
				c.host.Notify(i18n.With("Older messages can't be read: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
			})
		}
		c.Changed(conv)
	}()
}

// OlderMessages reads the messages above those shown and passes them to then on the UI
// goroutine, unless another conversation is shown by that time.
func (c *Chats) OlderMessages(then func([]conversation.Message)) {
	conv := c.shown
	go func() {
		t, err := c.read(conv)
		if err != nil {
			return // only what is shown is searched; ReadOlder reports the error
		}
		older := conv.OlderMessages(t)
		c.host.Do(func() {
			if c.shown == conv {
				then(older)
			}
		})
	}()
}

// DropForgotten drops what was forgotten, in this program or another: it reads the sessions again
// and deletes drafts that contain it. It reports whether it deleted the draft of the shown
// conversation.
func (c *Chats) DropForgotten(holds func(text string) bool) (dropped bool) {
	c.Drafts.forget(holds)
	for _, conv := range c.open {
		if conv.DropUnsent(holds) && conv == c.shown {
			dropped = true
		}
		if !conv.Busy() && conv != c.shown && conv.Begun() {
			c.Load(conv)
		}
	}
	c.Drafts.Save()
	return dropped
}

// showRemoved shows what another program's save removed from the transcript, if anything.
func (c *Chats) showRemoved(conv *conversation.Conversation) {
	if conv.Private() {
		return
	}
	removed, err := c.parts.Library.Removed(c.host.Context(), conv.Name)
	if err != nil {
		return // reading the transcript reports the error
	}
	conv.ShowRemoved(removed)
}

// showLessons shows the undecided proposals of a conversation and the lessons that can be
// undone.
func (c *Chats) showLessons(conv *conversation.Conversation) {
	if waiting, err := c.parts.Memories.Inbox(); err == nil { // the Memory page reports the error
		conv.AddWaiting(waiting)
	}
	conv.AddWritten(c.parts.Memories.Undoable())
}
