package conversation

import (
	"slices"
	"sync"
)

// Queued is a message that waits.
type Queued struct {
	Id    int
	Text  string
	Files []File // go with it
}

// unsent is what is written and not sent: the draft, the messages that wait, the files that
// go along. It knows nothing of what was said. Any goroutine may call any method.
type unsent struct {
	mu        sync.Mutex
	draft     string
	attached  []File // goes with the next message
	sentFiles []File // went with the last one
	queue     []Queued
	queueSeq  int
	held      bool // the queue goes on when the user says so
	now       bool // its first message goes next, however the turn ends
}

// allSent reports whether there is nothing unsent.
func (u *unsent) allSent() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.draft == "" && len(u.attached) == 0 && len(u.queue) == 0
}

// waiting are the messages that wait; held: they go on when the user says so.
func (u *unsent) waiting() (queue []Queued, held bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.queue, u.held
}

// next takes the message to send after a turn; idle: none is under way, well: it ended
// well.
func (u *unsent) next(idle, well bool) (q Queued, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.held = len(u.queue) > 0 && !u.now && !well
	if !idle || len(u.queue) == 0 || u.held {
		return Queued{}, false
	}
	u.now = false
	q = u.queue[0]
	u.queue = slices.Clone(u.queue[1:])
	return q, true
}

// Draft is what is written and not sent.
func (u *unsent) Draft() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.draft
}

// KeepDraft keeps what is written and not sent.
func (u *unsent) KeepDraft(text string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.draft = text
}

// Attached are the files that go with the next message.
func (u *unsent) Attached() []File {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.attached)
}

// Attach changes the files that go with the next message.
func (u *unsent) Attach(files []File) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.attached = files
}

// TakeMessage takes the files that go with a message that is sent; its draft is done.
func (u *unsent) TakeMessage() (files []File) {
	u.mu.Lock()
	defer u.mu.Unlock()
	files = u.attached
	u.draft, u.attached = "", nil
	return files
}

// FilesSent are the files that went with the last message.
func (u *unsent) FilesSent() []File {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.sentFiles)
}

// SendFiles notes the files that go with the message that is being sent.
func (u *unsent) SendFiles(files []File) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sentFiles = files
}

// RestoreDraft takes what was kept of it over a restart.
func (u *unsent) RestoreDraft(kept Kept) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.draft == "" {
		u.draft = kept.Draft
	}
	for _, text := range kept.Queue {
		u.queueSeq++
		u.queue = append(u.queue, Queued{Id: u.queueSeq, Text: text})
	}
	u.held = len(u.queue) > 0
}

// DropUnsent takes what holds something out of what is not sent yet. It reports
// whether the draft was.
func (u *unsent) DropUnsent(holds func(string) bool) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	kept := u.queue[:0:0]
	for _, q := range u.queue {
		if !holds(q.Text) {
			kept = append(kept, q)
		}
	}
	u.queue = kept
	if u.draft == "" || !holds(u.draft) {
		return false
	}
	u.draft = ""
	return true
}

// Unsent is what is written and not sent, to be kept over a restart.
func (u *unsent) Unsent() Kept {
	u.mu.Lock()
	defer u.mu.Unlock()
	k := Kept{Draft: u.draft}
	for _, q := range u.queue {
		k.Queue = append(k.Queue, q.Text)
	}
	return k
}

// HeldFile is the content of a file that may be on no disk yet.
func (u *unsent) HeldFile(file string) ([]byte, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, p := range slices.Concat(u.sentFiles, u.attached) {
		if p.Kept == nil && p.Attachment().File == file {
			return p.Upload.Data, true
		}
	}
	return nil, false
}

// Enqueue puts a message behind the answer that is under way.
func (u *unsent) Enqueue(text string, files []File) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.queueSeq++
	u.queue = append(u.queue, Queued{u.queueSeq, text, files})
	u.held = false
}

// Unqueue takes a message out of the queue.
func (u *unsent) Unqueue(id int) (q Queued, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := slices.IndexFunc(u.queue, func(q Queued) bool { return q.Id == id })
	if at < 0 {
		return Queued{}, false
	}
	q = u.queue[at]
	u.queue = slices.Delete(slices.Clone(u.queue), at, at+1)
	return q, true
}

// ToFront makes a message the next one, and lets it go on its own.
func (u *unsent) ToFront(id int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := slices.IndexFunc(u.queue, func(q Queued) bool { return q.Id == id })
	if at < 0 {
		return
	}
	first := u.queue[at]
	u.queue = slices.Insert(slices.Delete(slices.Clone(u.queue), at, at+1), 0, first)
	u.now = true
}
