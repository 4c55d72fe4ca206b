package session

import (
	"errors"
	"slices"
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/summary"
	"mac-stats/sessionmem/transcript"
)

// ErrStale means that the conversation changed course while its Summary was being made (by a
// reset, a rewind or another Summary), so the Summary was not appended.
var ErrStale = errors.New("the conversation changed while it was being summarised")

// ErrNothing means that there is no message to summarise.
var ErrNothing = errors.New("there is nothing to summarise")

// Snapshot is what a Summary is made of: the session at one moment. It holds no lock, and the
// conversation may go on.
type Snapshot struct {
	Session  string
	Previous *transcript.Block  // the last Summary, or nil
	Messages []transcript.Block // those it doesn't cover, oldest first
	Since    int                // how many of them were written after it
	tools    []string           // tools with results among them whose blocks don't name their sources
	Agent    string             // the slug of the agent that answered last; a caller may set the chosen one
	lastAt   time.Time

	Omitted int  // older messages that are left out: see Context.Omitted
	Unsaved bool // the last blocks are not on disk yet

	results       transcript.Sources // of the results among the messages
	before        string             // the ID of the last omitted message
	last          string             // the ID of the last block of the branch
	throughExists bool               // the block that Previous covers up to exists
	seen          time.Time          // when this process saw the last block join; zero: it didn't
	taken         time.Time          // when the snapshot was taken

	corrections int                    // edits and deletions so far
	fingerprint transcript.Fingerprint // the messages before its end
}

// nameEnds finds the IDs, other than those of messages, that a Summary may cover up to.
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

// Covered returns how many messages a Summary covers that keeps the last keep.
func (s Snapshot) Covered(keep int) int { return s.Omitted + max(len(s.Messages)-max(keep, 0), 0) }

// Through returns the ID of the last block covered by a Summary that keeps the last keep messages.
func (s Snapshot) Through(keep int) string {
	covered := len(s.Messages) - max(keep, 0)
	switch {
	case keep <= 0 && s.last != "":
		return s.last
	case covered > 0:
		return s.Messages[covered-1].ID
	case s.Omitted > 0:
		return s.before
	case s.Previous != nil && s.throughExists:
		return s.Previous.Through
	case s.Previous != nil:
		return s.Previous.ID // the block it covered up to was deleted by hand: what comes after it is kept
	}
	return branch.ThroughNone
}

// CoversNothing reports whether a Summary covers no message: all were kept word for word
// when it was made.
func CoversNothing(summary *transcript.Block) bool {
	return summary != nil && summary.Through == branch.ThroughNone
}

// Recent returns the last messages, for a Summarizer.
func (s Snapshot) Recent() []transcript.Block {
	return s.Messages[max(len(s.Messages)-summary.MaxMessages, 0):]
}

// Sources returns the sources of everything in the session since its last Summary, and of
// what that Summary was made from: a stranger's sentence may be in it, and in any Summary
// made from it, until the next reset. own lists the tools whose results are this program's
// own words.
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
			continue // written by an older version: everything it was made from is here
		}
		all |= b.Sources(s.Session)
	}
	for _, tool := range s.tools {
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

// Inactive reports whether the last message is older than after. A clock that jumps ahead
// makes no running conversation inactive: what this process saw itself is measured without
// the clock.
func (s Snapshot) Inactive(after time.Duration) bool {
	return time.Since(s.lastAt) > after && (s.seen.IsZero() || time.Since(s.seen) > after)
}
