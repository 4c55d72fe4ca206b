package cpuwindow

import (
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
)

// openSummary shows the Summary that stands for older messages.
func (w *Window) openSummary() {
	w.chat.openSummary()
}

func (c *chatView) openSummary() {
	for i := range c.last.Entries {
		e := &c.last.Entries[i]
		if e.Kind != conversation.Summary {
			continue
		}
		c.port.Follow = false
		c.expanded[e.Key] = true
		c.layoutRows()
		rows := c.built[e.Key].rows
		for _, p := range c.port.Rows {
			if p.Row == rows[0].Row {
				c.port.ScrollTo(p.Top - kit.Gap16)
			}
		}
	}
}
