package sessionmem

import "time"

// What the tests that know the packages above this one need of its inside.

// TrustSaves takes what is in a file for what was saved, see Store.midSave.
func TrustSaves(s *Store) { s.trustSaves = true }

// FlushCheckpoint writes what was streamed so far.
func FlushCheckpoint(c *Checkpoint) { c.flush() }

// StopCheckpoint ends a checkpoint as the death of its process does.
func StopCheckpoint(c *Checkpoint) { c.stop() }

// PassAnHour makes everything that the store holds an hour older.
func PassAnHour(s *Store) {
	s.mu.Lock()
	for _, ses := range s.sessions {
		ses.mu.Lock()
		ses.used = ses.used.Add(-time.Hour)
		ses.last.seen = ses.last.seen.Add(-time.Hour)
		ses.mu.Unlock()
	}
	s.mu.Unlock()
}
