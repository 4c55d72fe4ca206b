package conversation

import (
	"reflect"

	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem/transcript"
)

// What goes on elsewhere is read again with each message. What is shown of it already is
// kept: texts that were parsed, and the keys of entries that look as they did, by which
// the chat keeps their rows.

// parsedIn are the texts of entries, by their blocks.
func parsedIn(entries []*entry) map[string]*markdown.Document {
	docs := make(map[string]*markdown.Document, len(entries))
	for _, e := range entries {
		if e.Doc != nil && e.Block != "" && !e.Live {
			docs[e.Block] = e.Doc
		}
	}
	return docs
}

// parse gives the text of a block, as it is here already where it is the same. The lock
// must be held.
func (c *Conversation) parse(b transcript.Block) *markdown.Document {
	if d := c.parsed[b.ID]; d != nil && d.Text() == b.Text {
		return d
	}
	return markdown.Parse(b.Text)
}

// keepLike gives the entries that look as one of those before its key. The lock must be
// held.
func (c *Conversation) keepLike(before []*entry) {
	old := make(map[place]*entry, len(before))
	for i, e := range before {
		old[placeOf(before, i)] = e
	}
	for i, e := range c.entries {
		at := placeOf(c.entries, i)
		if o := old[at]; o != nil && alike(*o, *e) {
			e.Key, e.Rev, e.Doc = o.Key, o.Rev, o.Doc
			delete(old, at) // a key is one entry's
		}
	}
}

// place is an entry's place in a transcript: its block, or the next one where it has none,
// as the badge above an answer.
type place struct {
	kind  Kind
	block string
}

func placeOf(entries []*entry, i int) place {
	p := place{kind: entries[i].Kind}
	for ; i < len(entries) && p.block == ""; i++ {
		p.block = entries[i].Block
	}
	return p
}

// alike reports whether two entries look the same.
func alike(a, b entry) bool {
	if (a.Doc == nil) != (b.Doc == nil) || a.Doc != nil && a.Doc != b.Doc && a.Doc.Text() != b.Doc.Text() {
		return false
	}
	a.Key, a.Rev, a.Doc, a.round = b.Key, b.Rev, b.Doc, b.round
	return reflect.DeepEqual(a, b)
}
