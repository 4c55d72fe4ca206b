package memorytext

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Mark identifies the pieces of a memory without holding their text: with a key that stands
// elsewhere, nobody who has only the mark can test what the memory says. The order of the pieces
// doesn't matter. The zero Mark is that of a memory without pieces.
type Mark struct {
	Pieces int
	Sum    uint64 // of their IDs
}

// String returns the mark in the form that ParseMark reads.
func (m Mark) String() string { return fmt.Sprintf("%d:%016x", m.Pieces, m.Sum) }

// ParseMark reads a mark.
func ParseMark(text string) (Mark, bool) {
	n, sum, found := strings.Cut(text, ":")
	pieces, err := strconv.Atoi(n)
	id, err2 := strconv.ParseUint(sum, 16, 64)
	return Mark{pieces, id}, found && err == nil && err2 == nil && pieces >= 0
}

// Added is a piece that was added to a memory.
type Added struct {
	ID   uint64 // of its text and of the headings above it
	Text string // its lines, with the headings above them
}

// MarkOf returns the mark of a memory.
func MarkOf(key, text string) Mark {
	var mark Mark
	m := Parse(text)
	for _, a := range m.identified(key, m.Pieces(), parents(m.Items)) {
		mark.Pieces++
		mark.Sum += a.ID
	}
	return mark
}

// Since takes a memory apart: into what it had at a mark, and the pieces that were added
// since, in the order of the file. known are the IDs of those that a caller knows already;
// all of them must be there. ok is false if anything was changed or removed, or moved below
// another heading.
func Since(key, text string, at Mark, known []uint64) (before string, added []Added, ok bool) {
	m := Parse(text)
	pieces, parent := m.Pieces(), parents(m.Items)
	all := m.identified(key, pieces, parent)
	isNew := make([]bool, len(all))
	for _, id := range known {
		i := len(all) - 1 // the app adds at the end
		for i >= 0 && (isNew[i] || all[i].ID != id) {
			i--
		}
		if i < 0 {
			return "", nil, false
		}
		isNew[i] = true
	}
	var rest []int // pieces that aren't known
	for i := range all {
		if !isNew[i] {
			rest = append(rest, i)
		}
	}
	from, to, ok := additions(all, rest, at)
	if !ok {
		return "", nil, false
	}
	for run := range from {
		for _, i := range rest[from[run]:to[run]] {
			isNew[i] = true
		}
	}
	gone := map[int]bool{} // items of added pieces, and headings with nothing else below them
	kept := map[int]bool{} // headings with something else
	for i, p := range pieces {
		gone[p.Item] = isNew[i]
		if isNew[i] {
			added = append(added, all[i])
		}
		for h := parent[p.Item]; h >= 0; h = parent[h] {
			if gone[h] = gone[h] || isNew[i]; !isNew[i] {
				kept[h] = true
			}
		}
	}
	var lines []string
	for i, it := range m.Items {
		if gone[i] && !kept[i] {
			for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
				lines = lines[:len(lines)-1]
			}
			continue
		}
		lines = append(lines, it.Lines...)
	}
	return strings.Join(lines, "\n"), added, true
}

// additions finds one or two runs of pieces without which the rest has the mark. People and
// the app add lines at one place or two between two messages.
func additions(all []Added, rest []int, at Mark) (from, to []int, ok bool) {
	sums := make([]uint64, len(rest)+1)
	for i, at := range rest {
		sums[i+1] = sums[i] + all[at].ID
	}
	more, surplus := len(rest)-at.Pieces, sums[len(rest)]-at.Sum
	switch {
	case more == 0:
		return nil, nil, surplus == 0
	case more < 0:
		return nil, nil, false
	}
	for first := more; first > (more-1)/2; first-- {
		second := more - first
		runs := map[uint64]int{} // the beginning of the last run of the second length with that sum
		for i := 0; i+second <= len(rest); i++ {
			runs[sums[i+second]-sums[i]] = i
		}
		for i := len(rest) - first; i >= 0; i-- {
			other, found := runs[surplus-(sums[i+first]-sums[i])]
			if found && (second == 0 || other >= i+first || other+second <= i) {
				return []int{i, other}, []int{i + first, other + second}, true
			}
		}
	}
	return nil, nil, false
}

// identified returns the pieces with their IDs.
func (m Text) identified(key string, pieces []Piece, parent []int) []Added {
	out, id := make([]Added, len(pieces)), hmac.New(sha256.New, []byte(key))
	for i, p := range pieces {
		lines := m.visibleLines(m.Items[p.Item])
		id.Reset()
		for _, line := range lines {
			_, _ = id.Write([]byte(line + "\n"))
		}
		for h := parent[p.Item]; h >= 0; h = parent[h] {
			heading := m.Items[h]
			_, _ = id.Write([]byte("\x00" + m.visible(heading.First)))
			if heading.level > 1 && !isOwn(heading) {
				lines = slices.Concat(m.visibleLines(heading), lines)
			}
		}
		out[i] = Added{binary.LittleEndian.Uint64(id.Sum(nil)), strings.Join(lines, "\n")}
	}
	return out
}
