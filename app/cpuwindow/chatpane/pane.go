// Package chatpane is the chat of the window: the shown conversation, the composer below it,
// the header above it, and their actions.
//
// Pane combines the packages chat, compose, find, slash and header and runs their actions: it
// switches conversations, sends messages, answers again, changes the agent or model, attaches
// files and searches. Package chats, which Pane owns, holds the conversations and their turns;
// Pane draws them, at most once a frame. The Host opens whatever lies outside the chat, such as
// another page, a file or a sheet. Everything runs on the UI goroutine; files are read off it.
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

// Host is what the chat needs from the window.
type Host interface {
	kit.Window
	Visible() bool // the window is on the screen
	OnChat() bool  // the chat is the shown page
	ShowChat()     // shows it
	Resized()      // the part below the conversation changed its height
	Escape()
	Notify(words, more string)
	Copy(text string)
	MachineMemory() uint64 // bytes; 0 if unknown
	// Act runs an action on files off the UI goroutine, then calls then or shows the error.
	Act(what string, action func(ctx context.Context) error, then func())
	ListChanged()            // the list of sessions may have changed; any goroutine
	ShowSession(name string) // shows the window too if it is hidden
	Ways
}

// Ways lead away from the chat.
type Ways interface {
	OpenList()  // opens the list of chats in a narrow window
	LeaveDemo() // offers the ways out of the demo
	OpenFile(path string)
	OpenLink(address string)
	OpenTranscript(session, path string)             // in the system's program for it
	ReadAt(in transcript.Info, block, phrase string) // in the viewer
	OpenSessionAt(session, block string)
	SessionTitle(name string) string // its name if it has no title
	Forget(session, block string)    // asks first
	Remember(line string)            // opens the sheet for it
	ChooseFile(title, confirm string, then func(path string))
	ChooseFolder(title, confirm string, then func(path string))
}

// Parts holds what the chat works on. All fields are required.
type Parts struct {
	chats.Parts
	Library   Library
	Files     Files
	Roster    Roster
	Memories  Memories
	Commands  func() []slash.Item
	Marks     func(text, phrase string) []prose.Mark            // finds a phrase in a text; any goroutine
	WordMarks func(query string) func(text string) []prose.Mark // finds the words of a search; UI goroutine
	Typing    func()                                            // called while the user types; background work pauses
	Image     func(ctx context.Context) ([]byte, error)         // reads an image from the clipboard
	HasFont   func(r rune) bool                                 // an installed font has the character; any goroutine; nil: unknown
	Demo      bool
	TurnOn    func(ctx context.Context, a registry.Agent) error // called off the UI goroutine; nil: agents can't be turned on here
}

// Library reads and changes transcripts. Its methods are called off the UI goroutine.
type Library interface {
	chats.Library
	UseVersion(ctx context.Context, name, id string) error
	Restore(ctx context.Context, name string) (session.Removed, error)
	KeepRemoved(ctx context.Context, name string) (session.Removed, error)
}

// Files reads the attachments of transcripts.
type Files interface {
	ReadAttachment(session string, a transcript.Attachment) ([]byte, error)
	AttachmentPath(session string, a transcript.Attachment) string
}

// Roster lists the agents and skills that a message can address.
type Roster interface {
	Agents() []registry.Agent
	Skills() []registry.Skill
}

// Memories reads and changes the memory files.
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
	seek    *seekTo // the place to scroll to once the chat is read; nil for none
	fonts   *missingFonts
	extra   string // the state for which the cards below the conversation were built
}

// New returns a chat that shows no conversation yet. s knows what is missing for an answer.
func New(h Host, parts Parts, s *setup.Setup) *Pane {
	parts.Parts.Library, parts.Parts.Memories = parts.Library, parts.Memories
	p := &Pane{host: h, parts: parts, setup: s, fonts: newMissingFonts(h, parts.HasFont)}
	p.Chats = chats.New(chatsHost{h, p}, parts.Parts)
	p.Choices = &Choices{host: h, parts: parts, setup: s, chats: p.Chats}
	p.Head = header.New(header.Actions{
		OpenList: h.OpenList, PickAgent: p.Choices.PickAgent, PickModel: p.Choices.PickModel, Options: p.Choices.ShowOptions,
		ExplainPrivate: p.explainPrivate, OpenFile: p.openTranscript, NewChat: p.NewChat, LeaveDemo: h.LeaveDemo,
	}, parts.Demo)
	p.Choices.head = p.Head
	m := messages{p}
	p.Compose = compose.NewComposer(func(text string) { p.Files.Submit(text) }, p.Stop, m.keepDraft)
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

// LowerHeight returns the height of the part below the conversation.
func (p *Pane) LowerHeight() float32 { return p.lower.MinSize().Height }

// Focus focuses the composer if the chat is visible.
func (p *Pane) Focus() {
	if p.host.OnChat() && p.host.Visible() {
		p.host.Canvas().Focus(p.Compose.Entry)
	}
}

// FocusChat shows the chat and focuses the composer.
func (p *Pane) FocusChat() {
	if !p.host.OnChat() {
		p.host.ShowChat()
	}
	p.Focus()
}
