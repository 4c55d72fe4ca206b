package memorytext

import (
	"strings"
	"unicode/utf8"

	"mac-stats/sessionmem/transcript"
)

// Injected is the part of a memory file that goes into a prompt.
type Injected struct {
	Text   string // whole lines only: bullets (and other text) with the headings above them
	Used   int    // characters (runes) injected
	Size   int    // characters of the whole file without comments
	Budget int
	Cut    int // bullets left out (the oldest)
}

// Inject cuts a memory to a budget of characters: it removes comments and keeps the newest
// whole bullets. Other items (a paragraph, a table) are kept or left out as a whole too. If
// everything fits, everything is kept.
func Inject(text string, budget int) Injected {
	text = transcript.TrimBlankLines(withoutComments(text))
	in := Injected{Size: utf8.RuneCountInString(text), Budget: budget}
	if in.Size <= budget {
		in.Text, in.Used = text, in.Size
		return in
	}
	items := Parse(text).Items
	kept := keepNewest(items, budget)
	for i, it := range items {
		if it.Kind == Bulleted && !kept[i] {
			in.Cut++
		}
	}
	in.Text = joinKept(items, kept)
	in.Used = utf8.RuneCountInString(in.Text)
	return in
}

// LeftOut returns the lines of a memory (1-based) that a prompt with this budget doesn't
// hold: those that Inject cuts, and headings with no kept line below. Blank lines and
// comments aren't included.
func LeftOut(file string, budget int) map[int]bool {
	text := withoutComments(file)
	in := transcript.TrimBlankLines(text)
	if utf8.RuneCountInString(in) <= budget {
		return nil
	}
	hidden := map[int]bool{}
	if text != file {
		hidden = hiddenLines(file)
	}
	var numbers []int // of the lines that remain
	for i := range strings.Count(file, "\n") + 1 {
		if !hidden[i] {
			numbers = append(numbers, i+1)
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			numbers = numbers[i:]
			break
		}
	}
	out := map[int]bool{}
	items := Parse(in).Items
	kept := keepNewest(items, budget)
	for i, it := range items {
		for n := range it.Lines {
			if !kept[i] && it.Kind != Blank {
				out[numbers[it.First+n]] = true
			}
		}
	}
	return out
}

// Size returns how many characters of a memory could go into a prompt.
func Size(text string) int {
	return utf8.RuneCountInString(transcript.TrimBlankLines(withoutComments(text)))
}

// keepNewest chooses items from the end of the file, each whole and with the headings above
// it, as long as they fit. It skips items that are larger than the budget.
func keepNewest(items []Item, budget int) []bool {
	kept := make([]bool, len(items))
	parent := parents(items)
	used := 0
	for i := len(items) - 1; i >= 0; i-- {
		if items[i].Kind != Bulleted && items[i].Kind != Prose {
			continue
		}
		need := items[i].size()
		if need > budget {
			continue
		}
		for h := parent[i]; h >= 0 && !kept[h]; h = parent[h] {
			need += items[h].size()
		}
		if used+need > budget {
			break
		}
		used += need
		kept[i] = true
		for h := parent[i]; h >= 0 && !kept[h]; h = parent[h] {
			kept[h] = true
		}
	}
	return kept
}

// size returns the number of the item's characters, line ends included.
func (it Item) size() int {
	n := 0
	for _, l := range it.Lines {
		n += utf8.RuneCountInString(l) + 1
	}
	return n
}

// parents returns for each item the index of the heading it belongs to, or -1.
func parents(items []Item) []int {
	parent := make([]int, len(items))
	under := [8]int{-1, -1, -1, -1, -1, -1, -1, -1} // by level: the heading that applies to items below that level
	for i, it := range items {
		if it.Kind != Heading {
			parent[i] = under[7]
			continue
		}
		parent[i] = under[it.level]
		for level := it.level + 1; level < len(under); level++ {
			under[level] = i
		}
	}
	return parent
}

func joinKept(items []Item, kept []bool) string {
	var lines []string
	for i, it := range items {
		if kept[i] {
			lines = append(lines, it.Lines...)
		}
	}
	return strings.Join(lines, "\n")
}
