// Package formula turns the LaTeX that models write into the characters of a text font.
//
// It doesn't typeset. Text between $…$, $$…$$, \(…\) and \[…\] isn't treated as markdown
// (an underscore in it is no emphasis) and is made readable: x², α ≤ √x, ∑ᵢ₌₁ⁿ i. The
// window and the exported page show the same.
//
// Both use Extension with goldmark; Node is a formula in goldmark's tree, which the
// extension writes as HTML. The package doesn't use Fyne, and reads and writes no files.
package formula

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Extension adds formulas to goldmark's parser and HTML renderer.
type Extension struct{}

// Extend implements goldmark.Extender.
func (Extension) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(mathParser{}, 150))) // after code spans
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(Extension{}, 150)))
}

// RegisterFuncs implements renderer.NodeRenderer.
func (Extension) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kind, func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if n := node.(*Node); entering {
			class := "formula"
			if n.Display {
				class += " display"
			}
			_, err := fmt.Fprintf(w, `<span class="%s">%s</span>`, class, util.EscapeHTML([]byte(n.Readable())))
			return ast.WalkSkipChildren, err
		}
		return ast.WalkContinue, nil
	})
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
	open, closing, display := mathFence(line)
	if open == "" || m.isUnclosed(pc, closing) {
		return nil
	}
	savedLine, savedSegment := block.Position()
	block.Advance(len(open))
	var source strings.Builder
	for {
		line, _ := block.PeekLine()
		if line == nil {
			block.SetPosition(savedLine, savedSegment)
			m.setUnclosed(pc, closing)
			return nil
		}
		if at := closingAt(line, closing); at >= 0 {
			source.Write(line[:at])
			if !isFormula(source.String(), line[at+len(closing):], open) {
				block.SetPosition(savedLine, savedSegment)
				return nil
			}
			block.Advance(at + len(closing))
			return &Node{source: source.String(), Display: display}
		}
		if open == "$" { // a price: a formula in a sentence doesn't span lines
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

// mathFence returns the delimiter that a line begins with, and the one that closes it.
func mathFence(line []byte) (open, closing string, display bool) {
	switch {
	case bytes.HasPrefix(line, []byte("$$")):
		return "$$", "$$", true
	case bytes.HasPrefix(line, []byte(`\[`)):
		return `\[`, `\]`, true
	case bytes.HasPrefix(line, []byte(`\(`)):
		return `\(`, `\)`, false
	case len(line) > 1 && line[0] == '$':
		return "$", "$", false
	}
	return "", "", false
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

// isFormula distinguishes "$x + y$" from "$5 and $10": no blanks inside the delimiters, no
// digit after them.
func isFormula(source string, after []byte, open string) bool {
	if strings.TrimSpace(source) == "" {
		return false
	}
	if open != "$" {
		return true
	}
	blank := strings.ContainsAny(source[:1], " \t") || strings.ContainsAny(source[len(source)-1:], " \t")
	return !blank && (len(after) == 0 || after[0] < '0' || after[0] > '9')
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
	switch c := m.in[m.at]; c {
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
		m.at++
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
		return mathSpace(m.in[start:m.at])
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
	case "begin", "end":
		m.argument()
		return "\n"
	case "left", "right", "big", "Big", "bigg", "Bigg", "displaystyle", "textstyle", "limits", "nolimits":
		if m.at < len(m.in) && m.in[m.at] == '.' {
			m.at++
		}
		return ""
	case "text", "mathrm", "mathbf", "mathit", "mathsf", "mathtt", "operatorname", "textbf", "textit", "mathcal", "boldsymbol", "boxed", "tag", "mathbb":
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

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// mathSpace returns what a backslash before a non-letter stands for.
func mathSpace(s string) string {
	switch s {
	case `\`:
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
