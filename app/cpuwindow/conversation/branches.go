package conversation

import (
	"slices"
	"time"

	"mac-stats/sessionmem/transcript"
)

// BeginEdit puts an edited message in the place of the one before, and takes away
// what followed that. The files of the earlier version go along: it gives them.
func (c *Conversation) BeginEdit(block, text string, now time.Time) (files []transcript.Attachment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.entries, func(e *entry) bool { return e.Kind == User && e.Block == block })
	if at < 0 {
		at = len(c.entries)
	}
	if at < len(c.entries) {
		files = c.entries[at].Files
	}
	c.entries = c.entries[:at]
	c.add(&entry{Kind: User, Text: text, At: now, message: message{Files: files, Edited: true}})
	c.startClock(text, "", now)
	c.editing = block
	return files
}

// MessagesAfter counts the messages on the screen after one of the user's.
func (c *Conversation) MessagesAfter(block string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, found := 0, false
	for _, e := range c.entries {
		if found && (e.Kind == User || e.Kind == Head) {
			n++
		}
		found = found || e.Kind == User && e.Block == block
	}
	return n
}

// branches finds what a transcript says of branches: messages that stand in the
// place of another one, and messages that were answered again.
func branches(blocks []transcript.Block) (edited, again map[string]bool) {
	edited, again = map[string]bool{}, map[string]bool{}
	for i, b := range blocks {
		if b.Kind != transcript.KindNote || b.Note != transcript.NoteRewind {
			continue
		}
		switch {
		case b.Parent != "":
			again[b.Parent] = true
		case i+1 < len(blocks) && blocks[i+1].Kind == transcript.KindUser:
			edited[blocks[i+1].ID] = true
		}
	}
	return edited, again
}

// Branched reports whether the run that ended last began a branch.
func (c *Conversation) Branched() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.again || c.editing != ""
}

// TakeVersions takes over what a transcript says of versions.
func (c *Conversation) TakeVersions(t *transcript.Transcript) {
	versions := t.Versions()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.versions = versions
	for _, e := range c.entries {
		if now := versions[e.Block]; e.Block != "" && !slices.Equal(now, e.Versions) {
			e.Versions = now
			e.Rev++
		}
	}
}

// WasTurnedBack reports, once, whether a branch's run failed.
func (c *Conversation) WasTurnedBack() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.turnedBack
	c.turnedBack = false
	return was
}
