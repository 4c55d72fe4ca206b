package corpus

import "mac-stats/sessionmem/transcript"

// Tombstones know what was forgotten.
type Tombstones interface {
	Has(text string) bool
}

// IsBuried asks whether a chunk was forgotten: where that can be told, what was typed
// anew since, or elsewhere, is not.
func IsBuried(all Tombstones, p *Chunk) bool {
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

// IsForgotten says whether a chunk was forgotten.
func (c *Corpus) IsForgotten(p *Chunk) bool { return IsBuried(c.Tombstones(), p) }

// Tombstones are what was forgotten by now; nil where nothing was.
func (c *Corpus) Tombstones() Tombstones {
	if c.Forgotten == nil {
		return nil
	}
	return c.Forgotten()
}
