package conversation

import (
	"strings"

	"mac-stats/agents"
	"mac-stats/sessionmem/transcript"
)

// Differs reports whether the shown text differs from the file: an editor changed or
// removed the text of a message.
func (l *log) Differs(blocks []transcript.Block) bool {
	inFile := make(map[string]transcript.Block, len(blocks))
	for _, b := range blocks {
		inFile[b.ID] = b
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		if e.Block == "" || e.Live {
			continue
		}
		b, ok := inFile[e.Block]
		switch e.Kind {
		case User:
			if !ok || !sameText(e.Text, b.Text) && !sameText(e.Text, agents.MessageText(b)) {
				return true
			}
		case Answer:
			if !ok || !sameText(e.Doc.Text(), b.Text) {
				return true
			}
		}
	}
	return false
}

func sameText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }
