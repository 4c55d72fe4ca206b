package pages

import (
	"strings"

	"mac-stats/sessionmem/linediff"
	"mac-stats/sessionmem/memory"
)

// choice is what to do about a file that was edited here and outside.
type choice int

const (
	takeMine choice = iota
	takeTheirs
	takeBoth
)

// editBuffer is a file being edited in the window, without any screen. What is
// written in it is lost by nothing but an explicit Discard.
type editBuffer struct {
	base   memory.Owned  // what the edit is made against
	text   string        // as edited
	theirs *memory.Owned // the file as it is now, where both changed
	before *editBuffer   // a choice, or Discard, can be taken back until the next edit
	err    error         // why the last save failed
	saving bool
}

func newEditBuffer(o memory.Owned) *editBuffer { return &editBuffer{base: o, text: o.Text} }

// restoreBuffer goes on with an edit of an earlier time. Where the file is not any
// more what the edit began with, both are there.
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

// edit takes over what was typed.
func (b *editBuffer) edit(text string) {
	if text != b.text {
		b.text, b.before, b.err = text, nil, nil
	}
}

// seen takes the file as it is on disk now. Without edits it is taken over; an
// edit that says the same is done; else both are kept for the user to choose.
func (b *editBuffer) seen(now memory.Owned) {
	switch {
	case b.saving: // it may be what is being written
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

// choose ends a conflict; nothing is written before the user saves.
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

// takeBack undoes a choice.
func (b *editBuffer) takeBack() {
	if b.before != nil {
		now := b.base
		*b = *b.before
		b.seen(now)
	}
}

// saved takes over what is on disk after a save of text. What was typed meanwhile
// stays to be saved.
func (b *editBuffer) saved(text string, now memory.Owned) {
	b.saving, b.err, b.before = false, nil, nil
	if b.text == text {
		b.text = now.Text
	}
	b.base, b.theirs = now, nil
}

// discard goes back to the file as it is; it can be taken back as a choice can.
func (b *editBuffer) discard() {
	before := *b
	if b.theirs != nil {
		b.base = *b.theirs
	}
	b.text, b.theirs, b.err, b.before = b.base.Text, nil, nil, &before
}

// unsaved is the edit as it is kept on disk.
func (b *editBuffer) unsaved() memory.Unsaved {
	return memory.Unsaved{Path: b.base.Path, Base: b.base.Text, Text: b.text}
}

// partBytes is how much of a file is edited at once: a text field takes longer
// with each line, and at this size a keystroke still costs a few milliseconds.
const partBytes = 8 << 10

// textPart is a run of whole lines of a text.
type textPart struct {
	from, to int // bytes
	line     int // 1-based, of its first
}

// textParts cuts a text into parts of whole lines, one at least.
func textParts(text string) []textPart {
	var parts []textPart
	for at, line := 0, 1; ; {
		end := len(text)
		if end-at > partBytes {
			end = at + strings.LastIndexByte(text[at:at+partBytes], '\n') + 1
			if end == at { // a line longer than a part
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
