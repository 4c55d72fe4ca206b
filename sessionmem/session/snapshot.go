package session

import (
	"errors"
	"slices"
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/summary"
	"mac-stats/sessionmem/transcript"
)

// ErrStale: the conversation went another way while its Summary was being made (a
// reset, a rewind, a Summary of somebody else), so the Summary was not appended.
var ErrStale = errors.New("the conversation changed while it was being summarised")

// ErrNothing: there is no message that a Summary could be made of.
var ErrNothing = errors.New("there is nothing to summarise")

// Snapshot is what a Summary is made of: the session as it was at one moment. It
// holds no lock, and the conversation may go on.
type Snapshot struct {
	Session  string
	Previous *transcript.Block  // the last Summary, or nil
	Messages []transcript.Block // those not covered by it, oldest first
	Since    int                // how many of them were written after it
	Tools    []string           // whose results stand among them, of blocks that don't tell their sources
	Agent    string             // the slug of the agent that answered last; a caller may set the one that was chosen
	Last     time.Time

	Omitted int  // older messages that are in none of these: see Context.Omitted
	Waits   bool // the last blocks are not on disk yet

	results transcript.Sources // of the results that stand among them
	before  string             // the id of the last of those that are omitted
	last    string             // the id of the last block of the branch
	goes    bool               // the block that Previous goes through is there
	seen    time.Time          // when the last block joined as this process saw it; zero: it didn't see it
	taken   time.Time          // when it was

	corrections int                // edits and deletions by then
	told        transcript.Telling // the messages in front of its end
}

// nameEnds finds the ids that a Summary may go through beside those of messages.
func (s *Snapshot) nameEnds(r *blockSource, f *branch.Fold, kept []int, end int) error {
	if end > 0 {
		b, err := r.block(f.Block(end - 1))
		if err != nil {
			return err
		}
		s.last = b.ID
	}
	if s.Omitted == 0 {
		return nil
	}
	i := kept[0] - 1
	for !r.s.index.IsMessage(f.Block(i)) {
		i--
	}
	b, err := r.block(f.Block(i))
	s.before = b.ID
	return err
}

// Covered is how many messages a Summary covers that keeps the last ones.
func (s Snapshot) Covered(keep int) int { return s.Omitted + max(len(s.Messages)-max(keep, 0), 0) }

// Through is the last block that a Summary covers which keeps so many messages.
func (s Snapshot) Through(keep int) string {
	covered := len(s.Messages) - max(keep, 0)
	switch {
	case keep <= 0 && s.last != "":
		return s.last
	case covered > 0:
		return s.Messages[covered-1].ID
	case s.Omitted > 0:
		return s.before
	case s.Previous != nil && s.goes:
		return s.Previous.Through
	case s.Previous != nil:
		return s.Previous.ID // what it went through was deleted by hand: what stands behind it is kept
	}
	return branch.ThroughNone
}

// CoversNothing reports whether a Summary stands for no message: all of them were kept
// word for word when it was made.
func CoversNothing(summary *transcript.Block) bool {
	return summary != nil && summary.Through == branch.ThroughNone
}

// Recent is what a Summarizer is given: the last messages.
func (s Snapshot) Recent() []transcript.Block {
	return s.Messages[max(len(s.Messages)-summary.MaxMessages, 0):]
}

// Sources gives the sources of all that the session holds since its last Summary, and
// of what that Summary was made of: a sentence of a stranger may stand in it, and in a
// Summary made of it, so that lasts until a reset. own are the tools whose results are
// this program's own words.
func (s Snapshot) Sources(own []string) transcript.Sources {
	all := s.results
	if transcript.IsDiscord(s.Session) {
		all |= transcript.FromDiscord
	}
	if s.Previous != nil {
		all |= s.Previous.Sources(s.Session)
	}
	for _, b := range s.Messages {
		if _, known := b.Attrs[transcript.AttrSources]; b.Kind == transcript.KindAssistant && !known && len(b.Recalled()) == 0 && b.Attrs[transcript.AttrUntrusted] == "" {
			continue // of an older version: all that it was made of is here
		}
		all |= b.Sources(s.Session)
	}
	for _, tool := range s.Tools {
		switch {
		case tool == branch.Subcall:
			all |= transcript.FromAgent
		case tool == branch.StrangersSearch:
			all |= transcript.FromUnknown
		case !slices.Contains(own, tool):
			all |= transcript.FromTool
		}
	}
	return all
}

// Inactive says whether nothing was said for so long. A clock that jumps ahead makes
// no running conversation inactive: what this process saw itself is measured without
// the clock.
func (s Snapshot) Inactive(after time.Duration) bool {
	return time.Since(s.Last) > after && (s.seen.IsZero() || time.Since(s.seen) > after)
}
