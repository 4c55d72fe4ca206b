package discord

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// partSize is the length of a part of an answer, in UTF-16 units: a little below
	// Discord's limit.
	partSize = 1990
	// maxParts is the number of parts from which an answer becomes a file.
	maxParts = 6
	// fence begins and ends a code block.
	fence = "```"
	// maxFence is the maximum length of the line that opens a code block, in bytes.
	maxFence = 40
)

// size returns a text's length in the largest of the ways in which Discord may count it.
func size(text string) int {
	n := 0
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// split splits an answer into messages of at most limit, between lines. Code blocks stay
// whole if they fit; otherwise they are closed and opened again.
func split(text string, limit int) []string {
	s := splitter{limit: limit}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		if opens := fenceOf(line); opens != "" && s.fence == "" {
			s.keepTogether(lines[i:])
		}
		s.add(line)
	}
	s.flush()
	return s.parts
}

// splitter collects lines into parts.
type splitter struct {
	limit int
	parts []string
	cur   []string
	used  int
	fence string // the line that opened the current code block; "" outside
	fresh bool   // cur holds only the reopened fence
}

// fenceOf returns the line if it opens or closes a code block.
func fenceOf(line string) string {
	if trimmed := strings.TrimSpace(line); len(trimmed) <= maxFence && strings.HasPrefix(trimmed, fence) && strings.Count(trimmed, fence) == 1 {
		return trimmed
	}
	return ""
}

// keepTogether begins a new part if a code block fits into one, but not into this one.
func (s *splitter) keepTogether(lines []string) {
	block := 0
	for i, line := range lines {
		block += size(line) + 1
		if block > s.limit {
			return
		}
		if i > 0 && fenceOf(line) != "" {
			break
		}
	}
	if s.used > 0 && s.used+block > s.limit {
		s.flush()
	}
}

func (s *splitter) add(line string) {
	f := fenceOf(line)
	closing := s.closing()
	if f != "" {
		closing = len(fence) + 1
	}
	for s.used+size(line)+1+closing > s.limit {
		if s.used > 0 && !s.fresh {
			s.flush()
			continue
		}
		head, rest := cutLine(line, s.limit-s.used-1-closing)
		s.push(head)
		s.flush()
		line = rest
	}
	s.push(line)
	switch {
	case f != "" && s.fence == "":
		s.fence = f
	case f != "":
		s.fence = ""
	}
}

func (s *splitter) push(line string) {
	s.cur = append(s.cur, line)
	s.used += size(line) + 1
	s.fresh = false
}

// closing returns the length that it takes to end the part here.
func (s *splitter) closing() int {
	if s.fence == "" {
		return 0
	}
	return len(fence) + 1
}

func (s *splitter) flush() {
	text := strings.Join(s.cur, "\n")
	if s.fence != "" {
		text += "\n" + fence
	}
	if strings.TrimSpace(text) != "" && !s.fresh {
		s.parts = append(s.parts, strings.Trim(text, "\n"))
	}
	s.cur, s.used, s.fresh = nil, 0, false
	if s.fence != "" {
		s.push(s.fence)
		s.fresh = true
	}
}

// cutLine cuts a line that is too long, after a word if there is one.
func cutLine(line string, limit int) (head, rest string) {
	head = cutTo(line, limit)
	if i := strings.LastIndexByte(head, ' '); i > len(head)/2 {
		head = head[:i]
	}
	if head == "" {
		_, n := utf8.DecodeRuneInString(line)
		head = line[:n]
	}
	return head, strings.TrimPrefix(line[len(head):], " ")
}

// cutTo returns the beginning of a text, at most limit long. Signs made of several
// characters stay whole.
func cutTo(text string, limit int) string {
	n, end := 0, 0 // end is after the last whole sign
	joined := false
	for i, r := range text {
		if !joined && !joins(r) {
			end = i
		}
		joined = r == zeroWidthJoiner
		if n += max(utf16.RuneLen(r), 1); n > limit {
			if end == 0 {
				return text[:i] // one sign longer than a message
			}
			return text[:end]
		}
	}
	return text
}

// zeroWidthJoiner joins two signs into one.
const zeroWidthJoiner = '\u200d'

// joins reports whether a character belongs to the sign before it.
func joins(r rune) bool {
	skin := r >= 0x1f3fb && r <= 0x1f3ff
	return r == zeroWidthJoiner || skin || unicode.Is(unicode.M, r)
}
