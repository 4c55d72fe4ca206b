package sessionmem

import (
	"maps"
	"time"
)

// Rest lets go of what is kept in memory of sessions that nobody asked for within
// idle: their context and the ids of their blocks. The next use reads the
// transcript again. Sessions that are in memory alone stay, and so do those whose turn
// is running. It returns how many were let go of.
func (s *Store) Rest(idle time.Duration) int {
	s.mu.Lock()
	all := maps.Clone(s.sessions)
	s.mu.Unlock()
	rested := 0
	for _, ses := range all {
		if !ses.mu.TryLock() {
			continue // in use
		}
		if ses.idleFor(time.Now()) >= idle && ses.stat != nil && !ses.private.Load() && len(ses.inTurn) == 0 && len(ses.unsaved.blocks) == 0 {
			ses.forgetFile()
			rested++
		}
		ses.mu.Unlock()
	}
	return rested
}

// idleFor is how long ago the session was used or one of its blocks joined it.
func (ses *session) idleFor(now time.Time) time.Duration {
	used := ses.used
	if ses.last.seen.After(used) {
		used = ses.last.seen
	}
	return now.Sub(used)
}
