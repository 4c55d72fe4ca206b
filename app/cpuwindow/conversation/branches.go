package conversation

import (
	"slices"
	"time"

	"mac-stats/sessionmem/transcript"
)

// BeginEdit replaces a message by its edited text and removes what followed it. It returns
// the files of the earlier version, which go with the new one.
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

// MessagesAfter counts the messages on the screen after one of the user's messages.
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

// branches returns the messages that a transcript's branches replaced, and those that were
// answered again.
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

// Branched reports whether the run that ended last started a branch.
func (t *turn) Branched() bool {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	return t.again || t.editing != ""
}

// TakeVersions updates the versions of the entries from a transcript.
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

// TakeBranchFailure reports whether a branch's run failed. It reports each failure once.
func (t *turn) TakeBranchFailure() bool {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	failed := t.branchFailed
	t.branchFailed = false
	return failed
}
