package markdown

import (
	"bytes"

	"mac-stats/app/ui/formula"
)

// math writes a formula, in a sentence or on lines of its own.
func (w *runWriter) math(n *formula.Node, style Run) {
	words := n.Readable()
	if !n.Display {
		w.add(style, words)
		return
	}
	if len(w.out) > 0 && !bytes.HasSuffix(w.text, []byte("\n")) {
		w.text = bytes.TrimRight(w.text, " ")
		w.add(style, "\n")
	}
	w.add(style, words)
	if n.NextSibling() != nil {
		w.add(style, "\n")
	}
}
