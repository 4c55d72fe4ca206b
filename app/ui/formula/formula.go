// Package formula turns the LaTeX that models write into the characters of a text font.
//
// It doesn't typeset. Text between $…$, $$…$$, \(…\) and \[…\] isn't treated as markdown
// (an underscore in it is no emphasis) and is made readable: x², α ≤ √x, ∑ᵢ₌₁ⁿ i. Prices,
// variables of programs and escaped brackets are no formulas: their signs stay.
//
// goldmark's parser takes the Extension; a Node is a formula in its tree. The package
// doesn't use Fyne, and reads and writes no files.
package formula

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Extension adds formulas to goldmark's parser.
type Extension struct{}

// Extend implements goldmark.Extender.
func (Extension) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(mathParser{}, 150))) // after code spans
}

var kind = ast.NewNodeKind("Formula")

// Node is a formula.
type Node struct {
	ast.BaseInline
	source  string
	Display bool // on lines of its own
}

// Readable returns the formula in the characters of a text font.
func (n *Node) Readable() string { return readable(n.source) }

// Kind implements ast.Node.
func (*Node) Kind() ast.NodeKind { return kind }

// Dump implements ast.Node.
func (n *Node) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

type mathParser struct{}

// unclosed is the key of the closing delimiters that the rest of a block doesn't contain. All
// parsers share it: each key makes every later parse larger, and NewContextKey isn't safe for
// concurrent use.
var unclosed = parser.NewContextKey()

// Trigger implements parser.InlineParser.
func (mathParser) Trigger() []byte { return []byte{'$', '\\'} }

// Parse implements parser.InlineParser.
func (m mathParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	f, ok := fenceAt(line)
	if !ok || m.isUnclosed(pc, f.closing) {
		return nil
	}
	savedLine, savedSegment := block.Position()
	f.before = block.PrecendingCharacter()
	own := bytes.TrimRight(block.Source()[:savedSegment.Start], " \t>")
	f.begins = f.before == '\n' || len(own) == 0 || own[len(own)-1] == '\n'
	block.Advance(len(f.open))
	var source strings.Builder
	for {
		line, _ := block.PeekLine()
		if line == nil {
			block.SetPosition(savedLine, savedSegment)
			m.setUnclosed(pc, f.closing)
			return nil
		}
		if at := closingAt(line, f.closing); at >= 0 {
			source.Write(line[:at])
			if !f.holds(source.String(), line[at+len(f.closing):]) {
				block.SetPosition(savedLine, savedSegment)
				return nil
			}
			block.Advance(at + len(f.closing))
			return &Node{source: source.String(), Display: f.display}
		}
		if f.open[0] == '$' && !f.display { // a price: a formula in a sentence doesn't span lines
			block.SetPosition(savedLine, savedSegment)
			return nil
		}
		source.Write(line)
		block.AdvanceLine()
	}
}

// CloseBlock implements parser.CloseBlocker.
func (mathParser) CloseBlock(_ ast.Node, _ text.Reader, pc parser.Context) {
	pc.Set(unclosed, nil)
}

// isUnclosed reports whether the rest of the block is known to lack the closing delimiter.
func (mathParser) isUnclosed(pc parser.Context, closing string) bool {
	missing, _ := pc.Get(unclosed).([]string)
	return slices.Contains(missing, closing)
}

func (mathParser) setUnclosed(pc parser.Context, closing string) {
	missing, _ := pc.Get(unclosed).([]string)
	pc.Set(unclosed, append(missing, closing))
}

// fence is the mark that begins a formula, and the one that ends it.
type fence struct {
	open, closing string
	display       bool // on lines of its own
	before        rune // the character before it
	begins        bool // its line
}

// fenceAt returns the mark that a line begins with.
func fenceAt(line []byte) (fence, bool) {
	for _, f := range []fence{
		{open: "$$", closing: "$$", display: true},
		{open: "$`", closing: "`$"},
		{open: "$", closing: "$"},
		{open: `\[`, closing: `\]`, display: true},
		{open: `\(`, closing: `\)`},
	} {
		if bytes.HasPrefix(line, []byte(f.open)) && len(line) > len(f.open) {
			return f, true
		}
	}
	return fence{}, false
}

