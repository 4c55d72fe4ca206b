package backend

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mac-stats/agents"
	"mac-stats/sessionmem"
)

// refusals tells of messages that the disk refuses. The store tells it while it
// holds a session's lock, so everything else is done on a goroutine of its own.
type refusals struct {
	mu    sync.Mutex
	queue []sessionmem.Refused
	wake  chan struct{} // 1 place
}

func newRefusals() *refusals { return &refusals{wake: make(chan struct{}, 1)} }

func (r *refusals) add(u sessionmem.Refused) {
	r.mu.Lock()
	r.queue = append(r.queue, u)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *refusals) take() []sessionmem.Refused {
	r.mu.Lock()
	defer r.mu.Unlock()
	queue := r.queue
	r.queue = nil
	return queue
}

// keepSaving tries again what the disk refused, and tells of it, until Close.
func (b *Backend) keepSaving() {
	b.work.Go(func() { b.Store.KeepSaving(b.ctx) })
	b.work.Go(func() {
		for {
			select {
			case <-b.ctx.Done():
				return
			case <-b.refused.wake:
				for _, u := range b.refused.take() {
					b.tellRefused(u)
				}
			}
		}
	})
}

// tellRefused keeps one notice a session while its messages wait for the disk.
func (b *Backend) tellRefused(u sessionmem.Refused) {
	b.mu.Lock()
	waited := slices.ContainsFunc(b.notices, func(n Notice) bool { return n.Kind == NoticeUnsaved && n.Session == u.Session })
	b.notices = slices.DeleteFunc(b.notices, func(n Notice) bool { return n.Kind == NoticeUnsaved && n.Session == u.Session })
	b.mu.Unlock()
	if u.Blocks > 0 {
		b.addNotice(unsavedNotice(u))
		return
	}
	if waited {
		b.notify.publish(Notice{Time: time.Now(), Kind: NoticeReload, Text: "what waited to be saved is on disk now"})
		b.SessionsChanged(u.Session)
	}
}

// unsavedNotice says what is not saved yet, why, and what becomes of it.
func unsavedNotice(u sessionmem.Refused) Notice {
	why := agents.ExplainWaiting(u)
	return Notice{Kind: NoticeUnsaved, Session: u.Session, Text: why.Sentence, Next: why.Next}
}

// rescueFolder is where messages that the data folder's disk refuses are kept
// meanwhile: in the cache folder, by the data folder they belong to.
func (b *Backend) rescueFolder() string {
	sum := sha256.Sum256([]byte(b.Paths.Home))
	return filepath.Join(b.Paths.Cache, "unsaved-"+hex.EncodeToString(sum[:6]))
}
