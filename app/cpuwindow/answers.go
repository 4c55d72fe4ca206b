package cpuwindow

import (
	"image"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/chat"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/overlay"
	"mac-stats/sessionmem/transcript"
)

// showLinks opens a menu of an answer's links: the way to them without a mouse.
func (w *Window) showLinks(key string, below fyne.CanvasObject) {
	m := fyne.NewMenu("")
	seen := map[string]bool{}
	for _, leaves := range w.shown.AnswerLeaves(key) {
		markdown.EachLink(leaves, func(words, url string) {
			if seen[url] || len(m.Items) == 30 {
				return
			}
			seen[url] = true
			label := i18n.Shorten(words, 40)
			if !strings.Contains(url, strings.TrimSuffix(words, "…")) {
				label += "  ·  " + i18n.Shorten(url, 60)
			}
			m.Items = append(m.Items, fyne.NewMenuItem(label, func() { w.openLink(url) }))
		})
	}
	kit.ShowMenu(m, below, w.win.Canvas())
}

// answerAgain has a message answered anew. What was said after the answer leaves
// the conversation, so it is asked about.
func (w *Window) answerAgain(block string) {
	w.againAfterAsking(block, func() { w.retry(conversation.Fault{UserID: block}) })
}

func (w *Window) againAfterAsking(block string, do func()) {
	n := w.shown.MessagesAfter(block)
	if n <= 1 {
		do()
		return
	}
	overlay.Confirm(w.win.Canvas(), i18n.T("Answer this message again?"), i18n.With("{{.N}} The conversation goes on from the new answer.", i18n.Places{"N": leavesWords(n)}), i18n.T("Answer again"), do)
}

// leavesWords says what a branch means for what came later.
func leavesWords(n int) string {
	return i18n.With("The {{.Messages}} after it leave the conversation. They stay in the transcript.", i18n.Places{"Messages": i18n.Count("{{.N}} messages", n)})
}

// editMessage sends a message again with other words, in its place.
func (w *Window) editMessage(block, text string) {
	c := w.shown
	if c.Busy() {
		w.tell(i18n.T("This message can be sent when the answer is done"), i18n.T("Stop it (Esc) to send it now."))
		return
	}
	files := c.BeginEdit(block, text, time.Now())
	req := agents.Request{Session: c.Name, Edit: block, Text: text, Holder: holder}
	address(w, &req)
	req.Text = transcript.WithLinks(req.Text, files...)
	c.TakeChosen(&req)
	w.start(c, req)
	w.chat.Port.ToEnd()
	w.focusComposer()
}

// editLast opens the newest message for editing.
func (w *Window) editLast() {
	if key := w.shown.LastEditable(); key != "" && !w.chat.Expanded[key] {
		w.chat.Toggle(key)
	}
}

// turnedBack reads a conversation again whose branch was not begun: what is on disk
// is what counts, the error stays below it.
func (w *Window) turnedBack(c *conversation.Conversation) {
	t, err := w.parts.sessions.Load(w.ctx, c.Name)
	if err != nil {
		return // the error card says what was to be sent
	}
	c.FillBelowError(t)
}

// startEdit gives the focus to a field that is on the screen a moment later, all of
// it in sight.
func (w *Window) startEdit(r *chat.EditRow) {
	w.p.Do(func() {
		w.chat.Port.RevealRow(r)
		w.win.Canvas().Focus(r.Entry)
		r.Entry.CursorRow = strings.Count(r.Entry.Text, "\n")
		r.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
	})
}

