package chats

import (
	"time"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/sessionmem/transcript"
)

// holder is the name others see who wait for the session's lock.
const holder = "window"

// Turns sends messages and follows the turns they start.
type Turns struct{ chats *Chats }

// Send starts a turn in any conversation. If one is in progress there, it queues the message.
func (t *Turns) Send(c *conversation.Conversation, text string, files []conversation.File) {
	if c.Busy() {
		c.Enqueue(text, files)
		t.chats.Changed(c)
		return
	}
	req := agents.Request{Session: c.Name, Text: text, Holder: holder}
	c.SendFiles(files)
	t.chats.host.Address(&req)
	conversation.AddTo(&req, files)
	c.Begin(text, time.Now(), conversation.Attachments(files)...)
	t.start(c, req)
}

// SendNow sends a queued message: at once or, if an answer is in progress, after stopping
// that, which keeps the text that has arrived. It reports whether it started a turn.
func (t *Turns) SendNow(c *conversation.Conversation, id int) bool {
	if c.Busy() {
		c.ToFront(id)
		c.StopRun()
		return false
	}
	q, ok := c.Unqueue(id)
	if ok {
		t.chats.Drafts.Save()
		t.Send(c, q.Text, q.Files)
	}
	return ok
}

// Retry runs a failed turn again: from the message on disk or, if the message was never
// written, by sending it again.
func (t *Turns) Retry(c *conversation.Conversation, f conversation.Fault) {
	req := agents.Request{Session: c.Name, Holder: holder}
	if f.UserID == "" {
		c.DropFailed()
		c.Begin(f.Text, time.Now(), conversation.Attachments(c.FilesSent())...)
		req.Text = f.Text
		t.chats.host.Address(&req)
		conversation.AddTo(&req, c.FilesSent())
	} else {
		c.BeginAgain(f.UserID, time.Now())
		req.Retry = f.UserID
	}
	t.start(c, req)
}

// Edit sends a changed message in place of an earlier one.
func (t *Turns) Edit(c *conversation.Conversation, block, text string) {
	files := c.BeginEdit(block, text, time.Now())
	req := agents.Request{Session: c.Name, Edit: block, Text: text, Holder: holder}
	t.chats.host.Address(&req)
	req.Text = transcript.WithLinks(req.Text, files...)
	t.start(c, req)
}

func (t *Turns) start(c *conversation.Conversation, req agents.Request) {
	req.CanAsk = true
	c.AddChoice(&req)
	written := func() {
		if req.Settings != nil && req.Retry == "" {
			c.ChoiceWritten(*req.Settings)
		}
	}
	t.follow(c, t.chats.parts.Engine.Start(t.chats.host.Context(), req), written)
	t.chats.Changed(c)
	t.chats.host.Started(c)
}

// follow applies a run's events to its conversation until the run ends. It calls written
// once the message is on disk.
func (t *Turns) follow(c *conversation.Conversation, run conversation.Run, written func()) {
	c.SetRun(run)
	host := t.chats.host
	events := run.Events(host.Context())
	go func() {
		listed, began, last := false, time.Now(), agents.Event{}
		for ev := range events {
			last = ev
			c.Apply(ev)
			t.chats.Changed(c)
			if ev.Type == agents.EventQuestion {
				host.ListChanged()
				if ev.Question.Answer == "" {
					t.chats.notifyQuestion(c)
				}
			}
			if ev.Block != "" && !listed { // the message is on disk, so the session is too
				listed = true
				written()
				host.ListChanged()
			}
		}
		c.RunEnded(run)
		t.chats.notifyFinished(c, time.Since(began), last)
		t.readBranch(c)
		if c.LacksServer() {
			host.Do(host.NoServer) // the help below the error shows the present state
		}
		host.Do(func() {
			c.DropSentFiles()
			t.sendQueued(c)
		})
		host.ListChanged()
	}()
}

// readBranch reads a conversation after a run that should have started a branch. If it didn't,
// the conversation shows what is on disk, with the error and the unsent message below it. If
// it did, the conversation gets the versions that the branch belongs to.
func (t *Turns) readBranch(c *conversation.Conversation) {
	if c.TakeBranchFailure() {
		if tr, err := t.chats.read(c); err == nil {
			c.FillBelowError(tr)
		}
	}
	if c.Branched() {
		if tr, err := t.chats.read(c); err == nil { // the next reading reports the error
			c.TakeVersions(tr)
			t.chats.Changed(c)
		}
	}
}

// sendQueued sends the next queued message of a conversation whose turn has ended.
func (t *Turns) sendQueued(c *conversation.Conversation) {
	q, ok := c.NextQueued()
	t.chats.Drafts.Save()
	if ok {
		t.chats.open[c.Name] = c
		t.Send(c, q.Text, q.Files)
	}
	t.chats.Changed(c)
}
