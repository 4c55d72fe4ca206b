package sessionmem

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bullet is one remembered line.
type Bullet struct {
	Line int    // 1-based line in the file
	Text string // without the bullet sign and the trailing provenance comment
	From string // the provenance comment's words, e.g. "2026-11-21 cpu-k3x9qa"
}

// Injected is the part of a memory file that goes into a prompt.
type Injected struct {
	Text   string // whole lines only: bullets (and what else is written) and the headings above them
	Used   int    // characters (runes) injected
	Size   int    // characters of the whole file without comments
	Budget int
	Cut    int // bullets left out (the oldest)
}

var (
	bulletPattern = regexp.MustCompile(`^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(\S.*)$`)
	fromPattern   = regexp.MustCompile(`<!--([^<>\n]*)-->[ \t]*$`)
	headingLine   = regexp.MustCompile(`^ {0,3}(#{1,6})([ \t]|$)`)
	fenceLine     = regexp.MustCompile("^[ \t]*(```+|~~~+)")
	ruleLine      = regexp.MustCompile(`^ {0,3}([-*_][ \t]*){3,}$`)
)

// itemKind says what a piece of a memory file is.
type itemKind int

const (
	itemBlank itemKind = iota
	itemHeading
	itemBullet
	itemProse // everything else that is not blank: paragraphs, tables, fenced code
)

// item is a run of lines that belong together: a bullet with its continuation
// lines, a heading, a fenced block, a paragraph.
type item struct {
	kind  itemKind
	first int // 0-based line
	lines []string
	level int    // headings: 1 … 6
	sign  string // bullets: "-", "*", "+", "1." …
	pad   string // bullets: what stands before the sign
	text  string // bullets: what follows the sign in the first line
}

// memoryText is a memory file taken apart. Its items cover every line.
type memoryText struct{ items []item }

// parseMemory takes a normalized text apart.
func parseMemory(text string) memoryText {
	lines := strings.Split(text, "\n")
	hidden := hiddenLines(text)
	var m memoryText
	fenced := ""
	for i, line := range lines {
		switch {
		case fenced != "":
			m.extend(line)
			if closesFence(line, fenced) {
				fenced = ""
			}
		case hidden[i] || strings.TrimSpace(line) == "":
			m.items = append(m.items, item{kind: itemBlank, first: i, lines: []string{line}})
		case startsWith(line, "`~") && fenceLine.MatchString(line):
			fenced = fenceLine.FindStringSubmatch(line)[1]
			if m.continues(line) {
				break
			}
			m.items = append(m.items, item{kind: itemProse, first: i, lines: []string{line}})
		default:
			m.addLine(i, line)
		}
	}
	return m
}

// startsWith says whether the first character of a line after its blanks is one
// of these: cheaper than a pattern, which most lines don't match.
func startsWith(line, chars string) bool {
	line = strings.TrimLeft(line, " \t")
	return line != "" && strings.IndexByte(chars, line[0]) >= 0
}

// isRule says whether a line is a horizontal rule.
func isRule(line string) bool { return startsWith(line, "-*_") && ruleLine.MatchString(line) }

// addLine adds a line that is neither blank nor fenced.
func (m *memoryText) addLine(i int, line string) {
	if startsWith(line, "#") {
		if h := headingLine.FindStringSubmatch(line); h != nil {
			m.items = append(m.items, item{kind: itemHeading, first: i, lines: []string{line}, level: len(h[1])})
			return
		}
	}
	if startsWith(line, "-*+0123456789") && !isRule(line) {
		if b := bulletPattern.FindStringSubmatch(line); b != nil {
			m.items = append(m.items, item{kind: itemBullet, first: i, lines: []string{line}, pad: b[1], sign: b[2], text: strings.TrimSpace(b[3])})
			return
		}
	}
	if m.continues(line) {
		return
	}
	if last := m.last(); last != nil && (last.kind == itemBullet || last.kind == itemProse) && !isRule(line) {
		last.lines = append(last.lines, line)
		return
	}
	m.items = append(m.items, item{kind: itemProse, first: i, lines: []string{line}})
}

// continues adds an indented line to the bullet it belongs to, across blank
// lines. It reports false for a line that belongs to none.
func (m *memoryText) continues(line string) bool {
	if !strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "\t") {
		return false
	}
	i := len(m.items) - 1
	for i >= 0 && m.items[i].kind == itemBlank {
		i--
	}
	if i < 0 || m.items[i].kind != itemBullet {
		return false
	}
	for _, blank := range m.items[i+1:] {
		m.items[i].lines = append(m.items[i].lines, blank.lines...)
	}
	m.items = m.items[:i+1]
	m.extend(line)
	return true
}

func (m *memoryText) last() *item {
	if len(m.items) == 0 {
		return nil
	}
	return &m.items[len(m.items)-1]
}

func (m *memoryText) extend(line string) { m.last().lines = append(m.last().lines, line) }

func closesFence(line, fence string) bool {
	t := strings.TrimSpace(line)
	return strings.HasPrefix(t, fence) && strings.Trim(t, fence[:1]) == ""
}

