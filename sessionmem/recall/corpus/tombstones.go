package corpus

import "mac-stats/sessionmem/transcript"

// Tombstones know which texts were forgotten.
type Tombstones interface {
	Has(text string) bool
}

// InTombstones reports whether a chunk was forgotten. If the tombstones can tell, text typed
// again later, or elsewhere, doesn't count.
func InTombstones(all Tombstones, p *Chunk) bool {
	if all == nil {
		return false
	}
	exact, ok := all.(interface {
		HasBlock(session string, b transcript.Block) bool
		HasIn(session, text string) bool
	})
	switch {
	case !ok:
		return all.Has(p.Text)
	case p.Session == "":
		return exact.HasIn("", p.Text)
	}
	return exact.HasBlock(p.Session, transcript.Block{ID: p.Block, Kind: transcript.Kind(p.Kind), Agent: p.Agent, Time: p.Time, Text: p.Text})
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
