// Package chats holds the window's conversations without a screen: which ones are open, which
// one is shown, and the turns that run in them.
//
// Turns sends a message to a conversation, follows the run until it ends and then sends the
// next queued message. Chats reads a conversation from its transcript, and reads it again when
// another program changed the file. Drafts saves unsent messages across restarts, Decisions
// applies what the user decides about lessons, and a notification announces a slow answer that
// nobody was watching. This package draws nothing: Host.Draw gets the view of the shown
// conversation, at most once a frame. Nothing of a private conversation is written.
//
// Methods are called on the UI goroutine unless they say otherwise. Files are read off it.
package chats

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"mac-stats/agents"
	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// Host is what the chats need from the window.
type Host interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // ends with the window
	Notify(words, more string)
	Draw(v conversation.View)             // draws the shown conversation
	Started(c *conversation.Conversation) // a turn has started
	Address(req *agents.Request)          // sets the agent or skill that the message names
	NoServer()                            // the last turn found no model server
	ListChanged()                         // the list of sessions may have changed; any goroutine
	ShowSession(name string)              // shows the window too if it is hidden
}

// Parts holds what the chats work on. All fields are required except Notify.
type Parts struct {
	Engine   Engine
	Sessions Sessions
	Library  Library
	Memories Memories
	Config   func() config.Config
	Notify   func(title, body string, onClick func()) // sends a desktop notification
	Home     string                                   // the data folder
	// Forgotten reports whether a text contains anything forgotten since a time.
	Forgotten func(text string, since time.Time) bool
}

// Engine starts and finds turns.
type Engine interface {
	Start(ctx context.Context, req agents.Request) conversation.Run
	Active(session string) conversation.Run // nil if there is none
	Attend(session string)                  // called with the conversation on the screen, "" for none
	Typing()                                // called while somebody types in it
}

// Sessions reads transcripts and names new ones.
type Sessions interface {
	Load(ctx context.Context, name string) (*transcript.Transcript, error)
	NewName(source string) string
}

// Library holds what else is known about a transcript.
type Library interface {
	SetSettings(ctx context.Context, name string, s transcript.Settings) error
	SetPrivate(name string)
	IsPrivate(name string) bool
	Removed(ctx context.Context, name string) (session.Removed, error)
}

// Memories holds lessons and proposals. Its methods are called off the UI goroutine.
type Memories interface {
	Inbox() ([]memory.Proposal, error)
	Undoable() []memory.UndoStep
	Undo(ctx context.Context, undoID string) ([]memory.UndoStep, error)
	Accept(ctx context.Context, id string) (memory.Written, error)
	Discard(ctx context.Context, id string) (memory.Proposal, error)
	Edit(ctx context.Context, id, text string) (memory.Proposal, error)
	Append(ctx context.Context, l memory.Lesson) (memory.Written, error)
}

// Chats holds the open conversations.
type Chats struct {
	Turns     *Turns
	Decisions Decisions
	Drafts    *Drafts
	host      Host
	parts     Parts
	open      map[string]*conversation.Conversation
	shown     *conversation.Conversation
	seen      atomic.Pointer[conversation.Conversation] // the shown one, for other goroutines; nil while it isn't visible
	focused   atomic.Bool                               // a window of the app has the keyboard focus
	painter   painter
}

// New returns a Chats with the saved drafts and no open conversation.
func New(h Host, p Parts) *Chats {
	c := &Chats{host: h, parts: p, open: map[string]*conversation.Conversation{}}
	c.painter.chats = c
	c.Turns = &Turns{chats: c}
	c.Decisions = Decisions{host: h, memories: p.Memories, changed: c.Changed}
	c.Drafts = newDrafts(h, p, c.open)
	return c
}

// Shown returns the shown conversation, or nil before the first Show.
func (c *Chats) Shown() *conversation.Conversation { return c.shown }

// Show sets the shown conversation. A run in the previous one continues there. Conversations
// that can be read again from disk are dropped, so memory doesn't grow with each one visited.
func (c *Chats) Show(conv *conversation.Conversation) {
	c.open[conv.Name], c.shown = conv, conv
	if c.seen.Load() != nil {
		c.seen.Store(conv)
		c.parts.Engine.Attend(conv.Name)
	}
	for name, other := range c.open {
		if other != conv && other.Idle() {
			delete(c.open, name)
		}
	}
}

