package discord

import (
	"slices"
	"sync"
	"time"
)

// people is who wanted to be forgotten.
type people struct {
	mu     sync.Mutex
	forgot map[string]time.Time // when somebody wanted to be forgotten
	clean  map[string]bool      // who was forgotten and has said nothing since
}

// forget notes that somebody wants to be forgotten.
func (pp *people) forget(user string) {
	pp.mu.Lock()
	defer pp.mu.Unlock()
	for id, at := range pp.forgot {
		if time.Since(at) > forgotFor {
			delete(pp.forgot, id)
			delete(pp.clean, id) // and looked for anew
		}
	}
	pp.forgot[user] = time.Now()
}

// cleaned notes whether nothing of somebody is left, until they are part of a
// conversation again; it reports whether that was so before.
func (pp *people) cleaned(user string, clean bool) (before bool) {
	pp.mu.Lock()
	defer pp.mu.Unlock()
	before = pp.clean[user]
	if clean {
		pp.clean[user] = true
	} else {
		delete(pp.clean, user)
	}
	return before
}

// forgotFor is how long it is known who wanted to be forgotten: nothing waits longer
// to be answered.
const forgotFor = 24 * time.Hour

// isForgotten reports whether an author of a job wanted to be forgotten since they wrote it.
func (pp *people) isForgotten(j *job) bool {
	return slices.ContainsFunc(j.authors(), func(id string) bool { return pp.hasForgotten(id, j.since) })
}

// hasForgotten reports whether somebody wanted to be forgotten since then.
func (pp *people) hasForgotten(user string, since time.Time) bool {
	pp.mu.Lock()
	defer pp.mu.Unlock()
	return pp.forgot[user].After(since)
}

// remembers notes that the transcript is going to hold something of its authors.
func (pp *people) remembers(j *job) {
	pp.mu.Lock()
	defer pp.mu.Unlock()
	for _, id := range j.authors() {
		delete(pp.clean, id)
	}
}
