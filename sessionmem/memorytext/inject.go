package memorytext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/transcript"
)

// Injected is the part of a memory file that goes into a prompt.
type Injected struct {
	Text   string // pieces, with the headings above them
	Pieces int    // their number
	Used   int    // characters (runes) injected
	Size   int    // characters of the whole memory
	Budget int
	Left   int // characters left out: the oldest pieces, and the end of one that is too long

	out map[int]bool // the lines left out (1-based)
}

// LeftOut reports whether the prompt lacks a line of the file (1-based), at least in part.
// Blank lines and comments aren't missed.
func (in Injected) LeftOut(line int) bool { return in.out[line] }

// Size returns how many characters of a memory could go into a prompt.
func Size(text string) int { return utf8.RuneCountInString(Parse(text).whole()) }

// whole returns the memory without comments and front matter.
func (m Text) whole() string {
	var lines []string
	for _, it := range m.Items {
		if it.Kind != Blank {
			lines = append(lines, m.visibleLines(it)...)
			continue
		}
		for n, line := range it.Lines {
			if _, touched := m.bare[it.First+n]; !touched && strings.TrimSpace(line) == "" {
				lines = append(lines, "")
			}
		}
	}
	return transcript.TrimBlankLines(strings.Join(lines, "\n"))
}

// Inject cuts a memory to a budget of characters. If everything fits, everything is kept.
// Otherwise it keeps the newest pieces, each whole and with the headings above it. A piece
// that is larger than the budget by itself keeps its beginning.
func Inject(text string, budget int) Injected {
	m := Parse(text)
	whole := m.whole()
	in := Injected{Size: utf8.RuneCountInString(whole), Budget: budget}
	pieces := m.Pieces()
	if in.Size <= budget {
		in.Text, in.Used, in.Pieces = whole, in.Size, len(pieces)
		return in
	}
	kept := m.keepNewest(pieces, budget)
	in.out = map[int]bool{}
	var parts []string
	for i, it := range m.Items {
		if it.Kind == Blank {
			continue
		}
		if kept[i].text != "" {
			parts = append(parts, kept[i].text)
		}
		in.Left += size(m.visibleLines(it)) - kept[i].size
		for n := kept[i].lines; n < len(it.Lines); n++ {
			in.out[it.First+n+1] = true
		}
	}
	for _, p := range pieces {
		if kept[p.Item].text != "" {
			in.Pieces++
		}
	}
	in.Text = strings.Join(parts, "\n")
	in.Used = utf8.RuneCountInString(in.Text)
	return in
}

// part is what is kept of an item.
type part struct {
	text  string // "" if nothing is
	size  int    // the item's own characters in text
	lines int    // the item's lines that are kept whole
}

// keepNewest chooses pieces from the end of the file as long as they fit, and returns what
// is kept of each item.
func (m Text) keepNewest(pieces []Piece, budget int) map[int]part {
	kept := map[int]part{}
	parent := parents(m.Items)
	whole := func(i int) part {
		lines := m.visibleLines(m.Items[i])
		return part{strings.Join(lines, "\n"), size(lines), len(m.Items[i].Lines)}
	}
	room := budget + 1 // the first line has no line end before it
	for _, piece := range slices.Backward(pieces) {
		var above []int
		need := 0
		for h := parent[piece.Item]; h >= 0 && kept[h].text == ""; h = parent[h] {
			above = append(above, h)
			need += whole(h).size + 1
		}
		own := whole(piece.Item)
		if need+own.size+1 > room {
			if need+own.size <= budget || own.size <= leastPart {
				break
			}
			if own = beginning(m.visibleLines(m.Items[piece.Item]), room-need-1); own.text == "" {
				continue
			}
		}
		kept[piece.Item] = own
		for _, h := range above {
			kept[h] = whole(h)
		}
		room -= need + utf8.RuneCountInString(own.text) + 1
	}
	return kept
}

// size returns the number of characters of lines.
func size(lines []string) int { return utf8.RuneCountInString(strings.Join(lines, "\n")) }

// leastPart is the smallest part of a piece that is worth keeping, in characters.
const leastPart = 80

// ellipsis stands behind the kept part of a line.
const ellipsis = " …"

// beginning returns the beginning of a piece that has room: whole lines, or else as much of
// the first ones as fits, to the end of a sentence or word. A code block that is cut is
// closed.
func beginning(lines []string, room int) part {
	fence := transcript.OpeningFence(lines[0])
	if fence != "" {
		room -= len(fence) + 1
	}
	if room < leastPart {
		return part{}
	}
	n, used := 0, 0
	for ; n < len(lines); n++ {
		next := used + utf8.RuneCountInString(lines[n]) + min(n, 1)
		if next > room {
			break
		}
		used = next
	}
	own := part{strings.Join(lines[:n], "\n"), used, n}
	switch {
	case fence != "" && n > 0:
		own.text += "\n" + fence
		return own
	case own.size >= room/2:
		return own
	}
	runes := []rune(strings.Join(lines, "\n"))[:room-utf8.RuneCountInString(ellipsis)]
	end := len(runes)
	for i := len(runes) - 1; i > len(runes)/2; i-- {
		if unicode.IsSpace(runes[i]) && strings.ContainsRune(".!?…", runes[i-1]) || strings.ContainsRune("。！？", runes[i]) {
			end = i + 1
			break
		}
		if end == len(runes) && unicode.IsSpace(runes[i]) {
			end = i
		}
	}
	text := strings.TrimRight(string(runes[:end]), " \t\r\n")
	return part{text + ellipsis, utf8.RuneCountInString(text), n}
}

// parents returns for each item the index of the heading it belongs to, or -1. The app's own
// heading belongs to none.
func parents(items []Item) []int {
	parent := make([]int, len(items))
	under := [8]int{-1, -1, -1, -1, -1, -1, -1, -1} // by level: the heading that applies to items below that level
	for i, it := range items {
		if it.Kind != Heading {
			parent[i] = under[7]
			continue
		}
		level := it.level
		if isOwn(it) {
			level = 1
		}
		parent[i] = under[level]
		for l := level + 1; l < len(under); l++ {
			under[l] = i
		}
	}
	return parent
}
