// Package linediff compares two texts line by line (Lines) and merges two edits of one text
// (Merge).
//
// Rules:
//   - Texts use LF; a text that ends in a line end has an empty last line.
//   - Work and memory are bounded: texts that differ too much count as changed throughout.
//   - Merging loses no line of either edit.
//
// The package knows no files. Memory rebuilds edited files with it, and the window uses it
// to show what another program changed and to merge that with an unfinished edit.
package linediff

import "strings"

// maxDiffCells bounds the work of one comparison. Longer differences count as one change.
const maxDiffCells = 4 << 20

// Op is what happened to a line between two versions of a text.
type Op byte

// The values of Op.
const (
	Same Op = iota
	Added
	Removed
)

// Line is a line of a comparison. Before and After are its 1-based numbers in the two
// versions, or 0 if the line isn't in that version.
type Line struct {
	Op            Op
	Text          string
	Before, After int
}

// Lines compares two texts (LF) line by line. A changed line appears first as removed and
// then as added. The cost is bounded: if more than some thousand lines changed, all of them
// count as removed and added.
func Lines(before, after string) []Line {
	return diff(strings.Split(before, "\n"), strings.Split(after, "\n"))
}

func diff(a, b []string) []Line {
	out := make([]Line, 0, len(a)+len(b))
	i, j := 0, 0
	same := func() {
		out = append(out, Line{Same, b[j], i + 1, j + 1})
		i, j = i+1, j+1
	}
	for i < len(a) && i < len(b) && a[i] == b[i] {
		same()
	}
	endA, endB := len(a), len(b)
	for endA > i && endB > j && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	for _, pair := range commonLines(a[i:endA], b[j:endB], i, j) {
		out = changedLines(out, a, b, i, pair[0], j, pair[1])
		i, j = pair[0], pair[1]
		same()
	}
	out = changedLines(out, a, b, i, endA, j, endB)
	i, j = endA, endB
	for i < len(a) {
		same()
	}
	return out
}

// changedLines appends the lines from i to m of a as removed, and from j to n of b as
// added.
func changedLines(out []Line, a, b []string, i, m, j, n int) []Line {
	for ; i < m; i++ {
		out = append(out, Line{Removed, a[i], i + 1, 0})
	}
	for ; j < n; j++ {
		out = append(out, Line{Added, b[j], 0, j + 1})
	}
	return out
}

// commonLines returns a longest common subsequence as pairs of indices, offset by atA and
// atB. It returns none if the comparison would cost too much.
func commonLines(a, b []string, atA, atB int) [][2]int {
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > maxDiffCells {
		return nil
	}
	width := len(b) + 1
	length := make([]uint16, (len(a)+1)*width) // the shorter side has at most 2,048 lines
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pairs = append(pairs, [2]int{atA + i, atB + j})
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// Merge merges two edits of one text (LF). If both changed the same place, theirs comes
// first, followed by what mine adds to it: no line of either is lost.
func Merge(base, mine, theirs string) string {
	b := strings.Split(base, "\n")
	m, t := strings.Split(mine, "\n"), strings.Split(theirs, "\n")
	inMine, inTheirs := keptLines(b, m), keptLines(b, t)
	var out []string
	atB, atM, atT := 0, 0, 0
	for i := 0; i <= len(b); i++ {
		endM, endT := len(m), len(t)
		if i < len(b) {
			if inMine[i] < 0 || inTheirs[i] < 0 {
				continue // changed by one edit: part of the next merge
			}
			endM, endT = inMine[i], inTheirs[i]
		}
		out = append(out, joinEdits(b[atB:i], m[atM:endM], t[atT:endT])...)
		if i < len(b) {
			out = append(out, b[i])
		}
		atB, atM, atT = i+1, endM+1, endT+1
	}
	return strings.Join(out, "\n")
}

// keptLines returns for each line of base its index in the edit, or -1 if it was removed.
func keptLines(base, edit []string) []int {
	at := make([]int, len(base))
	for i := range at {
		at[i] = -1
	}
	for _, d := range diff(base, edit) {
		if d.Op == Same {
			at[d.Before-1] = d.After - 1
		}
	}
	return at
}

// joinEdits merges what two edits made of the same lines.
func joinEdits(base, mine, theirs []string) []string {
	switch {
	case equalLines(mine, base):
		return theirs
	case equalLines(theirs, base), equalLines(mine, theirs):
		return mine
	}
	out := append([]string(nil), theirs...)
	known := map[string]bool{}
	for _, lines := range [][]string{base, theirs} {
		for _, l := range lines {
			known[l] = true
		}
	}
	for _, l := range mine {
		if !known[l] {
			out = append(out, l)
		}
	}
	return out
}

func equalLines(a, b []string) bool {
	return len(a) == len(b) && strings.Join(a, "\n") == strings.Join(b, "\n")
}
