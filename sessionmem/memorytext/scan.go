package memorytext

import (
	"strings"

	"mac-stats/sessionmem/transcript"
)

// lineKind is what a line is before its items are known.
type lineKind byte

const (
	textLine  lineKind = iota
	blankLine          // also a line that holds only a comment, and front matter
	openLine           // opens a code block
	codeLine           // inside a code block, or its end
)

// scanner finds what isn't text in a memory: front matter, code and comments. These depend
// on each other: a comment in code is code, and a fence in a comment opens nothing.
type scanner struct {
	lines []string
	kinds []lineKind
	bare  map[int]string // the lines that comments touch, without them

	fence   string // of the code block that is open, "" for none
	inList  bool   // the open code block belongs to a bullet, and ends with it
	bullet  bool   // the last text belongs to a bullet
	block   int    // the first line of the paragraph or bullet that continues, or -1
	pending bool   // a comment begins and never ends
}

// scan reads the lines of a memory.
func scan(lines []string) *scanner {
	s := &scanner{lines: lines, kinds: make([]lineKind, len(lines)), block: -1}
	i := frontMatter(lines)
	for n := range i {
		s.kinds[n] = blankLine
	}
	for i < len(lines) {
		i = s.line(i)
	}
	s.endBlock(len(lines))
	return s
}

// frontMatter returns the number of lines at the beginning of a memory that are the
// settings of a note program. A rule at the beginning of a text looks alike, so what stands
// between the marks must be settings too: keys, with their lists and nested lines.
func frontMatter(lines []string) int {
	mark := strings.TrimRight(lines[0], " \t\r")
	if mark != "---" && mark != "+++" {
		return 0
	}
	keys := 0
	for i, line := range lines[1:] {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case line == mark, line == "..." && mark == "---":
			if keys == 0 && i > 0 {
				return 0
			}
			return i + 2
		case line == "", line[0] == '#', keys > 0 && strings.IndexByte(" \t]})", line[0]) >= 0, keys > 0 && strings.HasPrefix(line, "-"):
		case mark == "+++" && (line[0] == '[' || strings.Contains(line, "=")), mark == "---" && isKey(line):
			keys++
		default:
			return 0
		}
	}
	return 0
}

