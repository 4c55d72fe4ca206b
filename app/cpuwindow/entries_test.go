package cpuwindow

import (
	"time"

	"mac-stats/app/cpuwindow/conversation"
)

// entriesNow returns the entries of a conversation.
func entriesNow(c *conversation.Conversation) []conversation.EntryView {
	return c.View(time.Now()).Entries
}

// lastFault returns the error at the end of a conversation.
func lastFault(c *conversation.Conversation) conversation.Fault {
	entries := entriesNow(c)
	return *entries[len(entries)-1].Fault
}
