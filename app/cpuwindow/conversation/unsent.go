package conversation

import (
	"slices"
	"sync"
)

// Queued is a message that waits to be sent.
type Queued struct {
	Id    int
	Text  string
	Files []File // sent with it
}

// unsent holds what was typed but not sent: the draft, the queued messages, and the
// attached files. Any goroutine may call any method.
type unsent struct {
	mu        sync.Mutex
	draft     string
	attached  []File // go with the next message
	sentFiles []File // went with the last message
	queue     []Queued
	queueSeq  int
	held      bool // the queue waits until the user resumes it
	now       bool // its first message goes next, however the turn ends
}

// allSent reports whether nothing is unsent.
func (u *unsent) allSent() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.draft == "" && len(u.attached) == 0 && len(u.queue) == 0
}

// waiting returns the queued messages, and whether they wait until the user resumes them.
func (u *unsent) waiting() (queue []Queued, held bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.queue, u.held
}

// next takes the message to send after a turn. idle means that no turn is under way, well
// that the last one ended well.
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

// Draft returns the text that was typed but not sent.
func (u *unsent) Draft() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.draft
}

// KeepDraft stores the text that was typed but not sent.
func (u *unsent) KeepDraft(text string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.draft = text
}

// Attached returns the files that go with the next message.
func (u *unsent) Attached() []File {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.attached)
}

// Attach sets the files that go with the next message.
func (u *unsent) Attach(files []File) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.attached = files
}

// TakeMessage takes the files that go with a message that is sent, and clears its draft.
func (u *unsent) TakeMessage() (files []File) {
	u.mu.Lock()
	defer u.mu.Unlock()
	files = u.attached
	u.draft, u.attached = "", nil
	return files
}

// FilesSent returns the files that went with the last message.
func (u *unsent) FilesSent() []File {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.sentFiles)
}

// SendFiles records the files that go with the message being sent.
func (u *unsent) SendFiles(files []File) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sentFiles = files
}

// RestoreDraft restores the draft and the queue that were saved before a restart.
func (u *unsent) RestoreDraft(kept SavedDraft) {
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

// DropUnsent removes the unsent texts for which holds is true. It reports whether the draft
// was one of them.
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

// Unsent returns the draft and the queue, to be saved over a restart.
func (u *unsent) Unsent() SavedDraft {
	u.mu.Lock()
	defer u.mu.Unlock()
	k := SavedDraft{Draft: u.draft}
	for _, q := range u.queue {
		k.Queue = append(k.Queue, q.Text)
	}
	return k
}

// UnsentFile returns the content of a file that may not be on disk yet.
func (u *unsent) UnsentFile(file string) ([]byte, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, p := range slices.Concat(u.sentFiles, u.attached) {
		if p.Stored == nil && p.Attachment().File == file {
			return p.Upload.Data, true
		}
	}
	return nil, false
}

// Enqueue appends a message to the queue, to be sent after the answer under way.
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

// ToFront makes a message the next one, to be sent without the user's confirmation.
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
