package pages

import (
	"strings"

	"mac-stats/sessionmem/linediff"
	"mac-stats/sessionmem/memory"
)

// choice is the user's decision about a file that was edited both here and outside.
type choice int

const (
	takeMine choice = iota
	takeTheirs
	takeBoth
)

// editBuffer is a file being edited, independent of any screen. Its text is lost only by an
// explicit Discard.
type editBuffer struct {
	base   memory.Owned  // the version that is edited
	text   string        // the edited text
	theirs *memory.Owned // the file on disk, if both changed
	before *editBuffer   // the state before a choice or Discard, until the next edit
	err    error         // why the last save failed
	saving bool
}

func newEditBuffer(o memory.Owned) *editBuffer { return &editBuffer{base: o, text: o.Text} }

// restoreBuffer restores an edit saved earlier. If the file has changed since the edit
// began, both versions are kept.
func restoreBuffer(u memory.Unsaved, now memory.Owned) *editBuffer {
	if u.Base == now.Text || u.Text == now.Text {
		return &editBuffer{base: now, text: u.Text}
	}
	began := now
	began.Text = u.Base
	return &editBuffer{base: began, text: u.Text, theirs: &now}
}

// dirty reports whether there is anything to save.
func (b *editBuffer) dirty() bool { return b.text != b.base.Text || b.theirs != nil }

// edit sets the text that was typed.
func (b *editBuffer) edit(text string) {
	if text != b.text {
		b.text, b.before, b.err = text, nil, nil
	}
}

// readAgain updates the buffer from the file on disk. A buffer without edits takes the new text,
// and an edit with the same text is done; else both are kept for the user to choose.
func (b *editBuffer) readAgain(now memory.Owned) {
	switch {
	case b.saving: // the disk may have the text being written
		return
	case b.theirs != nil:
		b.theirs = &now
	case now.SameText(b.base):
		b.base = now
	case !b.dirty(), b.text == now.Text:
		b.base, b.text = now, now.Text
	default:
		b.theirs = &now
	}
	if b.theirs != nil && b.theirs.Text == b.text {
		b.base, b.theirs = *b.theirs, nil
	}
}

// choose resolves a conflict; nothing is written before the user saves.
func (b *editBuffer) choose(c choice) {
	if b.theirs == nil {
		return
	}
	before := *b
	now := *b.theirs
	switch c {
	case takeTheirs:
		b.text = now.Text
	case takeBoth:
		b.text = linediff.Merge(b.base.Text, b.text, now.Text)
	}
	b.base, b.theirs, b.err, b.before = now, nil, nil, &before
}

// undoChoice undoes a choice or Discard.
func (b *editBuffer) undoChoice() {
	if b.before != nil {
		now := b.base
		*b = *b.before
		b.readAgain(now)
	}
}

// saved updates the buffer after text was saved. What was typed meanwhile stays unsaved.
func (b *editBuffer) saved(text string, now memory.Owned) {
	b.saving, b.err, b.before = false, nil, nil
	if b.text == text {
		b.text = now.Text
	}
	b.base, b.theirs = now, nil
}

// discard reverts to the file on disk; undoChoice undoes it.
func (b *editBuffer) discard() {
	before := *b
	if b.theirs != nil {
		b.base = *b.theirs
	}
	b.text, b.theirs, b.err, b.before = b.base.Text, nil, nil, &before
}

// unsaved returns the edit in the form kept on disk.
func (b *editBuffer) unsaved() memory.Unsaved {
	return memory.Unsaved{Path: b.base.Path, Base: b.base.Text, Text: b.text}
}

// partBytes is the size of the part of a file that is edited at once. A text field gets
// slower with each line; at this size a keystroke takes a few milliseconds.
const partBytes = 8 << 10

// textPart is a range of whole lines of a text.
type textPart struct {
	from, to int // byte offsets
	line     int // number of its first line, from 1
}

// textParts splits a text into parts of whole lines; there is at least one.
func textParts(text string) []textPart {
	var parts []textPart
	for at, line := 0, 1; ; {
		end := len(text)
		if end-at > partBytes {
			end = at + strings.LastIndexByte(text[at:at+partBytes], '\n') + 1
			if end == at { // a line longer than partBytes
				end = len(text)
				if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
					end = at + n + 1
				}
			}
		}
		parts = append(parts, textPart{at, end, line})
		line += strings.Count(text[at:end], "\n")
		if at = end; at >= len(text) {
			return parts
		}
	}
}