// SetVisible sets whether the shown conversation is on the screen.
func (c *Chats) SetVisible(on bool) {
	if on && c.shown != nil {
		c.seen.Store(c.shown)
		c.parts.Engine.Attend(c.shown.Name)
	} else {
		c.seen.Store(nil)
		c.parts.Engine.Attend("")
	}
}

// Focus sets whether a window of the app has the keyboard focus. Any goroutine may call it.
func (c *Chats) Focus(on bool) { c.focused.Store(on) }

// Fresh returns a conversation without messages: the shown one, an open one with a draft,
// which no list shows, or a new one.
func (c *Chats) Fresh() *conversation.Conversation {
	empty := func(conv *conversation.Conversation) bool { return !conv.Begun() && !conv.Private() }
	if c.shown != nil && empty(c.shown) {
		return c.shown
	}
	for _, conv := range c.open {
		if empty(conv) {
			return conv
		}
	}
	conv := c.New()
	c.Drafts.restore(conv, "")
	return conv
}

// New returns a new conversation.
func (c *Chats) New() *conversation.Conversation {
	return conversation.New(c.parts.Sessions.NewName("cpu"))
}

// Private returns a conversation that is never written to disk: the shown one if it is private
// and empty, otherwise a new one.
func (c *Chats) Private() *conversation.Conversation {
	if conv := c.shown; conv != nil && conv.Private() && conv.Empty() {
		return conv
	}
	name := c.parts.Sessions.NewName("cpu")
	c.parts.Library.SetPrivate(name)
	return conversation.NewPrivate(name)
}

// IsPrivate reports whether nothing of a conversation is written, because it is a private
// chat or by a setting. Any goroutine may call it.
func (c *Chats) IsPrivate(conv *conversation.Conversation) bool {
	return conv.Private() || c.parts.Library.IsPrivate(conv.Name)
}

// Named returns the conversation of a session. If it wasn't open, the caller must Load it.
func (c *Chats) Named(name string) (conv *conversation.Conversation, open bool) {
	if conv := c.open[name]; conv != nil {
		return conv, true
	}
	conv = conversation.New(name)
	conv.BeginLoading(c.parts.Library.IsPrivate(name))
	c.Drafts.restore(conv, name)
	return conv, false
}

// Open returns the conversation of a session if it is open, otherwise nil.
func (c *Chats) Open(name string) *conversation.Conversation { return c.open[name] }

// Drop closes a conversation whose session was deleted or replaced.
func (c *Chats) Drop(name string) { delete(c.open, name) }

// Asking returns the sessions in which a question waits for the user's answer.
func (c *Chats) Asking() map[string]bool {
	asking := map[string]bool{}
	for name, conv := range c.open {
		if conv.HasQuestion() {
			asking[name] = true
		}
	}
	return asking
}

// Changed schedules a drawing of a conversation that changed. Any goroutine may call it.
func (c *Chats) Changed(conv *conversation.Conversation) { c.painter.changed(conv) }

// AddLessons shows in its conversation what a compaction remembered, which can be undone, or
// proposed, which the user decides.
func (c *Chats) AddLessons(session string, written []memory.Written, proposed []memory.Proposal, at time.Time) {
	if conv := c.open[session]; conv != nil {
		conv.AddLearnt(written, proposed, at)
		c.Changed(conv)
	}
}

// WriteChoice writes what was chosen for a conversation (agent, model, temperature,
// instructions) to its transcript, in the background. A choice that can't be written, also
// because there is no transcript yet, is sent with the next message.
func (c *Chats) WriteChoice(conv *conversation.Conversation, s transcript.Settings) {
	go func() {
		err := c.parts.Library.SetSettings(c.host.Context(), conv.Name, s)
		switch {
		case err == nil:
			conv.ChoiceWritten(s)
		case !errors.Is(err, session.ErrNotFound) && c.host.Context().Err() == nil:
			c.host.Do(func() {
				c.host.Notify(i18n.T("Your choice couldn't be saved. It lasts until mac-stats quits."), err.Error())
			})
		}
	}()
}
