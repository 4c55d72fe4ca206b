package memory

import (
	"strings"

	"mac-stats/sessionmem/transcript"
)

// Bullet is one remembered line.
type Bullet struct {
	Line int    // 1-based line in the file
	Text string // without the bullet sign and the trailing provenance comment
	From string // the provenance comment's words, e.g. "2026-11-21 cpu-k3x9qa"
}

// LearntOnDiscord reports whether a line's provenance names a Discord session.
func LearntOnDiscord(from string) bool {
	for word := range strings.FieldsSeq(from) {
		if source, id := transcript.SplitName(word); source == "discord" && id != "" {
			return true
		}
	}
	return false
}

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

// memoryText is a memory file taken apart. Its items cover every line, in order.
type memoryText struct {
	lines []string
	items []item
}

// parseMemory takes a normalized text apart. It is read in every turn, so it
// copies no line and uses no pattern.
func parseMemory(text string) memoryText {
	m := memoryText{lines: strings.Split(text, "\n")}
	m.items = make([]item, 0, min(len(m.lines), 16+len(text)/24))
	hidden := hiddenLines(text)
	fenced := ""
	for i, line := range m.lines {
		switch {
		case fenced != "":
			m.extend(i)
			if transcript.ClosesFence(line, fenced) {
				fenced = ""
			}
		case hidden[i] || strings.TrimSpace(line) == "":
			m.addBlank(i)
		case transcript.OpeningFence(line) != "":
			fenced = transcript.OpeningFence(line)
			if !m.continues(i) {
				m.begin(i, item{kind: itemProse})
			}
		default:
			m.addLine(i)
		}
	}
	return m
}

// addBlank adds a line that says nothing; those in a row are one item.
func (m *memoryText) addBlank(i int) {
	if n := len(m.items); n > 0 && m.items[n-1].kind == itemBlank {
		m.extend(i)
		return
	}
	m.begin(i, item{kind: itemBlank})
}

// begin adds an item whose first line is i.
func (m *memoryText) begin(i int, it item) {
	it.first, it.lines = i, m.lines[i:i+1]
	m.items = append(m.items, it)
}

// extend makes line i the last one of the last item.
func (m *memoryText) extend(i int) {
	last := &m.items[len(m.items)-1]
	last.lines = m.lines[last.first : i+1]
}

// addLine adds a line that is neither blank nor fenced.
func (m *memoryText) addLine(i int) {
	line := m.lines[i]
	if level := headingLevel(line); level > 0 {
		m.begin(i, item{kind: itemHeading, level: level})
		return
	}
	if pad, sign, text, ok := cutBullet(line); ok && !isRule(line) {
		m.begin(i, item{kind: itemBullet, pad: pad, sign: sign, text: strings.TrimSpace(text)})
		return
	}
	if m.continues(i) {
		return
	}
	if n := len(m.items); n > 0 && (m.items[n-1].kind == itemBullet || m.items[n-1].kind == itemProse) && !isRule(line) {
		m.extend(i)
		return
	}
	m.begin(i, item{kind: itemProse})
}

// continues adds an indented line to the bullet it belongs to, across blank
// lines. It reports false for a line that belongs to none.
func (m *memoryText) continues(i int) bool {
	if line := m.lines[i]; !strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "\t") {
		return false
	}
	n := len(m.items)
	for n > 0 && m.items[n-1].kind == itemBlank {
		n--
	}
	if n == 0 || m.items[n-1].kind != itemBullet {
		return false
	}
	m.items = m.items[:n]
	m.extend(i)
	return true
}

// cutBullet parts a line with a bullet (-, *, +, 1. or 1)) into what stands
// before its sign, the sign, and the text after it.
func cutBullet(line string) (pad, sign, text string, ok bool) {
	rest := strings.TrimLeft(line, " \t")
	pad = line[:len(line)-len(rest)]
	n := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if n > 9 || n == len(rest) || n == 0 && strings.IndexByte("-*+", rest[0]) < 0 || n > 0 && rest[n] != '.' && rest[n] != ')' {
		return "", "", "", false
	}
	sign, rest = rest[:n+1], rest[n+1:]
	text = strings.TrimLeft(rest, " \t")
	if text == rest || text == "" || strings.IndexByte("\n\f\r", text[0]) >= 0 {
		return "", "", "", false
	}
	return pad, sign, text, true
}

// headingLevel is 1 … 6 for a heading, else 0.
func headingLevel(line string) int {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 {
		return 0
	}
	text := strings.TrimLeft(rest, "#")
	level := len(rest) - len(text)
	if level > 6 || text != "" && text[0] != ' ' && text[0] != '\t' {
		return 0
	}
	return level
}

// isRule says whether a line is a horizontal rule.
func isRule(line string) bool {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || rest == "" || strings.IndexByte("-*_", rest[0]) < 0 {
		return false
	}
	blanks := strings.Count(rest, " ") + strings.Count(rest, "\t")
	return len(rest)-blanks >= 3 && strings.Trim(rest, "-*_ \t") == ""
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
	spans := commentSpans(text)
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, span := range spans {
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
	counted, lines := 0, 0      // line ends before the offset counted
	lineStart, lineEnd := 0, -1 // of the line that a comment begins in, and of the one that it ends in
	for _, span := range commentSpans(text) {
		between := text[counted:span[0]]
		if i := strings.LastIndexByte(between, '\n'); i >= 0 {
			lines += strings.Count(between, "\n")
			lineStart = counted + i + 1
		}
		counted = span[0]
		if strings.TrimSpace(text[lineStart:span[0]]) != "" {
			continue
		}
		if lineEnd < span[1] {
			rest, _, _ := strings.Cut(text[span[1]:], "\n")
			lineEnd = span[1] + len(rest)
		}
		last := lines + strings.Count(text[span[0]:span[1]], "\n")
		if strings.TrimSpace(text[span[1]:lineEnd]) != "" {
			last--
		}
		for line := lines; line <= last; line++ {
			hidden[line] = true
		}
	}
	return hidden
}

// bullets gives the bullets in the order of the file.
func (m memoryText) bullets() []Bullet {
	var out []Bullet
	for _, it := range m.items {
		if b, ok := it.bullet(); ok {
			out = append(out, b)
		}
	}
	return out
}

// bullet gives an item as a Bullet; ok is false for another kind of item and for a
// bullet that says nothing.
func (it item) bullet() (b Bullet, ok bool) {
	if it.kind != itemBullet {
		return Bullet{}, false
	}
	body := it.text
	if len(it.lines) > 1 {
		body += " " + strings.Join(it.lines[1:], " ")
	}
	b.Line = it.first + 1
	body, b.From = cutProvenance(body)
	b.Text = transcript.OneLine(replaceComments(body, func(string) string { return " " }))
	return b, b.Text != ""
}

// cutProvenance takes the comment off that a bullet ends with, if it does, and
// gives its words.
func cutProvenance(body string) (rest, from string) {
	inner, ok := strings.CutSuffix(strings.TrimRight(body, " \t"), "-->")
	i := strings.LastIndex(inner, "<!--")
	if !ok || i < 0 || strings.ContainsAny(inner[i+4:], "<>\n") {
		return body, ""
	}
	from = strings.TrimSpace(inner[i+4:])
	if strings.Contains(inner[:i], "<!--") {
		return body, from // it may end a comment that begins before
	}
	return inner[:i], from
}