// isKey reports whether a line begins with the key of a YAML mapping.
func isKey(line string) bool {
	key, rest, found := strings.Cut(line, ":")
	return found && key != "" && strings.IndexByte("-*#>|[{", key[0]) < 0 && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// line reads line i and returns the next one to read.
func (s *scanner) line(i int) int {
	line := s.lines[i]
	if s.fence != "" {
		if !s.inList || strings.TrimSpace(line) == "" || isIndented(line) {
			s.kinds[i] = codeLine
			if transcript.ClosesFence(line, s.fence) {
				s.fence = ""
			}
			return i + 1
		}
		s.fence = "" // the bullet ends, and its code with it
	}
	if strings.TrimSpace(line) == "" {
		s.endBlock(i)
		s.kinds[i] = blankLine
		return i + 1
	}
	_, sign, text, listed := cutBullet(line)
	listed = listed && !isRule(line)
	if !listed {
		text = line
	}
	continues := isIndented(line) && s.bullet
	if fence := openingFence(text); fence != "" && (continues || listed || !s.isIndentedCode(i)) {
		s.endBlock(i)
		s.kinds[i], s.fence, s.inList, s.bullet = openLine, fence, continues || listed, continues || listed
		return i + 1
	}
	if !listed && !continues && s.isIndentedCode(i) {
		s.kinds[i] = codeLine
		return i + 1
	}
	if !listed && strings.HasPrefix(strings.TrimLeft(line, " \t"), "<!--") {
		if end, ok := s.commentBlock(i); ok {
			return end
		}
	}
	switch {
	case listed || headingLevel(line) > 0 || isRule(line):
		s.endBlock(i)
		s.block = i
		s.bullet = listed && sign != ""
		if !listed {
			s.endBlock(i + 1)
			s.bullet = false
		}
	case s.block < 0:
		s.block = i
		s.bullet = continues
	}
	return i + 1
}

// isIndented reports whether a line is indented far enough to belong to the bullet above.
func isIndented(line string) bool {
	return strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
}

// isIndentedCode reports whether a line is code because of its indentation.
func (s *scanner) isIndentedCode(i int) bool {
	return s.block < 0 && !s.bullet && (strings.HasPrefix(s.lines[i], "    ") || strings.HasPrefix(s.lines[i], "\t"))
}

// openingFence returns the mark of a line that opens a code block. A line such as
// ```code``` is a paragraph.
func openingFence(line string) string {
	fence := transcript.OpeningFence(line)
	if fence != "" && fence[0] == '`' && strings.Contains(strings.TrimLeft(line, " \t")[len(fence):], "`") {
		return ""
	}
	return fence
}

// commentBlock reads a comment that begins line i; it may hold blank lines. It returns the
// next line to read, or false if the comment never ends: then it is text, so that it
// doesn't hide the rest.
func (s *scanner) commentBlock(i int) (next int, ok bool) {
	if s.pending { // nothing ends a comment from here on
		return 0, false
	}
	from := strings.Index(s.lines[i], "<!--")
	end, after := commentEnd(s.lines[i][from:]), ""
	last := i
	for end < 0 {
		if last++; last == len(s.lines) {
			s.pending = true
			return 0, false
		}
		if n := strings.Index(s.lines[last], "-->"); n >= 0 {
			after = s.lines[last][n+3:]
			break
		}
	}
	if end >= 0 {
		after = s.lines[i][from+end:]
	}
	s.endBlock(i)
	for n := i; n <= last; n++ {
		s.kinds[n] = blankLine
		s.touch(n, "")
	}
	if strings.TrimSpace(after) != "" {
		after = cutComments(after)
	}
	if s.touch(last, strings.Repeat(" ", from)+strings.TrimLeft(after, " \t")); strings.TrimSpace(after) != "" {
		s.kinds[last], s.block = textLine, -1
	}
	return last + 1, true
}

// touch records a line without its comments.
func (s *scanner) touch(i int, bare string) {
	if s.bare == nil {
		s.bare = map[int]string{}
	}
	s.bare[i] = strings.TrimRight(bare, " \t")
}

// endBlock ends the paragraph or bullet before line i and finds the comments in it.
func (s *scanner) endBlock(i int) {
	first := s.block
	s.block = -1
	if first < 0 {
		return
	}
	text := strings.Join(s.lines[first:i], "\n")
	spans := inlineComments(text)
	if len(spans) == 0 {
		return
	}
	bare := strings.Split(without(text, spans, func(c string) string { return strings.Repeat("\n", strings.Count(c, "\n")) }), "\n")
	for n, line := range bare {
		if line == s.lines[first+n] {
			continue
		}
		s.touch(first+n, line)
		if strings.TrimSpace(line) == "" {
			s.kinds[first+n] = blankLine
		}
	}
}

// inlineComments returns where the comments of a paragraph or bullet begin and end. What
// looks like one in a code span is code.
func inlineComments(text string) [][2]int {
	if !strings.Contains(text, "<!--") {
		return nil
	}
	var spans [][2]int
	ends := true // whether a comment that begins here may end
	for i := 0; i < len(text); {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i += 2
		case text[i] == '`':
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
			i += n + codeSpan(text[i+n:], n)
		case ends && strings.HasPrefix(text[i:], "<!--"):
			end := commentEnd(text[i:])
			if end < 0 {
				ends = false
				continue
			}
			spans = append(spans, [2]int{i, i + end})
			i += end
		default:
			i++
		}
	}
	return spans
}

// codeSpan returns the length of the code span's rest that n backticks have opened, 0 if
// nothing closes it.
func codeSpan(text string, n int) int {
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		run := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if i += run; run == n {
			return i
		}
	}
	return 0
}

// commentEnd returns the length of the comment that begins text, or -1.
func commentEnd(text string) int {
	for _, empty := range []string{"<!-->", "<!--->"} {
		if strings.HasPrefix(text, empty) {
			return len(empty)
		}
	}
	if n := strings.Index(text[4:], "-->"); n >= 0 {
		return 4 + n + 3
	}
	return -1
}

// cutComments removes the comments of a paragraph or bullet.
func cutComments(text string) string {
	return without(text, inlineComments(text), func(string) string { return "" })
}

// without replaces the spans of a text.
func without(text string, spans [][2]int, with func(span string) string) string {
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