// fileActions is what the files of a session's messages can do.
func (w *Window) fileActions(session string) chat.FileActions {
	reader := func(a transcript.Attachment) func() ([]byte, error) {
		if data, ok, err := chat.Inline(a); ok {
			return func() ([]byte, error) { return data, err }
		}
		if c := w.convs[session]; c != nil {
			if data, ok := c.HeldFile(a.File); ok {
				return func() ([]byte, error) { return data, nil }
			}
		}
		return func() ([]byte, error) { return w.parts.keeper.ReadAttachment(session, a) }
	}
	act := chat.FileActions{
		Thumb: func(a transcript.Attachment, done func(image.Image, error)) {
			read := reader(a)
			if img, ok := w.thumbs.Get(a.File); ok {
				done(img, nil)
				return
			}
			w.thumbs.Load(read, a, func(img image.Image, err error) { w.p.Do(func() { done(img, err) }) })
		},
		Open: func(a transcript.Attachment) {
			if _, ok, _ := chat.Inline(a); ok {
				w.tell(i18n.With("{{.Name}} has no file of its own", i18n.Places{"Name": a.Name}), i18n.T("The picture stands in the text of the answer."))
				return
			}
			path := w.parts.keeper.AttachmentPath(session, a)
			if path == "" {
				w.tell(i18n.With("{{.Name}} is in memory only", i18n.Places{"Name": a.Name}), i18n.T("Nothing of a private chat is written, so no other program can open it."))
				return
			}
			go func() {
				if _, err := w.parts.keeper.ReadAttachment(session, a); err != nil {
					w.p.Do(func() { w.tell(i18n.Capital(err.Error()), "") })
					return
				}
				w.openFile(path)
			}()
		},
	}
	act.Zoom = func(a transcript.Attachment) {
		read := reader(a)
		go func() {
			data, err := read()
			var img image.Image
			if err == nil {
				img, err = chat.Large(data)
			}
			w.p.Do(func() {
				if err != nil {
					w.tell(i18n.Capital(err.Error()), "")
					return
				}
				overlay.ShowPicture(w.win.Canvas(), img, a.Name, func() { act.Open(a) })
			})
		}()
	}
	return act
}

// openMemory opens a memory file by its name below the agents folder.
func (w *Window) openMemory(name string) {
	if local := filepath.FromSlash(name); filepath.IsLocal(local) {
		w.openFile(filepath.Join(w.parts.home, "agents", local))
	}
}

// openRecalled opens the place of a note; of several a menu asks which.
func (w *Window) openRecalled(notes []agents.RecalledNote, below fyne.CanvasObject) {
	m := fyne.NewMenu("")
	seen := map[string]bool{}
	for _, n := range notes {
		place := n.Session + "/" + n.Block
		if seen[place] {
			continue
		}
		seen[place] = true
		m.Items = append(m.Items, fyne.NewMenuItem(w.recalledWords(n), func() { w.OpenSessionAt(n.Session, n.Block) }))
	}
	if len(m.Items) == 1 {
		m.Items[0].Action()
		return
	}
	kit.ShowMenu(m, below, w.win.Canvas())
}

// recalledWords is a note in a menu: the conversation's title, and what was said.
func (w *Window) recalledWords(n agents.RecalledNote) string {
	title := n.Session
	for _, in := range w.infos {
		if in.Name == n.Session && in.Title != "" {
			title = i18n.Shorten(in.Title, 40)
		}
	}
	if !n.Time.IsZero() {
		title += " · " + i18n.ShortDate(n.Time.Local(), time.Time{})
	}
	if n.Text != "" {
		title += "  ·  " + i18n.Shorten(strings.Join(strings.Fields(transcript.PlainText(n.Text)), " "), 50)
	}
	return title
}

// useModel chooses a model for the conversation and runs the turn again.
func (w *Window) useModel(model string, f conversation.Fault) {
	c := w.shown
	if c.Busy() {
		return
	}
	s := c.Chosen()
	s.Model = model
	w.choose(c, s)
	w.retry(f)
}

// sendBare sends a refused message again without its images.
func (w *Window) sendBare(f conversation.Fault) {
	c := w.shown
	if c.Busy() {
		return
	}
	files := slices.DeleteFunc(c.FilesSent(), func(p conversation.File) bool { return p.Attachment().Image })
	c.SendFiles(files)
	if f.Text == "" && len(files) == 0 {
		w.rewrite(f)
		return
	}
	w.retry(f)
}

// rewrite puts a refused message back into the composer, files and all.
func (w *Window) rewrite(f conversation.Fault) {
	c := w.shown
	if c.Busy() || w.compose.Entry.Text != "" {
		return // what is being written goes first
	}
	c.DropFailed()
	files := c.FilesSent()
	c.Attach(files)
	w.compose.SetText(f.Text)
	w.compose.SetFiles(files)
	w.keepDraft(f.Text)
	w.focusComposer()
	w.painter.changed(c)
}
