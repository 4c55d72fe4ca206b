package chats

import (
	"maps"
	"path/filepath"
	"sync"
	"time"

	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
)

// draftsDelay is how long Save waits for further key presses.
const draftsDelay = 500 * time.Millisecond

// Drafts saves what was written and not sent in session/drafts.json: the draft in the composer
// and the queued messages, by session. Nothing of a private conversation is saved. The file is
// small and not synced to the disk: losing it costs less than losing a transcript.
type Drafts struct {
	host   Host
	path   string
	config func() config.Config
	open   map[string]*conversation.Conversation
	saved  map[string]conversation.SavedDraft // drafts of sessions that weren't opened yet
	timer  *time.Timer
	taken  int // number of snapshots taken; UI goroutine

	mu      sync.Mutex // guards the file and written
	written int        // number of the snapshot in the file
}

// newDrafts reads the drafts; open holds the open conversations.
func newDrafts(h Host, p Parts, open map[string]*conversation.Conversation) *Drafts {
	path := filepath.Join(p.Home, "session", "drafts.json")
	return &Drafts{host: h, path: path, config: p.Config, open: open, saved: conversation.ReadDrafts(path, p.Forgotten)}
}

// forget removes drafts that hold forgotten text.
func (d *Drafts) forget(holds func(text string) bool) {
	for name, kept := range d.saved {
		if kept, changed := kept.Without(holds); changed {
			d.saved[name] = kept
		}
	}
}

// maySave reports whether anything of a conversation may be written.
func (d *Drafts) maySave(conv *conversation.Conversation) bool {
	return !conv.Private() && !d.config().Session.InMemoryOnly
}

// restore moves the draft saved for a session into its conversation.
func (d *Drafts) restore(conv *conversation.Conversation, name string) {
	if kept, ok := d.saved[name]; ok && d.maySave(conv) {
		delete(d.saved, name)
		conv.RestoreDraft(kept)
	}
}

// Save writes the drafts after a short delay.
func (d *Drafts) Save() {
	if d.timer == nil {
		d.timer = time.AfterFunc(draftsDelay, func() { d.host.Do(func() { go d.snapshot()() }) })
		return
	}
	d.timer.Reset(draftsDelay)
}

// Write writes the drafts before it returns.
func (d *Drafts) Write() { d.snapshot()() }

// snapshot takes the drafts as they are now. The function it returns writes them, on any
// goroutine, unless a newer snapshot was written.
func (d *Drafts) snapshot() (write func()) {
	all := maps.Clone(d.saved)
	for name, conv := range d.open {
		if k := conv.Unsent(); d.maySave(conv) && (k.Draft != "" || len(k.Queue) > 0) {
			if !conv.Begun() {
				name = "" // it gets another name at the next start
			}
			all[name] = k
		}
	}
	d.taken++
	taken := d.taken
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if taken < d.written {
			return
		}
		d.written = taken
		if err := conversation.WriteDrafts(d.path, all); err != nil {
			d.host.Do(func() {
				d.host.Notify(i18n.With("Couldn't save your draft: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("It will be lost if mac-stats quits before you send it."))
			})
		}
	}
}
