package cpuwindow

import (
	"maps"
	"path/filepath"
	"time"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
)

// What was written and not sent is kept over a restart, in session/drafts.json:
// the draft in the composer and the messages that wait, by session. Nothing of
// what must stay in memory goes there.

const (
	draftsDelay = 500 * time.Millisecond
)

func (w *Window) draftsPath() string { return filepath.Join(w.parts.home, "session", "drafts.json") }

// mayKeep reports whether anything of a conversation may be written.
func (w *Window) mayKeep(c *conversation.Conversation) bool {
	return !c.Private() && !w.parts.config().Session.InMemoryOnly
}

// takeDraft gives a conversation what was kept of it, once.
func (w *Window) takeDraft(c *conversation.Conversation, name string) {
	kept, ok := w.drafts[name]
	if !ok || !w.mayKeep(c) {
		return
	}
	delete(w.drafts, name)
	c.RestoreDraft(kept)
}

// keepDrafts writes what is not sent, a moment later: keys come fast.
func (w *Window) keepDrafts() {
	if w.draftsTimer == nil {
		w.draftsTimer = time.AfterFunc(draftsDelay, func() { w.p.Do(w.flushDrafts) })
		return
	}
	w.draftsTimer.Reset(draftsDelay)
}

// flushDrafts writes what is not sent. The file is small and not synced to the
// disk: it is worth less than a transcript.
func (w *Window) flushDrafts() { go w.draftsWriter()() }

// draftsWriter takes what is not sent as it is now; what it gives writes it, on any
// goroutine, unless something newer was written.
func (w *Window) draftsWriter() func() {
	all := maps.Clone(w.drafts)
	for name, c := range w.convs {
		if k := c.Unsent(); w.mayKeep(c) && (k.Draft != "" || len(k.Queue) > 0) {
			if !c.Begun() {
				name = "" // its name is given anew at the next start
			}
			all[name] = k
		}
	}
	path := w.draftsPath()
	w.draftsTaken++
	taken := w.draftsTaken
	return func() {
		w.draftsMu.Lock()
		defer w.draftsMu.Unlock()
		if taken < w.draftsWritten {
			return
		}
		w.draftsWritten = taken
		if err := conversation.WriteDrafts(path, all); err != nil {
			w.p.Do(func() {
				w.tell(i18n.With("Couldn't save your draft: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("It will be lost if mac-stats quits before you send it."))
			})
		}
	}
}
