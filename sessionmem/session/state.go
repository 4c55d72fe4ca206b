package session

import (
	"sync/atomic"
	"time"

	"mac-stats/sessionmem/journal"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/turn"
)

// state holds what this process knows of a session. The caller of its methods holds the session's
// lock; private, and fields that never change, may be read without it.
type state struct {
	files
	private  atomic.Bool // read without the lock, which an append may hold for long
	fresh    time.Time   // until then the session is known to have no file: its name is new
	turn     *turn.Turn
	mem      []transcript.Block // blocks of an in-memory session
	attached map[string][]byte  // attachments of an in-memory session, by file name

	known
	unsaved     unsaved
	journal     *journal.Journal
	holdsTurn   bool        // this process holds the turn: blocks are kept in inTurn
	inTurn      []turnBlock // written in that turn
	ignoreSaves bool        // appends don't wait for a save in progress
	last        joined      // the last block that joined the file, as this process saw it
	used        time.Time
}

// joined records when a block joined the file while this process knew the file.
type joined struct {
	seen time.Time // zero: none did
	time time.Time // the block's own
}

// isWithin reports whether this process saw the block being written less than limit ago. A
// clock that has jumped ahead since doesn't change that.
func (j joined) isWithin(limit time.Duration, now time.Time) bool {
	written := j.seen.Round(0).Sub(j.time).Abs() < time.Minute // it isn't an older block that was brought in
	return !j.seen.IsZero() && written && now.Sub(j.seen) < limit
}

// turnBlock is a block that was written in the running turn.
type turnBlock struct {
	block    transcript.Block
	after    uint64 // hash of the ID of the block before it; 0: none
	restored bool   // put back once: if it goes again, the user wants that
}

// remember records a block that was just written.
func (s *state) remember(b transcript.Block, now time.Time) {
	s.last = joined{now, b.Time}
	if !s.holdsTurn {
		return
	}
	t := turnBlock{block: b}
	if n := s.index.Len(); n > 1 {
		t.after = s.index.ID(uint32(n - 2)) //nolint:gosec // see branch.Index.Add
	}
	s.inTurn = append(s.inTurn, t)
}

// droppedInTurn returns the blocks of the running turn that a save dropped because its editor
// had read the file before they were written. Anything else a save removes is the user's
// decision. A block that steers the context is put back only if nothing stands behind its
// place: at the end, a reset or a rewind would cut off what others wrote meanwhile.
func (s *state) droppedInTurn() []transcript.Block {
	if !s.rewrote {
		return nil
	}
	s.rewrote = false
	var lost []transcript.Block
	atEnd := false // the dropped block was at the current end
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

// memInfo returns the Info of an in-memory session.
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

// idleFor returns how long ago the session was used or a block joined it.
func (s *state) idleFor(now time.Time) time.Duration {
	used := s.used
	if s.last.seen.After(used) {
		used = s.last.seen
	}
	return now.Sub(used)
}
