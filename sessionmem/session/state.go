package session

import (
	"sync/atomic"
	"time"

	"mac-stats/sessionmem/journal"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/turn"
)

// state is what this process knows of a session. Who uses it holds the session's lock; what
// never changes, and private, may be asked without.
type state struct {
	files
	private  atomic.Bool // asked for without the lock, which an append may hold for long
	fresh    time.Time   // until then the session is known to have no file: its name was just made
	turn     *turn.Turn
	mem      []transcript.Block // blocks of an in-memory session
	attached map[string][]byte  // attachments of an in-memory session, by file name

	known
	unsaved unsaved
	journal *journal.Journal
	inTurn  []turnBlock // written in the turn that this process holds
	anyway  bool        // what is appended now doesn't wait for a save in progress
	last    joined      // the block that joined the file last, as this process saw it
	used    time.Time
}

// joined is when a block joined the file while this process knew it.
type joined struct {
	seen time.Time // zero: none did
	time time.Time // that the block says
}

// turnBlock is a block that was written in the turn that is running.
type turnBlock struct {
	block    transcript.Block
	after    uint64 // hash of the id of the block in front of it; 0: none
	restored bool   // put back once: if it goes again, that is the user's will
}

// remember notes a block that was just written.
func (s *state) remember(b transcript.Block, now time.Time) {
	s.last = joined{now, b.Time}
	if s.turn.Holder().Who == "" {
		return
	}
	t := turnBlock{block: b}
	if n := s.index.Len(); n > 1 {
		t.after = s.index.ID(uint32(n - 2)) //nolint:gosec // see branch.Index.Add
	}
	s.inTurn = append(s.inTurn, t)
}

// droppedInTurn gives the blocks of the running turn that a save dropped: its editor had
// read the file before they were written. Whatever else a save removes is the user's
// decision. What steers the context is put back only where nothing stands behind its
// place by now: at the end, a reset or a rewind would cut off what others said meanwhile.
func (s *state) droppedInTurn() []transcript.Block {
	if !s.rewrote {
		return nil
	}
	s.rewrote = false
	var lost []transcript.Block
	atEnd := false // what is dropped stood at the end as it is now
	for i, t := range s.inTurn {
		if t.restored || s.taken(t.block.ID) {
			continue
		}
		s.inTurn[i].restored = true
		atEnd = atEnd || len(lost) == 0 && s.isLast(t.after)
		if atEnd || !t.block.Steers() {
			lost = append(lost, t.block)
		}
	}
	return lost
}

// memInfo is the Info of an in-memory session.
func (s *state) memInfo() transcript.Info {
	var sum transcript.Overview
	for _, b := range s.mem {
		sum.Add(b)
	}
	info := sum.Info("")
	info.Name = s.name
	info.Source, info.ID = transcript.SplitName(s.name)
	return info
}

// idleFor is how long ago the session was used or one of its blocks joined it.
func (s *state) idleFor(now time.Time) time.Duration {
	used := s.used
	if s.last.seen.After(used) {
		used = s.last.seen
	}
	return now.Sub(used)
}
