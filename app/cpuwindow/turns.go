package cpuwindow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/chat"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/header"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// holder names the window to others who wait for the session.
const holder = "window"

// NewChat starts a chat and focuses the composer.
func (w *Window) NewChat() {
	w.freshChat()
	w.showChat()
}

func (w *Window) showChat() {
	w.root.closeDrawer()
	if w.page != pageChat {
		w.showPage(pageChat)
	}
	if w.visible {
		w.painter.changed(w.shown)
		w.drawList()
		w.focusComposer()
	}
}

// freshChat shows an empty conversation; one that is still empty is kept.
func (w *Window) freshChat() {
	if c := w.shown; c != nil && !c.Begun() && !c.Private() {
		return
	}
	for _, c := range w.convs {
		if !c.Begun() && !c.Private() { // with a draft: it is in no list, this is the way back to it
			w.setShown(c)
			return
		}
	}
	c := conversation.New(w.parts.sessions.NewName("cpu"))
	w.takeDraft(c, "")
	w.setShown(c)
}

// setShown changes what is shown. The run of the one before goes on into its own
// conversation.
func (w *Window) setShown(c *conversation.Conversation) {
	if w.shown != c {
		w.find.Close(false)
	}
	w.convs[c.Name] = c
	w.shown = c
	if w.setup.Puller.Now().Err != nil {
		w.setup.Puller.Dismiss() // told once, where it was asked for
	}
	w.forgetIdle()
	if w.visible {
		w.target.Store(c)
	}
	w.compose.SetText(c.Draft())
	w.compose.SetFiles(c.Attached())
	w.compose.Warn("")
	w.markPrivate(c)
	w.drawConversation(c.View(time.Now()))
}

// forgetIdle drops conversations that can be read again from disk: what the window
// holds does not grow with what was looked at.
func (w *Window) forgetIdle() {
	for name, c := range w.convs {
		if c == w.shown {
			continue
		}
		if c.Idle() {
			delete(w.convs, name)
		}
	}
}

// OpenSession shows a session by name.
func (w *Window) OpenSession(name string) {
	if c := w.convs[name]; c != nil {
		w.setShown(c)
		w.showChat()
		w.reloadShown()
		return
	}
	c := conversation.New(name)
	c.BeginLoading(w.parts.keeper.IsPrivate(name))
	w.takeDraft(c, name)
	w.setShown(c)
	w.showChat()
	w.load(c)
}

// load reads a conversation off the UI goroutine, and joins a run that is under
// way in this process.
func (w *Window) load(c *conversation.Conversation) {
	go func() {
		t, err := w.parts.sessions.Load(w.ctx, c.Name)
		switch {
		case err == nil:
			c.Fill(t)
			w.lookWaiting(c)
			w.lookRemoved(c)
		case errors.Is(err, sessionmem.ErrNotFound):
			c.Fail(nil) // nothing was said in it yet
		default:
			c.Fail(err)
		}
		w.p.Do(func() {
			if run := w.parts.turns.Active(c.Name); run != nil && !c.Busy() {
				w.follow(c, run)
			}
			w.painter.changed(c)
		})
	}()
}

// reloadShown reads the shown conversation again where another program wrote to it.
func (w *Window) reloadShown() {
	c := w.shown
	if c == nil || c.Busy() {
		return
	}
	turns := c.Turns()
	go func() {
		t, err := w.parts.sessions.Load(w.ctx, c.Name)
		if err != nil || c.Busy() {
			return
		}
		if c.Knows(t.Blocks) && !c.Differs(t.Blocks) {
			c.ChosenIn(t) // the command line, or an editor, may have changed it
		} else {
			c.FillSince(turns, t)
		}
		w.lookWaiting(c)
		w.lookRemoved(c)
		w.painter.changed(c)
	}()
}

// send starts a turn with what was written.
func (w *Window) send(text string) {
	if takeSlash(w, text) {
		return
	}
	c := w.shown
	files := c.TakeMessage()
	w.compose.SetText("")
	w.compose.SetFiles(nil)
	w.keepDrafts()
	if c.Busy() {
		c.Enqueue(text, files)
		w.painter.changed(c)
		return
	}
	w.sendTo(c, text, files)
	w.chat.Port.ToEnd()
}

func (w *Window) start(c *conversation.Conversation, req agents.Request) {
	req.CanAsk = true
	w.follow(c, w.parts.turns.Start(w.ctx, req))
	w.painter.changed(c)
	w.compose.SetBusy(true)
}

