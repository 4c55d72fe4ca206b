package memorytext

import (
	"bytes"
	"slices"
	"strings"

	"mac-stats/sessionmem/wholefile"
)

// LineEnd returns the line end that a file uses.
func LineEnd(raw []byte) string {
	if bytes.Contains(raw, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// ownHeading is the heading of the lines that the app remembers. A person's heading, list
// or code would give them another meaning.
const ownHeading = "## Remembered"

func isOwn(it Item) bool {
	return it.Kind == Heading && strings.TrimRight(it.Lines[0], " \t\r") == ownHeading
}

// Append adds a bullet at the end of a memory, below the app's own heading, and leaves all
// other bytes as they are. m must be the parsed raw.
func (m Text) Append(raw []byte, bullet string) (out []byte, change Change) {
	if m.pending { // a comment of ours would end the one that a person has begun
		bullet = cutComments(bullet)
	}
	return m.append(raw, strings.TrimRight(bullet, " "), true)
}

// AppendListed is Append without a heading, for a file that is one list of the app's own.
func (m Text) AppendListed(raw []byte, bullet string) (out []byte, change Change) {
	return m.append(raw, bullet, false)
}

func (m Text) append(raw []byte, bullet string, headed bool) (out []byte, change Change) {
	eol := LineEnd(raw)
	bom, body := wholefile.CutBOM(raw)
	out = slices.Clone(body)
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, eol...)
	}
	if m.fence != "" { // a code block ends with its file, and our lines aren't code
		out = append(out, m.fence+eol...)
	}
	var last, heading Item
	for _, it := range m.Items {
		if it.Kind != Blank {
			last = it
		}
		if it.Kind == Heading {
			heading = it
		}
	}
	needsHeading := headed && !isOwn(heading)
	if (needsHeading || last.Kind != Bulleted) && len(bytes.TrimSpace(out)) > 0 && !endsBlank(out) {
		out = append(out, eol...)
	}
	if needsHeading {
		out = append(out, ownHeading+eol+eol...)
	}
	change = Change{Line: "- " + bullet, Lead: string(out[len(body):]), At: bytes.Count(out, []byte("\n"))}
	return slices.Concat(bom, out, []byte(change.Line+eol)), change
}

// endsBlank reports whether a text ends with a blank line.
func endsBlank(text []byte) bool {
	text, _ = bytes.CutSuffix(text, []byte("\n"))
	return len(bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:])) == 0
}

// lineOffset returns the offset of the 0-based line n, or of the end.
func lineOffset(raw []byte, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(raw[at:], '\n')
		if i < 0 {
			return len(raw)
		}
		at += i + 1
	}
	return at
}

// Above returns the line above an item, or "" at the beginning.
func (m Text) Above(it Item) string {
	if it.First == 0 {
		return ""
	}
	return m.Lines[it.First-1]
}

// Replace replaces the item's lines with a bullet in the style of the first of them, or
// removes them if bullet is "". It returns the new bytes, the new line, and the bytes that
// were removed.
func (it Item) Replace(raw []byte, bullet string) (out []byte, added string, gone []byte) {
	begin, end := it.Bytes(raw)
	gone = slices.Clone(raw[begin:end])
	out = slices.Clone(raw[:begin])
	if bullet != "" {
		added = it.pad + it.sign + " " + bullet
		out = append(out, added+wholefile.LineEnd(gone)...)
	}
	return append(out, raw[end:]...), added, gone
}

// Bytes returns the offsets of the beginning and the end of the item's lines.
func (it Item) Bytes(raw []byte) (begin, end int) {
	begin, end = lineOffset(raw, it.First), lineOffset(raw, it.First+len(it.Lines))
	if begin == 0 && bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) {
		begin = 3
	}
	return begin, end
}

// Change records what was done to the lines of a file, as far as needed to undo it.
type Change struct {
	Line  string `json:"l,omitempty"` // the new line; "" for a removal
	Lead  string `json:"g,omitempty"` // for an addition: what was written before the line
	Old   []byte `json:"o,omitempty"` // the removed lines, as they were
	After string `json:"a,omitempty"` // for a removal: the line above
	At    int    `json:"n,omitempty"` // the 0-based line number
}

// Revert undoes the change: it removes the added line with what belongs to it, and puts back
// what was there before. It returns false if the added line is gone.
func (u Change) Revert(raw []byte) ([]byte, bool) {
	if u.Line == "" {
		return u.Reinsert(raw), true
	}
	m := ParseBytes(raw)
	for _, it := range slices.Backward(m.Items) {
		if it.Kind == Blank || strings.TrimRight(it.Lines[0], "\r") != u.Line {
			continue
		}
		begin, end := it.Bytes(raw)
		if len(bytes.TrimSpace(raw[end:])) == 0 && bytes.HasSuffix(raw[:begin], []byte(u.Lead)) {
			begin -= len(u.Lead)
		}
		return slices.Concat(raw[:begin], u.Old, raw[end:]), true
	}
	return nil, false
}

// Reinsert puts removed lines back: below the line that was above them, at the place
// nearest to the old one, or else at the end.
func (u Change) Reinsert(raw []byte) []byte {
	lines := strings.Split(Normalize(raw), "\n")
	at := -1
	for i, line := range lines {
		if line == u.After && (at < 0 || distance(i+1, u.At) < distance(at, u.At)) {
			at = i + 1
		}
	}
	offset := len(raw)
	switch {
	case u.At == 0:
		offset = len(raw) - len(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	case at >= 0:
		offset = lineOffset(raw, at)
	}
	out, old := slices.Clone(raw[:offset]), u.Old
	if offset > 0 && u.At > 0 && raw[offset-1] != '\n' {
		out = append(out, '\n')
	}
	if offset < len(raw) && wholefile.LineEnd(old) == "" {
		old = append(slices.Clone(old), '\n')
	}
	return slices.Concat(out, old, raw[offset:])
}

func distance(a, b int) int { return max(a-b, b-a) }
