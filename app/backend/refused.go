package backend

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"sync"

	"mac-stats/agents/fault"
	"mac-stats/sessionmem/session"
)

// refusals passes on reports of messages that the disk refused. The store calls add while
// it holds a session's lock, so the rest runs on another goroutine.
type refusals struct {
	mu    sync.Mutex
	queue []session.Refused
	wake  chan struct{} // capacity 1
}

func newRefusals() *refusals { return &refusals{wake: make(chan struct{}, 1)} }

func (r *refusals) add(u session.Refused) {
	r.mu.Lock()
	r.queue = append(r.queue, u)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *refusals) take() []session.Refused {
	r.mu.Lock()
	defer r.mu.Unlock()
	queue := r.queue
	r.queue = nil
	return queue
}

// unsavedNotice describes what isn't saved yet, why, and what happens next.
func unsavedNotice(u session.Refused) Notice {
	why := fault.ExplainWaiting(u)
	return Notice{Kind: NoticeUnsaved, Session: u.Session, Text: why.Sentence, Next: why.Next}
}

// rescueFolder returns the folder in the cache that keeps messages while the data folder's
// disk refuses them. Each data folder has its own.
func (st *start) rescueFolder() string {
	sum := sha256.Sum256([]byte(st.Paths.Home))
	return filepath.Join(st.Paths.Cache, "unsaved-"+hex.EncodeToString(sum[:6]))
}
