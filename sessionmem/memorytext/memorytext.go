// Package memorytext parses and changes the text of a memory file, which people edit too:
// headings, bullets with their continuation lines, paragraphs, tables and code. Front matter
// and comments aren't part of the memory: no model sees them.
//
// Rules:
//   - The items of a parsed text (Parse) cover every line; joined, they are the text again.
//   - A new line (Append) goes to the end of the file, below a heading of the app's own, so
//     that no list, code or heading of a person's gives it another meaning. All earlier bytes
//     stay. Other changes (Replace, Change.Revert) leave all unrelated bytes as they are.
//   - Any text is memory, in pieces (Pieces). A prompt gets whole pieces, the newest first,
//     and whatever doesn't fit is counted in characters (Inject).
//   - Parsing happens in every turn, so it copies no line and uses no regular expression.
//
// The package doesn't know files, locks or agents. Memory writes lessons and proposals with
// it, prompts cut memories to their budget, and the index splits memories into pieces.
package memorytext

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"mac-stats/sessionmem/transcript"
)

// Bullet is one remembered line.
type Bullet struct {
	Line int    // 1-based line in the file
	Text string // without the list's sign and comments
	Head string // the part of Text in the first line; people write more below a remembered line
	From string // the provenance comment's words, e.g. "2026-11-21 cpu-k3x9qa"
}

// Kind is the kind of an item.
type Kind int

// The kinds of items.
const (
	Blank Kind = iota // blank lines, comments and front matter
	Heading
	Bulleted
	Prose // everything else that isn't blank: paragraphs, tables, fenced code
)

// Item is a run of lines that belong together: a bullet with its continuation
// lines, a heading, a fenced block, a paragraph.
type Item struct {
	Kind  Kind
	First int // 0-based line
	Lines []string
	level int    // headings: 1 … 6
	sign  string // bullets: "-", "*", "+", "1." …
	pad   string // bullets: the text before the sign
	text  string // bullets: the text after the sign in the first line
}

// Text is a parsed memory file. Its items cover every line, in order.
type Text struct {
	Lines []string
	Items []Item

	bare    map[int]string // the lines that comments touch, without them
	fence   string         // the mark of a code block that is open at the end; "" for none
	pending bool           // a comment begins and never ends
}

// Parse parses a normalised text. It runs in every turn, so it copies no line and uses no
// regular expression.
func Parse(text string) Text {
	m := Text{Lines: strings.Split(text, "\n")}
	m.Items = make([]Item, 0, min(len(m.Lines), 16+len(text)/24))
	s := scan(m.Lines)
	m.bare, m.pending = s.bare, s.pending
	if !s.inList {
		m.fence = s.fence
	}
	for i := range m.Lines {
		switch s.kinds[i] {
		case blankLine:
			m.addBlank(i)
		case codeLine:
			if i > 0 && s.kinds[i-1] >= openLine {
				m.extend(i)
			} else {
				m.begin(i, Item{Kind: Prose})
			}
		case openLine:
			if _, _, _, listed := cutBullet(m.Lines[i]); listed {
				m.addLine(i)
			} else if !m.continues(i) {
				m.begin(i, Item{Kind: Prose})
			}
		default:
			m.addLine(i)
		}
	}
	return m
}

// ParseBytes parses a file's bytes.
func ParseBytes(raw []byte) Text { return Parse(Normalize(raw)) }

