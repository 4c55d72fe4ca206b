package session

import (
	"slices"
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

// TurnGrace is how long a block written outside of a turn may have been in the making: it must
// not hold anything forgotten since.
const TurnGrace = 10 * time.Minute

// guard removes what was forgotten from a block that is about to be written: everything, if it
// is an old block that returns (its ID is known), otherwise what was forgotten while it was
// being made. What a person types again is theirs.
func (s *state) guard(b transcript.Block, anew bool) transcript.Block {
	t := s.forgotten.Traces()
	if t.Empty() {
		return b
	}
	out := b
	if !anew {
		var whole bool
		if out, whole, _ = t.Clean(s.name, b); whole {
			return out
		}
	}
	since := time.Now().Add(-TurnGrace)
	if h := s.turn.Holder(); h.Who != "" {
		since = h.Since
	}
	return t.CleanSince(s.name, out, since)
}

// forget forgets in what only this process holds of the session: in all of a private one, and
// in the blocks that wait for the disk.
func (s *Session) forget(t *forgotten.Traces) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.private.Load():
		s.cleanPrivate(t)
	case len(s.unsaved.blocks) > 0:
		blocks := slices.Clone(s.unsaved.blocks)
		for i, b := range blocks {
			blocks[i], _, _ = t.Clean(s.name, b)
		}
		s.setUnsaved(blocks)
		s.writeRescue()
	}
	s.inTurn = slices.DeleteFunc(s.inTurn, func(b turnBlock) bool {
		_, _, changed := t.Clean(s.name, b.block)
		return changed
	})
}

// cleanPrivate forgets in a session that exists only in memory.
func (s *state) cleanPrivate(t *forgotten.Traces) {
	blocks := make([]transcript.Block, len(s.mem))
	any := false
	for i, b := range s.mem {
		var changed bool
		blocks[i], _, changed = t.Clean(s.name, b)
		any = any || changed
	}
	if !any {
		return
	}
	s.mem, s.size = nil, 0
	s.forgetBlocks()
	for _, b := range blocks {
		s.mem = append(s.mem, b)
		s.follow(b, b.Checksum(), s.size, 0)
		s.size += int64(len(b.Text))
	}
}

// privateBlocks returns the blocks of a private session.
func (s *Session) privateBlocks() []transcript.Block {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mem)
}