// follow brings a run's events to its conversation until the run ends.
func (w *Window) follow(c *conversation.Conversation, run conversation.Run) {
	c.Follow(run)
	events := run.Events(w.ctx)
	go func() {
		listed, began, last := false, time.Now(), agents.Event{}
		for ev := range events {
			last = ev
			c.Apply(ev)
			w.painter.changed(c)
			if ev.Type == agents.EventQuestion {
				w.listChanged()
				if ev.Question.Answer == "" {
					w.asks(c)
				}
			}
			if ev.Block != "" && !listed { // the message is on disk: so is the session
				listed = true
				w.listChanged()
			}
		}
		c.Ended(run)
		w.finished(c, time.Since(began), last)
		if c.WasTurnedBack() {
			w.turnedBack(c)
		}
		if c.Branched() {
			w.takeVersions(c)
		}
		if c.LacksServer() {
			w.p.Do(w.setup.Check) // so that the help below the error is of now
		}
		w.p.Do(func() {
			c.DropSent()
			w.sendQueued(c)
		})
		w.listChanged()
	}()
}

// stop ends the run of the shown conversation; what has arrived is kept.
func (w *Window) stop() {
	w.shown.StopRun()
}

// retry runs a turn again: from the block on disk, or by sending the text anew
// where nothing had been written.
func (w *Window) retry(f conversation.Fault) {
	c := w.shown
	if c.Busy() {
		return
	}
	if f.Edit != "" {
		w.editMessage(f.Edit, f.Text)
		return
	}
	if f.UserID == "" {
		c.DropFailed()
		c.Begin(f.Text, time.Now(), conversation.Attachments(c.FilesSent())...)
		req := agents.Request{Session: c.Name, Text: f.Text, Holder: holder}
		address(w, &req)
		c.AddTo(&req, c.FilesSent())
		c.TakeChosen(&req)
		w.start(c, req)
		return
	}
	c.BeginAgain(f.UserID, time.Now())
	req := agents.Request{Session: c.Name, Retry: f.UserID, Holder: holder}
	c.TellChosen(&req)
	w.start(c, req)
	w.chat.Port.ToEnd()
}

// askForRest asks for the rest of an answer that was cut short.
func (w *Window) askForRest() {
	if c := w.shown; !c.Busy() {
		w.sendTo(c, i18n.T("Continue where you stopped."), nil)
		w.chat.Port.ToEnd()
	}
}

// regenerate answers the last message anew.
func (w *Window) regenerate() {
	if id, _ := w.shown.LastUser(); id != "" {
		w.retry(conversation.Fault{UserID: id})
	}
}

func (w *Window) keepDraft(text string) {
	if w.shown != nil {
		w.shown.KeepDraft(text)
		w.keepDrafts()
		w.parts.recaller.Typing()
	}
}

// drawConversation swaps in what was prepared.
func (w *Window) drawConversation(v conversation.View) {
	w.chat.Show(v)
	w.followSeek(v)
	w.compose.SetBusy(v.Busy)
	w.queue.Show(v.Queue, v.Held)
	w.foot.SetUsage(v.Usage, v.Summarised)
	w.drawExtra(v)
	w.drawHeader()
}

// drawExtra puts first-run cards or the greeting below the conversation.
func (w *Window) drawExtra(v conversation.View) {
	fresh := len(v.Entries) == 0
	helpless := fresh || !w.setup.Seen() && !v.Busy && unanswered(v.Entries)
	key := fmt.Sprintln(v.Name, w.shown.Private(), fresh, v.Loading, v.LoadErr, helpless, w.setup.Key()) // all that the cards depend on
	if key == w.extraDrawn {
		return // the same cards: what has the focus in them keeps it
	}
	w.extraDrawn = key
	rows := w.setup.Cards(helpless, !fresh)
	switch {
	case v.LoadErr != nil:
		rows = append([]*column.Placed{{Row: column.NewCardRow(kit.RoleHot, prose.NewParagraph(i18n.With("This conversation can't be read: {{.Error}}", i18n.Places{"Error": v.LoadErr.Error()}), kit.RoleText), prose.NewParagraph(i18n.T("The file is left as it is."), kit.RoleMuted)), Gap: kit.Gap12, Max: kit.ProseMax}}, rows...)
	case fresh && len(rows) == 0 && !v.Loading:
		rows = w.greeting()
	}
	w.chat.SetExtra(rows)
}

// unanswered reports whether the last message got no answer.
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

func (w *Window) drawHeader() {
	if w.page != pageChat || w.shown == nil {
		return
	}
	c := w.shown
	w.markPrivate(c)
	s := c.Chosen()
	agent := cmp.Or(s.Agent, w.parts.config().Agents.Default, "orchestrator")
	w.head.ShowChat(c.Title(), agent, s, c.Path() != "")
}

func (w *Window) openTranscript() {
	if path := w.shown.Path(); path != "" {
		w.openTranscriptIn(w.shown.Name, path)
	}
}