// Normalize converts a file's bytes to text: no BOM, LF, valid UTF-8. Line numbers stay the
// same.
func Normalize(raw []byte) string {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	text := string(raw)
	if !utf8.ValidString(text) { // much faster than ToValidUTF8
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// addBlank adds a blank line. Consecutive blank lines are one item.
func (m *Text) addBlank(i int) {
	if n := len(m.Items); n > 0 && m.Items[n-1].Kind == Blank {
		m.extend(i)
		return
	}
	m.begin(i, Item{Kind: Blank})
}

// begin adds an item whose first line is i.
func (m *Text) begin(i int, it Item) {
	it.First, it.Lines = i, m.Lines[i:i+1]
	m.Items = append(m.Items, it)
}

// extend makes line i the last line of the last item.
func (m *Text) extend(i int) {
	last := &m.Items[len(m.Items)-1]
	last.Lines = m.Lines[last.First : i+1]
}

// addLine adds a line that is neither blank nor fenced.
func (m *Text) addLine(i int) {
	line := m.Lines[i]
	if level := headingLevel(line); level > 0 {
		m.begin(i, Item{Kind: Heading, level: level})
		return
	}
	if pad, sign, text, ok := cutBullet(line); ok && !isRule(line) {
		m.begin(i, Item{Kind: Bulleted, pad: pad, sign: sign, text: strings.TrimSpace(text)})
		return
	}
	if m.continues(i) {
		return
	}
	if n := len(m.Items); n > 0 && (m.Items[n-1].Kind == Bulleted || m.Items[n-1].Kind == Prose) && !isRule(line) {
		m.extend(i)
		return
	}
	m.begin(i, Item{Kind: Prose})
}

// continues adds an indented line to the bullet it belongs to, also across blank lines. It
// returns false if the line belongs to none.
func (m *Text) continues(i int) bool {
	if line := m.Lines[i]; !strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "\t") {
		return false
	}
	n := len(m.Items)
	for n > 0 && m.Items[n-1].Kind == Blank {
		n--
	}
	if n == 0 || m.Items[n-1].Kind != Bulleted {
		return false
	}
	m.Items = m.Items[:n]
	m.extend(i)
	return true
}

// cutBullet splits a line with a bullet (-, *, +, 1. or 1)) into the text before its sign,
// the sign, and the text after it.
func cutBullet(line string) (pad, sign, text string, ok bool) {
	rest := trimBlanks(line)
	pad = line[:len(line)-len(rest)]
	n := 0
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	if n > 9 || n == len(rest) || n == 0 && strings.IndexByte("-*+", rest[0]) < 0 || n > 0 && rest[n] != '.' && rest[n] != ')' {
		return "", "", "", false
	}
	sign, rest = rest[:n+1], rest[n+1:]
	text = trimBlanks(rest)
	if text == rest || text == "" || strings.IndexByte("\n\f\r", text[0]) >= 0 {
		return "", "", "", false
	}
	return pad, sign, text, true
}

// trimBlanks returns text without the blanks at its beginning, faster than strings.TrimLeft.
func trimBlanks(text string) string {
	for text != "" && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	return text
}

// headingLevel returns 1 … 6 for a heading, else 0.
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

// headingText returns a heading's words.
func headingText(line string) string { return transcript.OneLine(strings.Trim(line, "# \t")) }

// isRule reports whether a line is a horizontal rule.
func isRule(line string) bool {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || rest == "" || strings.IndexByte("-*_", rest[0]) < 0 {
		return false
	}
	marks := 0
	for _, c := range []byte(rest) {
		switch c {
		case '-', '*', '_':
			marks++
		case ' ', '\t':
		default:
			return false
		}
	}
	return marks >= 3
}

// Bullets returns the bullets in the order of the file.
func (m Text) Bullets() []Bullet {
	var out []Bullet
	for _, it := range m.Items {
		if b, ok := it.Bullet(); ok {
			out = append(out, b)
		}
	}
	return out
}

// Bullet returns an item as a Bullet. ok is false for items of other kinds and for empty
// bullets.
func (it Item) Bullet() (b Bullet, ok bool) {
	if it.Kind != Bulleted {
		return Bullet{}, false
	}
	body := it.text
	if len(it.Lines) > 1 {
		body += "\n" + strings.Join(it.Lines[1:], "\n")
	}
	b.Line = it.First + 1
	b.Head, b.Text = it.text, body
	if spans := inlineComments(body); len(spans) > 0 {
		blank := func(string) string { return " " }
		b.Text = without(body, spans, blank)
		b.Head = without(it.text, inlineComments(it.text), blank)
		b.From = provenance(body, spans, len(it.text))
	}
	b.Text, b.Head = transcript.OneLine(b.Text), transcript.OneLine(b.Head)
	return b, b.Text != ""
}

// HasBullet reports whether there is a bullet with this text, at this 1-based line unless
// line is 0.
func (m Text) HasBullet(line int, text string) bool {
	return slices.ContainsFunc(m.Items, func(it Item) bool {
		if line != 0 && it.First+1 != line {
			return false
		}
		b, ok := it.Bullet()
		return ok && b.Text == text
	})
}

// BulletOf parses a single line of a memory, with or without a list's sign.
func BulletOf(line string) Bullet {
	if _, _, text, ok := cutBullet(line); ok && !isRule(line) && !strings.Contains(line, "\n") && utf8.ValidString(line) { // the usual case, without parsing
		if b, ok := (Item{Kind: Bulleted, Lines: []string{line}, text: strings.TrimSpace(text)}).Bullet(); ok {
			return b
		}
	}
	for _, b := range ParseBytes([]byte(line)).Bullets() {
		return b
	}
	return Bullet{Text: strings.TrimSpace(line)}
}

// WithoutSign returns a line without its list sign.
func WithoutSign(line string) string {
	first, rest, more := strings.Cut(line, "\n")
	if _, _, text, ok := cutBullet(first); ok {
		first = strings.TrimRight(text, "\r")
	}
	if more {
		return first + "\n" + rest
	}
	return first
}
