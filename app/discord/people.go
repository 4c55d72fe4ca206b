package discord

import (
	"slices"
	"sync"
	"time"
)

// people records who asked to be forgotten.
type people struct {
	mu     sync.Mutex
	forgot map[string]time.Time // when somebody asked to be forgotten
	clean  map[string]bool      // who was forgotten and has said nothing since
}

// forget records that somebody wants to be forgotten.
func (pp *people) forget(user string) {
	pp.mu.Lock()
	defer pp.mu.Unlock()
	for id, at := range pp.forgot {
		if time.Since(at) > forgotFor {
			delete(pp.forgot, id)
			delete(pp.clean, id) // to be checked again
		}
	}
	pp.forgot[user] = time.Now()
}

// cleaned records whether nothing about somebody is left, until they are part of a
// conversation again. It returns the previous value.
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

// forgotFor is how long a request to be forgotten is remembered. No message waits longer
// for an answer.
const forgotFor = 24 * time.Hour

// isForgotten reports whether an author of a job asked to be forgotten after writing it.
func (pp *people) isForgotten(j *job) bool {
	return slices.ContainsFunc(j.authors(), func(id string) bool { return pp.wasForgotten(id, j.since) })
}

// wasForgotten reports whether somebody asked to be forgotten since a time.
func (pp *people) wasForgotten(user string, since time.Time) bool {
	pp.mu.Lock()
	defer pp.mu.Unlock()
	return pp.forgot[user].After(since)
}

// noteRemembered records that the transcript will hold text by the job's authors.
func (pp *people) noteRemembered(j *job) {
	pp.mu.Lock()
	defer pp.mu.Unlock()
	for _, id := range j.authors() {
		delete(pp.clean, id)
	}
}
