package watch

import (
	"bytes"
	"hash/maphash"
	"os"
	"slices"

	"mac-stats/sessionmem/wholefile"
)

const (
	// maxDiffFile is the largest file, in bytes, whose lines are hashed.
	maxDiffFile = 1 << 20

	// maxCounted limits the work of one comparison; beyond it lines are counted regardless of
	// their order.
	maxCounted = 4 << 20
)

// fileState holds what the watcher knows of a file: enough to detect an edit and count
// its lines, without the text.
type fileState struct {
	stat  os.FileInfo
	text  bool     // lines are known: it is a text of at most maxDiffFile
	ended bool     // the last line has a line end
	lines []uint64 // hash of each line
}

// readState reads a file. One that can't be read has no lines.
func readState(path string, fi os.FileInfo, seed maphash.Seed) fileState {
	s := fileState{stat: fi}
	if fi.Size() > maxDiffFile {
		return s
	}
	data, _, err := wholefile.ReadText(path)
	if err != nil || len(data) > maxDiffFile || bytes.IndexByte(data, 0) >= 0 {
		return s
	}
	s.text, s.ended = true, bytes.HasSuffix(data, []byte("\n"))
	for line := range bytes.Lines(data) {
		s.lines = append(s.lines, maphash.Bytes(seed, bytes.TrimRight(line, "\r\n")))
	}
	return s
}

// unchanged reports whether the file need not be read.
func (s fileState) unchanged(fi os.FileInfo) bool {
	return os.SameFile(s.stat, fi) && s.stat.Size() == fi.Size() && s.stat.ModTime().Equal(fi.ModTime())
}

// isCut reports whether a state can be the beginning of now while a save is in progress: the
// lines are its first, and the last of them may be cut.
func (s fileState) isCut(now fileState) bool {
	if !s.text || !now.text || len(now.lines) > len(s.lines) || len(now.lines) == len(s.lines) && (now.ended || !s.ended) {
		return false
	}
	whole := now.lines
	if len(whole) > 0 && !now.ended {
		whole = whole[:len(whole)-1]
	}
	return slices.Equal(whole, s.lines[:len(whole)])
}

// sameContent reports whether two states have the same lines. It is false if the lines of one
// are unknown.
func (s fileState) sameContent(o fileState) bool {
	if !s.text || !o.text || len(s.lines) != len(o.lines) {
		return false
	}
	for i := range s.lines {
		if s.lines[i] != o.lines[i] {
			return false
		}
	}
	return true
}

// diff counts the lines added and removed from s to o. If the lines of one are unknown
// (s is the zero state for a new file), it counts what it can.
func (s fileState) diff(o fileState) (added, removed int) {
	if s.stat != nil && !s.text || !o.text {
		return 0, 0
	}
	a, b := s.lines, o.lines
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	common := 0
	if len(a)*len(b) <= maxCounted {
		common = commonInOrder(a, b)
	} else {
		common = commonInAll(a, b)
	}
	return len(b) - common, len(a) - common
}

// commonInOrder returns the length of the longest common subsequence.
func commonInOrder(a, b []uint64) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// commonInAll counts the lines that both have, wherever they are.
func commonInAll(a, b []uint64) int {
	count := make(map[uint64]int, len(a))
	for _, x := range a {
		count[x]++
	}
	common := 0
	for _, y := range b {
		if count[y] > 0 {
			count[y]--
			common++
		}
	}
	return common
}
