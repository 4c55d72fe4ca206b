package discord

import (
	"context"
	"sync"
)

// seen records which messages were processed, by this process or an earlier one.
type seen struct {
	*desk
	mu     sync.Mutex
	ids    map[string]bool
	recent []string // in ids, oldest first
}

// isNew records a message and reports whether neither this process nor an earlier one has
// seen it.
func (sn *seen) isNew(ctx context.Context, id string) bool {
	sn.mu.Lock()
	known := sn.ids[id]
	if !known {
		sn.ids[id] = true
		if sn.recent = append(sn.recent, id); len(sn.recent) > maxSeen {
			delete(sn.ids, sn.recent[0])
			sn.recent = sn.recent[1:]
		}
	}
	sn.mu.Unlock()
	if known {
		return false
	}
	before, err := sn.p.State.Seen(ctx, id)
	if err != nil {
		sn.log.Warn("whether a message was answered before can't be looked up", "message", id, "err", err)
		return true
	}
	return !before
}
