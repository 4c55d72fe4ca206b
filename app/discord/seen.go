package discord

import (
	"context"
	"sync"
)

// seen is which messages were looked at, by this process or an earlier one.
type seen struct {
	*desk
	mu     sync.Mutex
	ids    map[string]bool
	recent []string // in ids, the oldest first
}

// isNew notes a message and reports whether it was not seen before, by this process
// or an earlier one.
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
