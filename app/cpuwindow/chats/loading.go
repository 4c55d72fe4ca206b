package chats

import (
	"context"
	"errors"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// Load reads a conversation off the UI goroutine, and joins a run that is under
// way in this process.
func (c *Chats) Load(conv *conversation.Conversation) {
	go func() {
		t, err := c.read(conv)
		switch {
		case err == nil:
			conv.Fill(t)
			c.lookWaiting(conv)
			c.lookRemoved(conv)
		case errors.Is(err, session.ErrNotFound):
			conv.Fail(nil) // nothing was said in it yet
		default:
			conv.Fail(err)
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

// Reload reads the shown conversation again where another program wrote to it.
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
		if conv.Knows(t.Blocks) && !conv.Differs(t.Blocks) {
			conv.ChosenIn(t) // the command line, or an editor, may have changed it
		} else {
			conv.FillSince(turns, t)
		}
		c.lookWaiting(conv)
		c.lookRemoved(conv)
		c.Changed(conv)
	}()
}

// Refill reads a conversation again. Off the UI goroutine.
func (c *Chats) Refill(ctx context.Context, conv *conversation.Conversation) error {
	t, err := c.parts.Sessions.Load(ctx, conv.Name)
	if err == nil {
		conv.Fill(t)
		c.lookWaiting(conv)
	}
	return err
}

// ReadOlder reads a conversation's transcript again and has more of it shown, once at a
// time.
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
				c.host.Tell(i18n.With("Older messages can't be read: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
			})
		}
		c.Changed(conv)
	}()
}

// OlderMessages gives what was said before what is shown of the shown conversation, where
// that is still shown then.
func (c *Chats) OlderMessages(then func([]conversation.Message)) {
	conv := c.shown
	go func() {
		t, err := c.read(conv)
		if err != nil {
			return // what is shown is searched; showing more tells why it can't be read
		}
		older := conv.OlderMessages(t)
		c.host.Do(func() {
			if c.shown == conv {
				then(older)
			}
		})
	}()
}

// Forgot follows a forgetting, of whatever program: what is held of sessions is read
// again, and drafts that hold it go. It reports whether the draft of the shown conversation
// was one.
func (c *Chats) Forgot(holds func(text string) bool) (dropped bool) {
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

// lookRemoved shows or takes away what a save from outside removed.
func (c *Chats) lookRemoved(conv *conversation.Conversation) {
	if conv.Private() {
		return
	}
	removed, err := c.parts.Library.Removed(c.host.Context(), conv.Name)
	if err != nil {
		return // what can't be read is told of where the transcript is read
	}
	conv.ShowRemoved(removed)
}

// lookWaiting shows what a conversation proposed to remember and nobody decided yet, and
// what it remembered and can be taken back.
func (c *Chats) lookWaiting(conv *conversation.Conversation) {
	if waiting, err := c.parts.Memories.Inbox(); err == nil { // else the Memory page says why
		conv.AddWaiting(waiting)
	}
	conv.AddWritten(c.parts.Memories.Undoable())
}
