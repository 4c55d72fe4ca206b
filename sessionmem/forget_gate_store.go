package sessionmem

import (
	"time"

	"mac-stats/sessionmem/transcript"
)

// turnGrace is how long before a block that is written outside of a turn its making
// may have begun: what was forgotten since is not in it.
const turnGrace = 10 * time.Minute

// guard takes out of a block that is about to be written what was forgotten: all of
// it, where it is an old block that comes back (its id is known), else what was
// forgotten while it was being made. What a person types anew is theirs. The caller
// holds ses.mu.
func (s *Store) guard(ses *session, b transcript.Block, anew bool) transcript.Block {
	t := s.forgotten.Traces()
	if t.Empty() {
		return b
	}
	out := b
	if !anew {
		var whole bool
		if out, whole, _ = t.Clean(ses.name, b); whole {
			return out
		}
	}
	since := time.Now().Add(-turnGrace)
	if ses.holder.Who != "" {
		since = ses.holder.Since
	}
	return t.CleanSince(ses.name, out, since)
}
