package backend

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"sync"

	"mac-stats/agents/fault"
	"mac-stats/sessionmem/session"
)

// refusals tells of messages that the disk refuses. The store tells it while it
// holds a session's lock, so everything else is done on a goroutine of its own.
type refusals struct {
	mu    sync.Mutex
	queue []session.Refused
	wake  chan struct{} // 1 place
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

// unsavedNotice says what is not saved yet, why, and what becomes of it.
func unsavedNotice(u session.Refused) Notice {
	why := fault.ExplainWaiting(u)
	return Notice{Kind: NoticeUnsaved, Session: u.Session, Text: why.Sentence, Next: why.Next}
}

// rescueFolder is where messages that the data folder's disk refuses are kept
// meanwhile: in the cache folder, by the data folder they belong to.
func (st *start) rescueFolder() string {
	sum := sha256.Sum256([]byte(st.Paths.Home))
	return filepath.Join(st.Paths.Cache, "unsaved-"+hex.EncodeToString(sum[:6]))
}
