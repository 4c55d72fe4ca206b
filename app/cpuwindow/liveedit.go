package cpuwindow

import (
	"strings"

	"mac-stats/sessionmem"
)

// differs reports whether what is shown is not what the file says: an editor changed
// or took away the text of a message.
func (c *conversation) differs(blocks []sessionmem.Block) bool {
	said := make(map[string]string, len(blocks))
	for _, b := range blocks {
		said[b.ID] = b.Text
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.block == "" || e.live {
			continue
		}
		text, there := said[e.block]
		switch e.kind {
		case entryUser:
			if !there || !sameText(e.text, text) && !sameText(e.text, sessionmem.WithoutAttachments(text)) {
				return true
			}
		case entryAnswer:
			if !there || !sameText(e.doc.Text(), text) {
				return true
			}
		}
	}
	return false
}

func sameText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }
