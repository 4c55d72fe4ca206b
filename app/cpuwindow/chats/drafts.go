package chats

import (
	"maps"
	"path/filepath"
	"sync"
	"time"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
)

// draftsDelay is how long drafts wait to be written: keys come fast.
const draftsDelay = 500 * time.Millisecond

// drafts is what was written and not sent, kept over a restart in session/drafts.json:
// the draft in the composer and the messages that wait, by session. Nothing of
// what must stay in memory goes there. The file is small and not synced to the disk: it is
// worth less than a transcript.
type drafts struct {
	host  Host
	path  string
	kept  map[string]conversation.Kept // of sessions that were not opened yet
	timer *time.Timer
	taken int // UI goroutine

	mu      sync.Mutex // guards the file and the next
	written int
}

func newDrafts(h Host, p Parts) *drafts {
	path := filepath.Join(p.Home, "session", "drafts.json")
	return &drafts{host: h, path: path, kept: conversation.ReadDrafts(path, p.Forgotten)}
}

// forget takes out of the drafts what holds something.
func (d *drafts) forget(holds func(text string) bool) {
	for name, kept := range d.kept {
		if kept, changed := kept.Without(holds); changed {
			d.kept[name] = kept
		}
	}
}

// writer takes what is not sent as it is now; what it gives writes it, on any
// goroutine, unless something newer was written.
func (d *drafts) writer(unsent map[string]conversation.Kept) func() {
	all := maps.Clone(d.kept)
	maps.Copy(all, unsent)
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
				d.host.Tell(i18n.With("Couldn't save your draft: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("It will be lost if mac-stats quits before you send it."))
			})
		}
	}
}

// mayKeep reports whether anything of a conversation may be written.
func (c *Chats) mayKeep(conv *conversation.Conversation) bool {
	return !conv.Private() && !c.parts.Config().Session.InMemoryOnly
}

// takeDraft gives a conversation what was kept of it, once.
func (c *Chats) takeDraft(conv *conversation.Conversation, name string) {
	if kept, ok := c.drafts.kept[name]; ok && c.mayKeep(conv) {
		delete(c.drafts.kept, name)
		conv.RestoreDraft(kept)
	}
}

// KeepDrafts writes what is not sent, a moment later.
func (c *Chats) KeepDrafts() {
	if c.drafts.timer == nil {
		c.drafts.timer = time.AfterFunc(draftsDelay, func() { c.host.Do(func() { go c.draftsWriter()() }) })
		return
	}
	c.drafts.timer.Reset(draftsDelay)
}

// WriteDrafts writes what is not sent now; it returns when that is on disk.
func (c *Chats) WriteDrafts() { c.draftsWriter()() }

func (c *Chats) draftsWriter() func() {
	unsent := map[string]conversation.Kept{}
	for name, conv := range c.open {
		if k := conv.Unsent(); c.mayKeep(conv) && (k.Draft != "" || len(k.Queue) > 0) {
			if !conv.Begun() {
				name = "" // its name is given anew at the next start
			}
			unsent[name] = k
		}
	}
	return c.drafts.writer(unsent)
}
