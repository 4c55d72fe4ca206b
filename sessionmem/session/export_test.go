package session

import "time"

// What the tests of sessions, which see them through a store, need of their inside.

const (
	CommitSuffix = commitSuffix
	SaveAgain    = saveAgain
	SaveTakes    = saveTakes
)

// TrustSaves takes what is in a file for what was saved, see state.midSave.
func TrustSaves(f *Folder, trust bool) { f.trustSaves = trust }

// Between is called between opening a transcript and writing to it.
func Between(f *Folder, do func()) { f.opened = do }

// FlushCheckpoint writes what was streamed so far.
func FlushCheckpoint(c *Checkpoint) { c.flush() }

// StopCheckpoint ends a checkpoint as the death of its process does.
func StopCheckpoint(c *Checkpoint) { c.stop() }

// DropJournal leaves nothing known of what a session was.
func DropJournal(s *Session) error { return s.journal.Remove() }

// Known counts what is held in memory of a session's blocks.
func Known(s *Session) int { return s.fold.Len() + s.index.Len() + len(s.texts.blocks) }

// MarkCheckpoint says in a checkpoint's name that its block is being appended.
func MarkCheckpoint(c *Checkpoint) { c.mark(true) }

// LimitFiles is Config.MaxFileBytes.
func LimitFiles(f *Folder, most func() int64) { f.maxBytes = most }

// PassAnHour makes everything that the sessions hold an hour older.
func PassAnHour(f *Folder) {
	for _, s := range f.all() {
		s.mu.Lock()
		s.used = s.used.Add(-time.Hour)
		s.last.seen = s.last.seen.Add(-time.Hour)
		s.mu.Unlock()
	}
}
