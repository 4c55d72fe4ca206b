package conversation

import (
	"slices"
	"time"

	"mac-stats/sessionmem/transcript"
)

// BeginEdit puts an edited message in the place of the one before, and takes away
// what followed that. The files of the earlier version go along: it gives them.
func (t *turn) BeginEdit(block, text string, now time.Time) (files []transcript.Attachment) {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	at := slices.IndexFunc(t.log.entries, func(e *entry) bool { return e.Kind == User && e.Block == block })
	if at < 0 {
		at = len(t.log.entries)
	}
	if at < len(t.log.entries) {
		files = t.log.entries[at].Files
	}
	t.log.entries = t.log.entries[:at]
	t.log.add(&entry{Kind: User, Text: text, At: now, message: message{Files: files, Edited: true}})
	t.startClock(text, "", now)
	t.editing = block
	return files
}

// MessagesAfter counts the messages on the screen after one of the user's.
func (l *log) MessagesAfter(block string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, found := 0, false
	for _, e := range l.entries {
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
func (t *turn) Branched() bool {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	return t.again || t.editing != ""
}

// TakeVersions takes over what a transcript says of versions.
func (l *log) TakeVersions(t *transcript.Transcript) {
	versions := t.Versions()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.versions = versions
	for _, e := range l.entries {
		if now := versions[e.Block]; e.Block != "" && !slices.Equal(now, e.Versions) {
			e.Versions = now
			e.Rev++
		}
	}
}

// WasTurnedBack reports, once, whether a branch's run failed.
func (t *turn) WasTurnedBack() bool {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	was := t.turnedBack
	t.turnedBack = false
	return was
}
