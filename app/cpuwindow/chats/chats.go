// Package chats holds the window's conversations, without a screen: which are open, which
// one is shown, and the turns that go on in them, shown or not.
//
// A message is sent to a conversation by Turns, which follows the run until it ends and then
// sends what waits; a conversation is read from its transcript by Chats, and again where
// another program wrote to it. What is not sent is kept over a restart by the drafts, a slow
// answer that nobody sees is told by a notification, and what was proposed to remember is
// decided by Decisions. Nothing is drawn here: Host.Draw is given what is to be seen, at most
// once a frame. What is private is written nowhere.
//
// Methods are called on the UI goroutine, but for those that say otherwise; files are read
// off it.
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

// Host is what the chats need of the window.
type Host interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // ends with the window
	Tell(words, more string)
	Draw(v conversation.View)             // of the one that is shown
	Started(c *conversation.Conversation) // a turn
	Address(req *agents.Request)          // to whom the message says it is for
	NoServer()                            // the last turn had none
	ListChanged()                         // the sessions may be others; any goroutine
	ShowSession(name string)              // the window too, where it is hidden
}

// Parts is what the chats work on; all is required but Notify.
type Parts struct {
	Engine   Engine
	Sessions Sessions
	Library  Library
	Memories Memories
	Config   func() config.Config
	Notify   func(title, body string, onClick func()) // a notification of the desktop
	Home     string                                   // the data folder
	// Forgotten reports whether a text holds what was forgotten since.
	Forgotten func(text string, since time.Time) bool
}

// Engine starts and finds turns.
type Engine interface {
	Start(ctx context.Context, req agents.Request) conversation.Run
	Active(session string) conversation.Run // nil where none
}

// Sessions is the transcripts.
type Sessions interface {
	Load(ctx context.Context, name string) (*transcript.Transcript, error)
	NewName(source string) string
}

// Library is what else is known and kept of a transcript.
type Library interface {
	SetSettings(ctx context.Context, name string, s transcript.Settings) error
	SetPrivate(name string)
	IsPrivate(name string) bool
	Removed(ctx context.Context, name string) (session.Removed, error)
}

// Memories is what was remembered, and waits to be. Off the UI goroutine.
type Memories interface {
	Inbox() ([]memory.Proposal, error)
	Undoable() []memory.UndoStep
	Undo(ctx context.Context, undoID string) ([]memory.UndoStep, error)
	Accept(ctx context.Context, id string) (memory.Written, error)
	Discard(ctx context.Context, id string) (memory.Proposal, error)
	Edit(ctx context.Context, id, text string) (memory.Proposal, error)
	Append(ctx context.Context, l memory.Lesson) (memory.Written, error)
}

// Chats is the open conversations.
type Chats struct {
	Turns     *Turns
	Decisions Decisions
	Drafts    *Drafts
	host      Host
	parts     Parts
	open      map[string]*conversation.Conversation
	shown     *conversation.Conversation
	seen      atomic.Pointer[conversation.Conversation] // shown, for other goroutines; nil while nobody sees it
	focused   atomic.Bool                               // a window of the app has the keyboard
	painter   painter
}

// New reads the drafts; no conversation is open yet.
func New(h Host, p Parts) *Chats {
	c := &Chats{host: h, parts: p, open: map[string]*conversation.Conversation{}}
	c.painter.chats = c
	c.Turns = &Turns{chats: c}
	c.Decisions = Decisions{host: h, memories: p.Memories, changed: c.Changed}
	c.Drafts = newDrafts(h, p, c.open)
	return c
}

// Shown is the conversation that is shown; nil before the first Show.
func (c *Chats) Shown() *conversation.Conversation { return c.shown }

// Show changes what is shown. The run of the one before goes on into its own conversation.
// What can be read again from disk is dropped: what is held does not grow with what was
// looked at.
func (c *Chats) Show(conv *conversation.Conversation) {
	c.open[conv.Name], c.shown = conv, conv
	if c.seen.Load() != nil {
		c.seen.Store(conv)
	}
	for name, other := range c.open {
		if other != conv && other.Idle() {
			delete(c.open, name)
		}
	}
}

// SetVisible sets whether the shown conversation is on the screen.
func (c *Chats) SetVisible(on bool) {
	if on {
		c.seen.Store(c.shown)
	} else {
		c.seen.Store(nil)
	}
}

// Focus says whether a window of the app has the keyboard. Any goroutine.
func (c *Chats) Focus(on bool) { c.focused.Store(on) }

// Fresh is a conversation in which nothing was said: the one that is shown, one with a
// draft, which is in no list, or a new one.
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

// New is a new conversation.
func (c *Chats) New() *conversation.Conversation {
	return conversation.New(c.parts.Sessions.NewName("cpu"))
}

// Private is a conversation of which nothing is written: the one that is shown where that is
// one and empty, else a new one.
func (c *Chats) Private() *conversation.Conversation {
	if conv := c.shown; conv != nil && conv.Private() && conv.Empty() {
		return conv
	}
	name := c.parts.Sessions.NewName("cpu")
	c.parts.Library.SetPrivate(name)
	return conversation.NewPrivate(name)
}

// IsPrivate reports whether nothing of a conversation is written, by its kind or by a
// setting. Any goroutine.
func (c *Chats) IsPrivate(conv *conversation.Conversation) bool {
	return conv.Private() || c.parts.Library.IsPrivate(conv.Name)
}

// Named is the conversation of a session. One that was not open has to be loaded.
func (c *Chats) Named(name string) (conv *conversation.Conversation, open bool) {
	if conv := c.open[name]; conv != nil {
		return conv, true
	}
	conv = conversation.New(name)
	conv.BeginLoading(c.parts.Library.IsPrivate(name))
	c.Drafts.restore(conv, name)
	return conv, false
}

// Open is the conversation of a session where it is open; else nil.
func (c *Chats) Open(name string) *conversation.Conversation { return c.open[name] }

// Drop lets go of a conversation: its session is another one now, or none.
func (c *Chats) Drop(name string) { delete(c.open, name) }

// Asking are the sessions with a question that waits for the user's answer.
func (c *Chats) Asking() map[string]bool {
	asking := map[string]bool{}
	for name, conv := range c.open {
		if conv.Asks() {
			asking[name] = true
		}
	}
	return asking
}

// Changed says that a conversation has something new to be drawn. Any goroutine.
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
				c.host.Tell(i18n.T("Your choice couldn't be saved. It lasts until mac-stats quits."), err.Error())
			})
		}
	}()
}
