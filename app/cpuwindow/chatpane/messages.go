package chatpane

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/chat"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/header"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/overlay"
	"mac-stats/sessionmem/transcript"
)

// messages implements the actions on single messages of the shown conversation: those in the
// chat, in the queue and in the composer.
type messages struct{ *Pane }

// actions returns what the rows of the chat can do.
func (m messages) actions() chat.Actions {
	p := m.Pane
	shown := p.Chats.Shown
	decided := p.Chats.Decisions
	return chat.Actions{
		MessageActions: chat.MessageActions{
			CopyAnswer:  func(key string) { p.host.Copy(shown().AnswerText(key)) },
			AnswerAgain: m.answerAgain, AnswerWith: m.answerWith, UseVersion: m.useVersion,
			StartEdit: m.startEdit, EditMessage: m.edit,
			ForgetMessage: func(block string) { p.host.Forget(shown().Name, block) },
			Remember:      p.host.Remember, ShowLinks: m.showLinks, OpenRecalled: m.openRecalled, DecideRemoved: m.decideRemoved,
		},
		TurnActions: chat.TurnActions{
			Retry: m.retry, GoOn: m.askToContinue,
			StopCall: func(id string) { shown().StopCall(id) },
			Answer:   func(id string, answer agents.Answer) { shown().Answer(id, answer) },
			Pull:     p.setup.Puller.Start, Recheck: p.setup.Recheck, UseModel: m.useModel, SendWithoutImages: m.sendWithoutImages, EditInComposer: m.rewrite, TurnOn: m.turnOn(),
		},
		MemoryActions: chat.MemoryActions{
			Undo:       func(key, id string) { decided.Undo(shown(), key, id) },
			Decide:     func(key, id string, save bool) { decided.Decide(shown(), key, id, save) },
			SaveEdited: func(key, id, text string) { decided.SaveEdited(shown(), key, id, text) },
			OpenInbox:  func() { p.host.OpenFile(p.parts.Memories.InboxPath()) },
			OpenMemory: m.openMemory,
		},
		CopyText: p.host.Copy,
		ShowMenu: func(items []*fyne.MenuItem, below fyne.CanvasObject) {
			kit.ShowMenu(fyne.NewMenu("", items...), below, p.host.Canvas())
		},
		ShowOlder: p.showOlder, TypeInto: p.Type, FocusComposer: p.Focus, OpenLink: p.host.OpenLink,
		OpenFolder: func() { p.host.OpenFile(p.parts.Home) },
		Files:      p.Files.Actions,
	}
}

// Type shows the chat and types a letter into the message.
func (p *Pane) Type(r rune) {
	p.host.ShowChat()
	p.Focus()
	p.Compose.Entry.TypedRune(r)
}

// Regenerate answers the last message again.
func (p *Pane) Regenerate() {
	if id, _ := p.Chats.Shown().LastUser(); id != "" {
		messages{p}.retry(conversation.Fault{UserID: id})
	}
}

// retry runs a failed turn again.
func (m messages) retry(f conversation.Fault) {
	c := m.Chats.Shown()
	switch {
	case c.Busy():
	case f.Replaces != "":
		m.edit(f.Replaces, f.Text)
	default:
		if m.Chats.Turns.Retry(c, f); f.UserID != "" {
			m.View.Port.ToEnd()
		}
	}
}

// turnOn returns what turns on the agent of a refused message and answers it again.
func (m messages) turnOn() func(f conversation.Fault) {
	if m.parts.TurnOn == nil {
		return nil
	}
	return func(f conversation.Fault) {
		go func() {
			err := m.parts.TurnOn(m.host.Context(), *f.Off)
			m.host.Do(func() {
				if err != nil {
					m.host.Notify(i18n.Capital(err.Error()), "")
					return
				}
				m.retry(f)
			})
		}()
	}
}

// showLinks opens a menu of an answer's links, for use by keyboard.
func (m messages) showLinks(key string, below fyne.CanvasObject) {
	menu := fyne.NewMenu("")
	seen := map[string]bool{}
	for _, leaves := range m.Chats.Shown().AnswerLeaves(key) {
		markdown.EachLink(leaves, func(words, url string) {
			if seen[url] || len(menu.Items) == 30 {
				return
			}
			seen[url] = true
			label := i18n.Shorten(words, 40)
			if !strings.Contains(url, strings.TrimSuffix(words, "…")) {
				label += "  ·  " + i18n.Shorten(url, 60)
			}
			menu.Items = append(menu.Items, fyne.NewMenuItem(label, func() { m.host.OpenLink(url) }))
		})
	}
	kit.ShowMenu(menu, below, m.host.Canvas())
}

// answerAgain answers a message again. Later messages leave the conversation, so it asks first
// if there are any.
func (m messages) answerAgain(block string) {
	m.confirmAgain(block, func() { m.retry(conversation.Fault{UserID: block}) })
}

// answerWith answers a message again with a model that the user chooses from a menu.
func (m messages) answerWith(block string, below fyne.CanvasObject) {
	kit.ShowMenu(header.ModelMenu(m.setup.Models(), m.Chats.Shown().Chosen().Model, func(model string) {
		m.confirmAgain(block, func() { m.useModel(model, conversation.Fault{UserID: block}) })
	}), below, m.host.Canvas())
}

