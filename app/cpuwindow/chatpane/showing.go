package chatpane

import (
	"fmt"
	"slices"
	"time"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/find"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/transcript"
)

// NewChat shows an empty chat and focuses the composer.
func (p *Pane) NewChat() {
	p.ShowFresh()
	p.toChat()
}

// ShowFresh shows an empty conversation. If the shown one is empty, it stays.
func (p *Pane) ShowFresh() {
	if c := p.Chats.Fresh(); c != p.Chats.Shown() {
		p.Show(c)
	}
}

// NewPrivateChat shows an empty private chat and focuses the composer.
func (p *Pane) NewPrivateChat() {
	if c := p.Chats.Private(); c != p.Chats.Shown() {
		p.Show(c)
	}
	p.toChat()
}

// OpenSession shows a session by name.
func (p *Pane) OpenSession(name string) {
	c, open := p.Chats.Named(name)
	p.Show(c)
	p.toChat()
	if open {
		p.Chats.Reload()
	} else {
		p.Chats.Load(c)
	}
}

// toChat shows the chat and focuses the composer.
func (p *Pane) toChat() {
	p.host.ShowChat()
	p.Chats.Changed(p.Chats.Shown())
	p.Focus()
}

// Show shows a conversation.
func (p *Pane) Show(c *conversation.Conversation) {
	if p.Chats.Shown() != c {
		p.Find.Close(false)
	}
	p.Chats.Show(c)
	if p.setup.Puller.Now().Err != nil {
		p.setup.Puller.Dismiss() // the error is shown once, in the chat that asked for the model
	}
	p.Compose.SetText(c.Draft())
	p.Compose.SetFiles(c.Attached())
	p.Compose.Warn("")
	p.markPrivate(c)
	p.Draw(c.View(time.Now()))
}

// Draw shows a view of the shown conversation.
func (p *Pane) Draw(v conversation.View) {
	p.View.Show(v)
	p.fonts.check(v)
	p.followSeek(v)
	p.Compose.SetBusy(v.Busy || p.Files.Reading(p.Chats.Shown()))
	p.queue.Show(v.Queue, v.Held)
	p.Foot.SetUsage(v.Usage, v.Summarised)
	p.drawExtra(v)
	p.DrawHeader()
}

// DrawHeader shows the title, agent and model of the conversation while the chat is shown.
func (p *Pane) DrawHeader() {
	if c := p.Chats.Shown(); c != nil && p.host.OnChat() {
		p.markPrivate(c)
		p.Choices.drawHeader()
	}
}

// drawExtra shows the cards of the first run or the greeting below the conversation.
func (p *Pane) drawExtra(v conversation.View) {
	fresh := len(v.Entries) == 0
	helpless := fresh || !p.setup.Seen() && !v.Busy && unanswered(v.Entries)
	key := fmt.Sprintln(v.Name, p.Chats.Shown().Private(), fresh, v.Loading, v.LoadErr, helpless, p.setup.Key()) // all that the cards depend on
	if key == p.extra {
		return // the same cards: keep the focus in them
	}
	p.extra = key
	rows := p.setup.Cards(helpless, !fresh)
	switch {
	case v.LoadErr != nil:
		rows = append([]*column.Placed{{Row: column.NewCardRow(kit.RoleHot, prose.NewParagraph(i18n.With("This conversation can't be read: {{.Error}}", i18n.Places{"Error": v.LoadErr.Error()}), kit.RoleText), prose.NewParagraph(i18n.T("The file is left as it is."), kit.RoleMuted)), Gap: kit.Gap12, Max: kit.ProseMax}}, rows...)
	case fresh && len(rows) == 0 && !v.Loading:
		rows = p.greeting()
	}
	p.View.SetExtra(rows)
}

// unanswered reports whether the last message has no answer.
func unanswered(entries []conversation.EntryView) bool {
	for _, e := range slices.Backward(entries) {
		switch e.Kind {
		case conversation.Error, conversation.User:
			return true
		case conversation.Answer:
			return false
		}
	}
	return false
}

// markPrivate shows in the header and the composer whether the chat is private.
func (p *Pane) markPrivate(c *conversation.Conversation) {
	hint := compose.Placeholder()
	switch {
	case c.Busy():
		hint = queueHint()
	case c.Private():
		hint = privateHint()
	}
	p.Compose.SetPlaceholder(hint)
	p.Head.SetPrivate(c.Private() && p.host.OnChat())
}

func (p *Pane) openTranscript() {
	if c := p.Chats.Shown(); c.Path() != "" {
		p.host.OpenTranscript(c.Name, c.Path())
	}
}

// showOlder reads and shows the blocks above those shown.
func (p *Pane) showOlder() {
	c := p.Chats.Shown()
	p.Chats.ReadOlder(c, func(t *transcript.Transcript) { c.Prepend(t) })
}

// DropForgotten drops what was forgotten, in this program or another.
func (p *Pane) DropForgotten(holds func(text string) bool) {
	if p.Chats.DropForgotten(holds) {
		p.Compose.SetText("")
	}
}

// chatsHost implements chats.Host.
type chatsHost struct {
	Host
	pane *Pane
}

// Draw implements chats.Host.
func (h chatsHost) Draw(v conversation.View) { h.pane.Draw(v) }

// Started implements chats.Host.
func (h chatsHost) Started(c *conversation.Conversation) {
	if c == h.pane.Chats.Shown() {
		h.pane.Compose.SetBusy(true)
	}
}

// Address implements chats.Host.
func (h chatsHost) Address(req *agents.Request) { messages{h.pane}.address(req) }

// NoServer implements chats.Host.
func (h chatsHost) NoServer() { h.pane.setup.Check() }

// finding implements find.Host.
type finding struct{ pane *Pane }

// Do implements find.Host.
func (f finding) Do(do func()) { f.pane.host.Do(do) }

// FindMarks implements find.Host.
func (f finding) FindMarks(text, phrase string) []prose.Mark { return f.pane.parts.Marks(text, phrase) }

// Older implements find.Host.
func (f finding) Older(then func([]find.Passage)) { f.pane.Chats.OlderMessages(then) }

// ShowFrom implements find.Host.
func (f finding) ShowFrom(block string) {
	c := f.pane.Chats.Shown()
	f.pane.Chats.ReadOlder(c, func(t *transcript.Transcript) { c.PrependFrom(t, block) })
}

// FindShown implements find.Host.
func (f finding) FindShown(on bool) {
	if f.pane.Object.Refresh(); !on {
		f.pane.Focus()
	}
}
