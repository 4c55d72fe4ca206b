package conversation

import (
	"reflect"

	"mac-stats/app/ui/markdown"
)

// A session that continues elsewhere is read again with each message. What is shown already
// is kept: parsed texts, and the keys of entries that look the same, by which the chat
// keeps their rows.

// documentsOf returns the documents of entries, by block.
func documentsOf(entries []*entry) map[string]*markdown.Document {
	docs := make(map[string]*markdown.Document, len(entries))
	for _, e := range entries {
		if e.Doc != nil && e.Block != "" && !e.Live {
			docs[e.Block] = e.Doc
		}
	}
	return docs
}

// place is an entry's place in a transcript: its block, or the next one for an entry
// without a block, such as the badge above an answer.
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

// looksSame reports whether two entries look the same.
func looksSame(a, b entry) bool {
	if (a.Doc == nil) != (b.Doc == nil) || a.Doc != nil && a.Doc != b.Doc && a.Doc.Text() != b.Doc.Text() {
		return false
	}
	a.Key, a.Rev, a.Doc, a.round = b.Key, b.Rev, b.Doc, b.round
	return reflect.DeepEqual(a, b)
}