func (w *Window) pickAgent() {
	c := w.shown
	chosen := cmp.Or(c.Chosen().Agent, w.parts.config().Agents.Default)
	go func() { // it reads files
		all := w.parts.roster.Agents()
		w.p.Do(func() {
			kit.ShowMenu(header.AgentMenu(all, chosen, func(slug string) {
				s := c.Chosen()
				s.Agent = slug
				w.choose(c, s)
			}), w.head.Agent, w.win.Canvas())
		})
	}()
}

func (w *Window) pickModel() {
	c := w.shown
	kit.ShowMenu(header.ModelMenu(w.setup.Models(), c.Chosen().Model, func(name string) {
		s := c.Chosen()
		s.Model = name
		w.choose(c, s)
	}), w.head.Model, w.win.Canvas())
}

func (w *Window) focusComposer() {
	if w.page == pageChat && w.visible {
		w.win.Canvas().Focus(w.compose.Entry)
	}
}

// undo takes back a memory.
func (w *Window) undo(key, id string) {
	c := w.shown
	go func() {
		_, err := w.parts.memories.Undo(w.ctx, id)
		c.Undone(key, err)
		w.painter.changed(c)
	}()
}

func (w *Window) chatActions() chat.Actions {
	return chat.Actions{
		CopyText:   func(t string) { w.p.App.Clipboard().SetContent(t) },
		CopyAnswer: func(key string) { w.p.App.Clipboard().SetContent(w.shown.AnswerText(key)) },
		Retry:      w.retry, GoOn: w.askForRest, AnswerAgain: w.answerAgain, AnswerWith: w.answerWith, UseVersion: w.useVersion, EditMessage: w.editMessage, ForgetMessage: w.forgetMessage, ShowLinks: w.showLinks,
		OpenTranscript: w.openTranscript, OpenMemory: w.openMemory, OpenRecalled: w.openRecalled, FocusComposer: w.focusComposer,
		StartEdit: w.startEdit,
		StopCall: func(id string) {
			w.shown.StopCall(id)
		},
		Answer: w.answerQuestion,
		Undo:   w.undo, Decide: w.decide, SaveEdited: w.saveEdited, SaveUnkept: w.saveUnkept, DecideRemoved: w.decideRemoved, OpenInbox: w.openInbox, Pull: w.setup.Puller.Start, Recheck: w.setup.Recheck, OpenLink: w.openLink,
		ShowOlder:  w.showOlder,
		TypeInto:   w.typeInto,
		OpenFolder: func() { w.openFile(w.parts.home) },
		Remember:   func(line string) { rememberLine(w, line) },
		ShowMenu: func(items []*fyne.MenuItem, below fyne.CanvasObject) {
			kit.ShowMenu(fyne.NewMenu("", items...), below, w.win.Canvas())
		},
		Files: w.fileActions, UseModel: w.useModel, SendBare: w.sendBare, Rewrite: w.rewrite,
	}
}

// greeting is what an empty chat shows.
func (w *Window) greeting() []*column.Placed {
	ask := func(text string) *kit.Button {
		b := kit.NewButton(kit.ButtonPlain, text, func() { w.send(text) })
		return b
	}
	if w.shown.Private() {
		return privateGreeting()
	}
	head := kit.Title(i18n.T("What shall we look at?"))
	rows := []*column.Placed{
		{Row: column.NewBoxRow(head), Gap: kit.Gap20},
		column.TextRow(i18n.T("Answers come from models on this machine. The conversation is kept as a text file you can open, edit and search."), kit.RoleMuted, kit.Gap4),
	}
	for _, q := range []string{i18n.T("What is using my CPU right now?"), i18n.T("How much disk space is left?"), i18n.T("Remember that I like short answers.")} {
		rows = append(rows, &column.Placed{Row: column.NewBoxRow(kit.Line(0, -1, ask(q))), Gap: kit.Gap8})
	}
	return append(rows, w.offerPrivate())
}

// showOlder reads and shows the blocks before those shown, once at a time.
func (w *Window) showOlder() {
	c := w.shown
	if !c.StartOlder() {
		return
	}
	w.readOlder(c, func(t *transcript.Transcript) { c.Prepend(t) })
}

// readOlder reads a transcript again and has more of it shown.
func (w *Window) readOlder(c *conversation.Conversation, show func(*transcript.Transcript)) {
	go func() {
		t, err := w.parts.sessions.Load(w.ctx, c.Name)
		if err == nil {
			show(t)
		}
		c.EndOlder()
		if err != nil {
			w.p.Do(func() {
				w.tell(i18n.With("Older messages can't be read: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
			})
		}
		w.painter.changed(c)
	}()
}
