package memorytext

import (
	"bytes"
	"slices"
	"strconv"
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

// Insert adds a bullet at the end of the last list, in the style of that list, and leaves
// all other bytes as they are. In a file without a list the bullet goes to the end. It
// returns the new bytes, the bullet's 1-based line number, and the line. m must be the
// parsed raw.
func (m Text) Insert(raw []byte, bullet string) (out []byte, line int, added string) {
	eol, items := LineEnd(raw), m.Items
	last := -1
	for i, it := range items {
		if it.Kind == Bulleted {
			last = i
		}
	}
	if last < 0 {
		added = "- " + bullet
		return appendAtEnd(raw, added, eol)
	}
	pad, sign := listManner(items[:last+1])
	added = pad + sign + " " + bullet
	after := items[last].First + len(items[last].Lines) // the number of lines before the new one
	at := lineOffset(raw, after)
	out = slices.Clone(raw[:at])
	if at > 0 && raw[at-1] != '\n' {
		out = append(out, eol...)
	}
	out = append(out, added+eol...)
	return append(out, raw[at:]...), after + 1, added
}

// listManner returns how to write the next bullet of the list that ends the items: its
// outermost indentation, and its sign or next number.
func listManner(items []Item) (pad, sign string) {
	last := items[len(items)-1]
	pad, sign = last.pad, last.sign
	for i := len(items) - 2; i >= 0 && items[i].Kind == Bulleted; i-- {
		if len(items[i].pad) < len(pad) {
			pad, sign = items[i].pad, items[i].sign
		}
	}
	if n, err := strconv.Atoi(sign[:len(sign)-1]); err == nil {
		sign = strconv.Itoa(n+1) + sign[len(sign)-1:]
	}
	return pad, sign
}

// appendAtEnd appends a line to the file's text, with a blank line between a paragraph or
// heading and the new list.
func appendAtEnd(raw []byte, added, eol string) ([]byte, int, string) {
	out := slices.Clone(raw)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, eol...)
	}
	if text := strings.TrimRight(Normalize(out), "\n"); text != "" && !bytes.HasSuffix(out, []byte(eol+eol)) {
		out = append(out, eol...)
	}
	line := bytes.Count(out, []byte("\n")) + 1
	return append(out, added+eol...), line, added
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
	Old   []byte `json:"o,omitempty"` // the removed lines, as they were
	After string `json:"a,omitempty"` // for a removal: the line above
	At    int    `json:"n,omitempty"` // for a removal: the 0-based line number
}

// Revert undoes the change: it removes the added line and puts back what was there before.
// It returns false if the added line is gone.
func (u Change) Revert(raw []byte) ([]byte, bool) {
	if u.Line == "" {
		return u.Reinsert(raw), true
	}
	end := len(raw)
	for end > 0 {
		begin := bytes.LastIndexByte(raw[:end-1], '\n') + 1
		if line := bytes.TrimPrefix(raw[begin:end], []byte("\xef\xbb\xbf")); string(bytes.TrimRight(line, "\r\n")) == u.Line {
			begin = end - len(line)
			return slices.Concat(raw[:begin], u.Old, raw[end:]), true
		}
		end = begin
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