// confirmAgain calls do, after a confirmation if messages would leave the conversation.
func (m messages) confirmAgain(block string, do func()) {
	n := m.Chats.Shown().MessagesAfter(block)
	if n <= 1 {
		do()
		return
	}
	overlay.Confirm(m.host.Canvas(), i18n.T("Answer this message again?"), i18n.With("{{.N}} The conversation goes on from the new answer.", i18n.Places{"N": leavesWords(n)}), kit.ButtonPrimary, i18n.T("Answer again"), do)
}

// leavesWords returns how many messages a new branch leaves behind, as a sentence.
func leavesWords(n int) string {
	return i18n.With("The {{.Messages}} after it leave the conversation. They stay in the transcript.", i18n.Places{"Messages": i18n.Count("{{.N}} messages", n)})
}

// useVersion continues the conversation with another version of a message.
func (m messages) useVersion(id string, back bool) {
	c := m.Chats.Shown()
	if c.Busy() {
		m.host.Notify(i18n.T("Another version can be shown when the answer is done"), i18n.T("Stop it (Esc) to go there now."))
		return
	}
	_, byKey := m.host.Canvas().Focused().(*kit.Button)
	m.host.Act(i18n.T("Showing another version"), func(ctx context.Context) error {
		if err := m.parts.Library.UseVersion(ctx, c.Name, id); err != nil {
			return err
		}
		return m.Chats.Reread(ctx, c)
	}, func() {
		if m.Chats.Shown() != c {
			return
		}
		v := c.View(time.Now())
		m.View.Port.ChangeInPlace(func() { m.Draw(v) })
		if byKey {
			m.View.FocusVersion(m.host.Canvas(), id, back)
		}
	})
}

// edit sends a changed message in place of an earlier one.
func (m messages) edit(block, text string) {
	c := m.Chats.Shown()
	if c.Busy() {
		m.host.Notify(i18n.T("This message can be sent when the answer is done"), i18n.T("Stop it (Esc) to send it now."))
		return
	}
	m.Chats.Turns.Edit(c, block, text)
	m.View.Port.ToEnd()
	m.Focus()
}

// editLast opens the newest message for editing.
func (m messages) editLast() {
	if key := m.Chats.Shown().LastEditable(); key != "" && !m.View.Expanded[key] {
		m.View.Toggle(key)
	}
}

// startEdit scrolls to the field of a message being edited and focuses it, once it is on the
// screen.
func (m messages) startEdit(r *chat.EditRow) {
	m.host.Do(func() {
		m.View.Port.RevealRow(r)
		m.host.Canvas().Focus(r.Entry)
		r.Entry.CursorRow = strings.Count(r.Entry.Text, "\n")
		r.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
	})
}

// useModel sets the model of the conversation and runs the turn again.
func (m messages) useModel(model string, f conversation.Fault) {
	if c := m.Chats.Shown(); !c.Busy() {
		m.Choices.useModel(c, model)
		m.retry(f)
	}
}

// sendWithoutImages sends a refused message again without its images.
func (m messages) sendWithoutImages(f conversation.Fault) {
	c := m.Chats.Shown()
	if c.Busy() {
		return
	}
	files := slices.DeleteFunc(c.FilesSent(), func(f conversation.File) bool { return f.Attachment().Image })
	c.SendFiles(files)
	if f.Text == "" && len(files) == 0 {
		m.rewrite(f)
		return
	}
	m.retry(f)
}

// decideRemoved restores what another program removed from the shown conversation, or accepts
// the removal.
func (m messages) decideRemoved(restore bool) {
	c := m.Chats.Shown()
	what, decide := i18n.T("Keep removed"), m.parts.Library.KeepRemoved
	if restore {
		what, decide = i18n.T("Restore"), m.parts.Library.Restore
	}
	m.host.Act(what, func(ctx context.Context) error {
		_, err := decide(ctx, c.Name)
		return err
	}, func() {
		if m.Chats.Shown() == c {
			m.Chats.Reload()
		}
	})
}

// openMemory opens a memory file, named by its path in the agents folder.
func (m messages) openMemory(name string) {
	if local := filepath.FromSlash(name); filepath.IsLocal(local) {
		m.host.OpenFile(filepath.Join(m.parts.Home, "agents", local))
	}
}

// openRecalled opens the message that a recalled note comes from. If there are several, it
// shows a menu.
func (m messages) openRecalled(notes []agents.RecalledNote, below fyne.CanvasObject) {
	menu := fyne.NewMenu("")
	seen := map[string]bool{}
	for _, n := range notes {
		place := n.Session + "/" + n.Block
		if seen[place] {
			continue
		}
		seen[place] = true
		menu.Items = append(menu.Items, fyne.NewMenuItem(recalledWords(n, m.host.SessionTitle(n.Session)), func() { m.host.OpenSessionAt(n.Session, n.Block) }))
	}
	if len(menu.Items) == 1 {
		menu.Items[0].Action()
		return
	}
	kit.ShowMenu(menu, below, m.host.Canvas())
}

// recalledWords returns the menu label of a note: the conversation's title, date and text.
func recalledWords(n agents.RecalledNote, title string) string {
	words := i18n.Shorten(title, 40)
	if !n.Time.IsZero() {
		words += " · " + i18n.ShortDate(n.Time.Local(), time.Time{})
	}
	if n.Text != "" {
		words += "  ·  " + i18n.Shorten(strings.Join(strings.Fields(transcript.PlainText(n.Text)), " "), 50)
	}
	return words
}
