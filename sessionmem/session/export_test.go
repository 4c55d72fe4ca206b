package session

import (
	"time"
)

// Access to unexported parts for tests of sessions, which use them through a store.

const (
	CommitSuffix = commitSuffix
	SaveAgain    = saveAgain
	SaveTime     = saveTime
)

// TrustSaves takes any change of a file for a finished save, see state.midSave.
func TrustSaves(f *Folder, trust bool) { f.trustSaves = trust }

// Between sets a function that is called between opening a transcript and writing to it.
func Between(f *Folder, do func()) { f.opened = do }

// FlushCheckpoint writes the text streamed so far.
func FlushCheckpoint(c *Checkpoint) { c.flush() }

// StopCheckpoint ends a checkpoint as the death of its process would.
func StopCheckpoint(c *Checkpoint) { c.stop() }

// DropJournal removes a session's journal.
func DropJournal(s *Session) error { return s.journal.Remove() }

// Known counts what a session's blocks hold in memory.
func Known(s *Session) int { return s.fold.Len() + s.index.Len() + len(s.texts.blocks) }

// MarkCheckpoint renames a checkpoint to say that its block is being appended.
func MarkCheckpoint(c *Checkpoint) { c.mark(true) }

// LimitFiles sets Config.MaxFileBytes.
func LimitFiles(f *Folder, most func() int64) { f.maxBytes = most }

// PassAnHour makes everything the sessions hold an hour older.
func PassAnHour(f *Folder) {
	for _, s := range f.all() {
		s.mu.Lock()
		s.used = s.used.Add(-time.Hour)
		s.last.seen = s.last.seen.Add(-time.Hour)
		s.mu.Unlock()
	}
}

// EndTurnInSteps is TurnLock.Unlock with do called before others may take the turn.
func EndTurnInSteps(l *TurnLock, do func()) {
	l.setHolds(false)
	do()
	l.ses.held.Store(nil)
	l.lock.Release()
}

// InTurn counts the blocks kept for the turn.
func InTurn(s *Session) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.inTurn)
}
