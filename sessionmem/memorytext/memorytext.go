// Package memorytext parses and changes the text of a memory file, which people edit too:
// headings, bullets with their continuation lines, paragraphs, code, and comments, which no
// model sees.
//
// Rules:
//   - The items of a parsed text (Parse) cover every line; joined, they are the text again.
//   - A change (Insert, Replace, Change.Revert) leaves all unrelated bytes as they are, and
//     uses the file's own line ends, list signs and indentation.
//   - A prompt gets whole items, the newest first, without comments (Inject).
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
	Text string // without the list's sign and the provenance comment at the end
	From string // the provenance comment's words, e.g. "2026-11-21 cpu-k3x9qa"
}

// Kind is the kind of an item.
type Kind int

// The kinds of items.
const (
	Blank Kind = iota
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
}

// Parse parses a normalised text. It runs in every turn, so it copies no line and uses no
// regular expression.
func Parse(text string) Text {
	m := Text{Lines: strings.Split(text, "\n")}
	m.Items = make([]Item, 0, min(len(m.Lines), 16+len(text)/24))
	hidden := hiddenLines(text)
	fenced := ""
	for i, line := range m.Lines {
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
		body += " " + strings.Join(it.Lines[1:], " ")
	}
	b.Line = it.First + 1
	body, b.From = cutProvenance(body)
	b.Text = transcript.OneLine(replaceComments(body, func(string) string { return " " }))
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
