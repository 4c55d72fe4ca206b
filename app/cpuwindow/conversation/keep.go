package conversation

import (
	"reflect"

	"mac-stats/app/ui/markdown"
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
