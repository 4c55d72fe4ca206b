package corpus

import "mac-stats/sessionmem/transcript"

// Tombstones know which texts were forgotten.
type Tombstones interface {
	// HasBlock reports whether a block of a session, or something in it, was forgotten. Text
	// typed again later, or elsewhere, doesn't count.
	HasBlock(session string, b transcript.Block) bool
	// HasIn reports the same for a text of a session; session "" is memory.
	HasIn(session, text string) bool
}

// InTombstones reports whether a chunk was forgotten. all may be nil.
func InTombstones(all Tombstones, p *Chunk) bool {
	if all == nil {
		return false
	}
	if p.Session == "" {
		return all.HasIn("", p.Text)
	}
	return all.HasBlock(p.Session, transcript.Block{ID: p.Block, Kind: transcript.Kind(p.Kind), Agent: p.Agent, Time: p.Time, Text: p.Text})
}

// IsForgotten reports whether a chunk was forgotten.
func (c *Corpus) IsForgotten(p *Chunk) bool { return InTombstones(c.Tombstones(), p) }

// Tombstones returns the current tombstones; nil if there are none.
func (c *Corpus) Tombstones() Tombstones {
	if c.Forgotten == nil {
		return nil
	}
	return c.Forgotten()
}
