// Package chatpane is the chat of the window: the conversation that is shown, where people
// write, the header above it, and what they do there.
//
// Pane puts chat, compose, find, slash and header together and does what is asked of them:
// it shows another conversation, sends, answers again, chooses, attaches, finds. The
// conversations and their turns are of package chats, which Pane owns; their events are
// drawn here, by one call a frame. Where something leads elsewhere (another page, a file, a
// sheet) the Host does it. All of it belongs to the UI goroutine; files are read off it.
package chatpane

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"mac-stats/agents/registry"
	"mac-stats/app/cpuwindow/chat"
	"mac-stats/app/cpuwindow/chats"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/find"
	"mac-stats/app/cpuwindow/header"
	"mac-stats/app/cpuwindow/setup"
	"mac-stats/app/cpuwindow/slash"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// Host is what the chat needs of the window.
type Host interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // ends with the window
	Canvas() fyne.Canvas
	Visible() bool // the window is on the screen
	OnChat() bool  // the chat is the page that is shown
	ShowChat()     // makes it so
	Resized()      // what is below the conversation has another height
	Escape()
	Tell(words, more string)
	Copy(text string)
	MachineMemory() uint64 // bytes; 0: not known
	// Act runs an action on files off the UI goroutine; then, or what went wrong is told.
	Act(what string, action func(ctx context.Context) error, then func())
	ListChanged()            // the sessions may be others; any goroutine
	ShowSession(name string) // the window too, where it is hidden
	Ways
}

// Ways lead away from the chat.
type Ways interface {
	OpenList()  // of the chats, in a narrow window
	LeaveDemo() // asks how
	OpenFile(path string)
	OpenLink(address string)
	OpenTranscript(session, path string)             // in the program for it
	ReadAt(in transcript.Info, block, phrase string) // in the viewer
	OpenSessionAt(session, block string)
	SessionTitle(name string) string // its name where it has none
	Forget(session, block string)    // asks
	Remember(line string)            // asks how
	ChooseFile(title, confirm string, then func(path string))
	ChooseFolder(title, confirm string, then func(path string))
}

// Parts is what the chat works on; all is required.
type Parts struct {
	chats.Parts
	Library  Library
	Files    Files
	Roster   Roster
	Memories Memories
	Commands func() []slash.Item
	Marks    func(text, phrase string) []prose.Mark // where a phrase stands; any goroutine
	Typing   func()                                 // somebody types: work in the background steps back
	Image    func(ctx context.Context) ([]byte, error)
	Demo     bool
}

// Library changes what a transcript says. Off the UI goroutine.
type Library interface {
	chats.Library
	UseVersion(ctx context.Context, name, id string) error
	Restore(ctx context.Context, name string) (session.Removed, error)
	KeepRemoved(ctx context.Context, name string) (session.Removed, error)
}

// Files is the attachments of transcripts.
type Files interface {
	ReadAttachment(session string, a transcript.Attachment) ([]byte, error)
	AttachmentPath(session string, a transcript.Attachment) string
}

// Roster is who can be asked.
type Roster interface {
	Agents() []registry.Agent
	Skills() []registry.Skill
}

// Memories is the memory files.
type Memories interface {
	chats.Memories
	InboxPath() string
}

// Pane is the chat on the screen.
type Pane struct {
	Object  *fyne.Container
	Chats   *chats.Chats
	Choices *Choices
	Head    *header.Header
	View    *chat.View
	Compose *compose.Composer
	Foot    *compose.Foot
	Find    *find.Find
	Slash   *slash.Menu
	host    Host
	parts   Parts
	setup   *setup.Setup
	Files   *attachments
	queue   *compose.Queue
	lower   fyne.CanvasObject
	seek    *seekTo // where to bring the chat once it is read
	extra   string  // what the cards below the conversation were made for
}

// New is a chat in which no conversation is shown yet; s knows what is missing for an
// answer.
func New(h Host, parts Parts, s *setup.Setup) *Pane {
	parts.Parts.Library, parts.Parts.Memories = parts.Library, parts.Memories
	p := &Pane{host: h, parts: parts, setup: s}
	p.Chats = chats.New(chatsHost{h, p}, parts.Parts)
	p.Choices = &Choices{host: h, parts: parts, setup: s, chats: p.Chats}
	p.Head = header.New(header.Actions{
		OpenList: h.OpenList, PickAgent: p.Choices.PickAgent, PickModel: p.Choices.PickModel, Options: p.Choices.ShowOptions,
		ExplainPrivate: p.explainPrivate, OpenFile: p.openTranscript, NewChat: p.NewChat, LeaveDemo: h.LeaveDemo,
	}, parts.Demo)
	p.Choices.head = p.Head
	m := messages{p}
	p.Compose = compose.NewComposer(p.Send, p.Stop, m.keepDraft)
	p.Compose.Keys.OnEscape = h.Escape
	p.Compose.Keys.OnScroll = func(k *fyne.KeyEvent) { p.View.Port.TypedKey(k) }
	p.Compose.Keys.OnUp = m.editLast
	p.Compose.Check = p.Choices.tooLong
	p.Compose.Resized = h.Resized
	p.Files = newAttachments(p)
	p.Slash = slash.NewMenu(p.Compose.Entry, m.slashItems, p.Put)
	p.Compose.Keys.OnMenu = p.Slash.Key
	p.Compose.OnText = func(text string) { p.Slash.Typed(text, !p.Compose.Keys.Pasted) }
	p.Foot = compose.NewFoot(func() { p.View.OpenSummary() })
	p.queue = compose.NewQueue(m.editQueued, m.dropQueued, m.sendNow, h.Resized)
	p.View = chat.New(m.actions())
	p.View.Port.OnEscape = h.Escape
	p.Find = find.New(finding{p}, p.View.Port)
	p.View.OnLaidOut = p.Find.LaidOut
	lower := kit.Centred(kit.ColumnMax, kit.Stack(kit.Gap8, p.queue.Box, p.Compose, p.Foot.Box))
	p.lower = container.New(kit.TightLayout{}, kit.Hairline(), kit.Inset(kit.Gap12, kit.Gap8, kit.Gap20, kit.Gap20, lower))
	p.Object = container.New(layout.NewBorderLayout(p.Find.Bar, p.lower, nil, nil), p.Find.Bar, p.View.Object, p.lower) // in the order of Tab
	return p
}

// LowerHeight is how high what is below the conversation is.
func (p *Pane) LowerHeight() float32 { return p.lower.MinSize().Height }

// Focus gives the composer the keyboard, where the chat is seen.
func (p *Pane) Focus() {
	if p.host.OnChat() && p.host.Visible() {
		p.host.Canvas().Focus(p.Compose.Entry)
	}
}

// FocusChat is Focus from whatever page.
func (p *Pane) FocusChat() {
	if !p.host.OnChat() {
		p.host.ShowChat()
	}
	p.Focus()
}