func closingAt(line []byte, closing string) int {
	for at := 0; at < len(line); at++ {
		if bytes.HasPrefix(line[at:], []byte(closing)) {
			return at
		}
		if line[at] == '\\' {
			at++
		}
	}
	return -1
}

// holds reports whether the text between the marks is a formula, and not two prices, two
// variables of a program or brackets that are escaped; after is the rest of the line. TeX, GitHub
// and pandoc ask the same: inside there is no blank beside the marks, outside no letter and no
// digit.
func (f fence) holds(source string, after []byte) bool {
	if strings.TrimSpace(source) == "" || strings.Contains(source, "`") { // code isn't cut in two
		return false
	}
	next, _ := utf8.DecodeRune(after)
	blanks := strings.TrimSpace(source) != source
	alone := f.begins && len(bytes.Trim(after, " \t\r\n.,;:!")) == 0
	switch f.open {
	case `\(`:
		return true
	case `\[`: // in a sentence, a bracket that was escaped looks the same
		return alone || blanks || strings.Contains(source, `\`)
	case "$$":
		return alone || !blanks && !isWordRune(f.before) && !isWordRune(next)
	}
	variable := strings.ContainsRune("@?#%!;,)]}:", rune(source[0])) || next == rune(source[0]) && strings.ContainsRune("{(", next)
	return !blanks && !variable && !isWordRune(f.before) && !isWordRune(next) && !isPrice(source, next)
}

// isWordRune reports whether a character makes a dollar sign beside it part of a price or of a
// name. Scripts that put no blanks between words write formulas right beside them.
func isWordRune(r rune) bool {
	return r < utf8.RuneSelf && (isLetter(byte(r)) || isDigit(byte(r)))
}

// isPrice reports whether the text between two dollar signs begins with a price: a number that
// words follow, as in "$5/kg or 6$/lb", or one price for something before another.
func isPrice(source string, next rune) bool {
	if !isDigit(source[0]) && source[0] != '.' {
		return false
	}
	if next == '/' && isDigit(source[len(source)-1]) {
		return true
	}
	plain := func(c byte) bool { return isDigit(c) || isLetter(c) || c == ')' || c == '(' }
	fields := strings.Fields(source)
	for i, word := range fields {
		trimmed := strings.Trim(word, ",.;:()")
		if len(trimmed) < 2 || strings.ContainsFunc(trimmed, func(r rune) bool { return r < utf8.RuneSelf && !isLetter(byte(r)) && r != '\'' }) {
			continue
		}
		if i > 0 && i+1 < len(fields) && plain(fields[i-1][len(fields[i-1])-1]) && plain(fields[i+1][0]) {
			return true
		}
	}
	return false
}

// readable turns LaTeX into the characters of a text font. Unknown commands stay, without
// the backslash.
func readable(source string) string {
	m := mathReader{in: source}
	out := m.until("")
	lines := strings.Split(out, "\n")
	kept := lines[:0]
	for _, l := range lines {
		if l = strings.Join(strings.Fields(l), " "); l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// mathReader reads a formula from left to right.
type mathReader struct {
	in    string
	at    int
	depth int
	prose bool // inside \text{…}: signs are those of a sentence
}

// mathDepth is the depth to which nested groups are read; deeper ones stay as they are.
const mathDepth = 40

// until reads up to and including a closing delimiter, or to the end.
func (m *mathReader) until(closing string) string {
	var out strings.Builder
	for m.at < len(m.in) {
		if closing != "" && strings.HasPrefix(m.in[m.at:], closing) {
			m.at += len(closing)
			break
		}
		out.WriteString(m.next())
	}
	return out.String()
}

// next reads one item: a command, a group, a superscript or subscript, a character.
func (m *mathReader) next() string {
	c := m.in[m.at]
	if m.prose && strings.IndexByte("-*'^_&~", c) >= 0 {
		m.at++
		return string(c)
	}
	switch c {
	case '\\':
		return m.command()
	case '{':
		m.at++
		if m.depth > mathDepth {
			return ""
		}
		m.depth++
		s := m.until("}")
		m.depth--
		return s
	case '}', '&', '$':
		m.at++
		return ""
	case '^', '_':
		m.at++
		return script(m.argument(), c == '^')
	case '~':
		m.at++
		return " "
	case '\'':
		m.at++
		return "′"
	case '-':
		if m.at++; m.at < len(m.in) && m.in[m.at] == '>' {
			m.at++
			return "→"
		}
		return "−"
	case '*':
		m.at++
		return "∗"
	}
	_, n := utf8.DecodeRuneInString(m.in[m.at:])
	s := m.in[m.at : m.at+n]
	m.at += n
	return s
}

// argument reads the argument of a command or sign: a group or the next item.
func (m *mathReader) argument() string {
	for m.at < len(m.in) && (m.in[m.at] == ' ' || m.in[m.at] == '\n') {
		m.at++
	}
	if m.at == len(m.in) || m.in[m.at] == '}' || m.depth > mathDepth {
		return ""
	}
	m.depth++
	defer func() { m.depth-- }()
	return strings.TrimSpace(m.next())
}

func (m *mathReader) command() string {
	m.at++
	if m.at == len(m.in) {
		return `\`
	}
	start := m.at
	for m.at < len(m.in) && isLetter(m.in[m.at]) {
		m.at++
	}
	if m.at == start {
		_, n := utf8.DecodeRuneInString(m.in[m.at:])
		m.at += n
		return m.space(m.in[start:m.at])
	}
	name := m.in[start:m.at]
	switch name {
	case "frac", "dfrac", "tfrac", "cfrac":
		top := m.argument()
		return grouped(top) + "/" + grouped(m.argument())
	case "binom":
		top := m.argument()
		return "C(" + top + ", " + m.argument() + ")"
	case "sqrt":
		return m.root()
	case "begin":
		return m.environment(strings.TrimSuffix(m.argument(), "∗"))
	case "end":
		m.argument()
		return "\n"
	case "hline":
		return ""
	case "left", "right", "big", "Big", "bigg", "Bigg", "displaystyle", "textstyle", "limits", "nolimits":
		if m.at < len(m.in) && m.in[m.at] == '.' {
			m.at++
		}
		return ""
	case "text", "textrm", "mbox", "operatorname", "texttt", "textbf", "textit", "tag":
		defer func(before bool) { m.prose = before }(m.prose)
		m.prose = true
		return m.argument()
	case "mathrm", "mathbf", "mathit", "mathsf", "mathtt", "mathcal", "boldsymbol", "boxed", "mathbb":
		s := m.argument()
		if name == "mathbb" {
			return cmp.Or(signOf(setSigns, s), s)
		}
		return s
	case "overline", "bar", "hat", "widehat", "tilde", "vec", "dot", "ddot":
		return accented(m.argument(), name)
	case "quad", "qquad":
		return "  "
	}
	return cmp.Or(signOf(latexSigns, name), name) // the names of sin, log and max are printed
}

// brackets are those of an environment whose rows and cells are separated by signs. A matrix
// without brackets of its own has those around it in the source.
var brackets = map[string][2]string{
	"matrix": {}, "smallmatrix": {}, "array": {}, "tabular": {},
	"pmatrix": {"(", ")"}, "bmatrix": {"[", "]"}, "Bmatrix": {"{", "}"}, "vmatrix": {"|", "|"}, "Vmatrix": {"‖", "‖"},
	"cases": {"{ ", ""}, "dcases": {"{ ", ""}, "rcases": {"", " }"},
}

// environment reads to the \end of an environment. The rows of a matrix are written one behind
// the other, because a text font can't align them: (a, b; c, d). Those of other environments
// are lines.
func (m *mathReader) environment(name string) string {
	around, matrix := brackets[name]
	if name == "array" || name == "tabular" || name == "alignedat" || name == "alignat" {
		m.argument() // the form of its columns
	}
	if m.depth > mathDepth {
		return ""
	}
	m.depth++
	defer func() { m.depth-- }()
	var rows, cells []string
	var cell strings.Builder
	endCell := func() {
		cells = append(cells, strings.Join(strings.Fields(cell.String()), " "))
		cell.Reset()
	}
	endRow := func() {
		if endCell(); strings.Join(cells, "") != "" {
			between := ", "
			if !matrix || strings.HasSuffix(name, "cases") {
				between = " "
			}
			rows = append(rows, strings.TrimSpace(strings.Join(cells, between)))
		}
		cells = nil
	}
	for m.at < len(m.in) && !strings.HasPrefix(m.in[m.at:], `\end`) {
		switch {
		case m.in[m.at] == '&':
			m.at++
			endCell()
		case strings.HasPrefix(m.in[m.at:], `\\`):
			m.at += 2
			m.rowSpace()
			endRow()
		default:
			cell.WriteString(m.next())
		}
	}
	endRow()
	if m.at < len(m.in) {
		m.at += len(`\end`)
		m.argument()
	}
	if matrix {
		return around[0] + strings.Join(rows, "; ") + around[1]
	}
	return "\n" + strings.Join(rows, "\n") + "\n"
}

// rowSpace skips what may follow the end of a row: a star, and the height of a gap.
func (m *mathReader) rowSpace() {
	if m.at < len(m.in) && m.in[m.at] == '*' {
		m.at++
	}
	m.at += len(rowGap.FindString(m.in[m.at:]))
}

// rowGap is the height of a gap behind a row: [2pt].
var rowGap = regexp.MustCompile(`^\[-?[\d.]+ ?(pt|mm|cm|in|ex|em|pc)\]`)

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// space returns what a backslash before a non-letter stands for.
func (m *mathReader) space(s string) string {
	switch s {
	case `\`:
		m.rowSpace()
		return "\n"
	case ",", ":", ";", " ", ">", "\n":
		return " "
	case "!", "(", ")", "[", "]":
		return ""
	case "|":
		return "‖"
	}
	return s
}

func (m *mathReader) root() string {
	sign := "√"
	if m.at < len(m.in) && m.in[m.at] == '[' {
		m.at++
		switch degree := m.until("]"); degree {
		case "3":
			sign = "∛"
		case "4":
			sign = "∜"
		default:
			sign = script(degree, true) + "√"
		}
	}
	return sign + grouped(m.argument())
}

// grouped puts brackets around text of more than one item.
func grouped(s string) string {
	for _, r := range s {
		if strings.ContainsRune(" +−-/=·×,", r) {
			return "(" + s + ")"
		}
	}
	return s
}

func accented(s, name string) string {
	marks := map[string]string{"overline": "\u0304", "bar": "\u0304", "hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308"}
	if utf8.RuneCountInString(s) == 1 {
		return s + marks[name]
	}
	return s
}

// script returns a text as superscript or subscript, if there are characters for all of it.
func script(s string, up bool) string {
	from, to := "0123456789+−=()aehijklmnoprstuvxβγρφχ", []rune("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ")
	sign := "_"
	if up {
		from, to = "0123456789+−=()abcdefghijklmnoprstuvwxyzT′∘", []rune("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ′°")
		sign = "^"
	}
	letters := []rune(from)
	var out strings.Builder
	for _, r := range s {
		at := indexRune(letters, r)
		if at < 0 {
			if utf8.RuneCountInString(s) == 1 {
				return sign + s
			}
			return sign + "(" + s + ")"
		}
		out.WriteRune(to[at])
	}
	return out.String()
}

func indexRune(list []rune, r rune) int {
	for i, x := range list {
		if x == r {
			return i
		}
	}
	return -1
}