// commentSpans gives where the comments of a text begin and end. One that does
// not end is none: it is shown rather than hides the rest.
func commentSpans(text string) [][2]int {
	var spans [][2]int
	for at := 0; ; {
		i := strings.Index(text[at:], "<!--")
		if i < 0 {
			return spans
		}
		begin := at + i
		n := strings.Index(text[begin+4:], "-->")
		if n < 0 {
			return spans
		}
		at = begin + 4 + n + 3
		spans = append(spans, [2]int{begin, at})
	}
}

// replaceComments puts what with gives in the place of each comment.
func replaceComments(text string, with func(comment string) string) string {
	var b strings.Builder
	at := 0
	for _, span := range commentSpans(text) {
		b.WriteString(text[at:span[0]])
		b.WriteString(with(text[span[0]:span[1]]))
		at = span[1]
	}
	b.WriteString(text[at:])
	return b.String()
}

// hiddenLines gives the lines that hold nothing but (a part of) a comment.
func hiddenLines(text string) map[int]bool {
	hidden := map[int]bool{}
	counted, lines := 0, 0 // line ends before the offset counted
	for _, span := range commentSpans(text) {
		lines += strings.Count(text[counted:span[0]], "\n")
		counted = span[0]
		begin := strings.LastIndexByte(text[:span[0]], '\n') + 1
		if strings.TrimSpace(text[begin:span[0]]) != "" {
			continue
		}
		line := lines
		rest, _, _ := strings.Cut(text[span[1]:], "\n")
		last := line + strings.Count(text[span[0]:span[1]], "\n")
		if strings.TrimSpace(rest) != "" {
			last--
		}
		for ; line <= last; line++ {
			hidden[line] = true
		}
	}
	return hidden
}

// bullets gives the bullets in the order of the file.
func (m memoryText) bullets() []Bullet {
	var out []Bullet
	for _, it := range m.items {
		if it.kind != itemBullet {
			continue
		}
		body := it.text
		for _, l := range it.lines[1:] {
			body += " " + strings.TrimSpace(l)
		}
		b := Bullet{Line: it.first + 1}
		if strings.Contains(body, "<!--") {
			if from := fromPattern.FindStringSubmatch(body); from != nil {
				b.From = strings.TrimSpace(from[1])
			}
			body = replaceComments(body, func(string) string { return " " })
		}
		b.Text = oneLine(body)
		if b.Text != "" {
			out = append(out, b)
		}
	}
	return out
}

// Inject cuts the file to a budget of characters: whole bullets only, comments
// removed, newest kept. What else stands in the file (a paragraph, a table) is
// kept or left out in the same way, as a whole; all of it is there when it fits.
func (f MemoryFile) Inject(budget int) Injected {
	text := trimBlankLines(withoutComments(f.Text))
	in := Injected{Size: utf8.RuneCountInString(text), Budget: budget}
	if in.Size <= budget {
		in.Text, in.Used = text, in.Size
		return in
	}
	items := parseMemory(text).items
	kept := keepNewest(items, budget)
	for i, it := range items {
		if it.kind == itemBullet && !kept[i] {
			in.Cut++
		}
	}
	in.Text = joinKept(items, kept)
	in.Used = utf8.RuneCountInString(in.Text)
	return in
}

// withoutComments takes comments out, and the lines that held nothing else.
func withoutComments(text string) string {
	if !strings.Contains(text, "<!--") {
		return text
	}
	hidden := hiddenLines(text)
	marked := replaceComments(text, func(c string) string {
		return strings.Repeat("\n", strings.Count(c, "\n"))
	})
	var out []string
	for i, line := range strings.Split(marked, "\n") {
		if !hidden[i] {
			out = append(out, strings.TrimRight(line, " \t"))
		}
	}
	return strings.Join(out, "\n")
}

// keepNewest chooses from the end of the file: whole items with the headings
// above them, as long as they fit. An item that could never fit is passed over.
func keepNewest(items []item, budget int) []bool {
	kept := make([]bool, len(items))
	used := 0
	for i := len(items) - 1; i >= 0; i-- {
		if items[i].kind != itemBullet && items[i].kind != itemProse {
			continue
		}
		need := items[i].size()
		if need > budget {
			continue
		}
		heads := headingsAbove(items, i)
		for _, h := range heads {
			if !kept[h] {
				need += items[h].size()
			}
		}
		if used+need > budget {
			break
		}
		used += need
		kept[i] = true
		for _, h := range heads {
			kept[h] = true
		}
	}
	return kept
}

// size is the item's characters with its line ends.
func (it item) size() int {
	n := 0
	for _, l := range it.lines {
		n += utf8.RuneCountInString(l) + 1
	}
	return n
}

// headingsAbove gives the headings an item stands under, nearest first.
func headingsAbove(items []item, i int) []int {
	var heads []int
	level := 7
	for i--; i >= 0 && level > 1; i-- {
		if items[i].kind == itemHeading && items[i].level < level {
			level = items[i].level
			heads = append(heads, i)
		}
	}
	return heads
}

func joinKept(items []item, kept []bool) string {
	var lines []string
	for i, it := range items {
		if kept[i] {
			lines = append(lines, it.lines...)
		}
	}
	return strings.Join(lines, "\n")
}
