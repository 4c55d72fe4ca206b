package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"mac-stats/app/ui/formula"
)

// The syntax of answers is GitHub's, with formulas. Tags are text, but for line breaks, lowered
// and raised text and keys.

// newParser returns a parser of answers.
func newParser() parser.Parser {
	blocks := slices.DeleteFunc(parser.DefaultBlockParsers(), func(v util.PrioritizedValue) bool {
		return v.Value == parser.NewFencedCodeBlockParser() || v.Value == parser.NewHTMLBlockParser()
	})
	blocks = append(blocks,
		util.Prioritized(fenceParser{parser.NewFencedCodeBlockParser()}, 700),
		util.Prioritized(tagParser{parser.NewHTMLBlockParser()}, 900),
		util.Prioritized(footnoteParser{}, 999),
	)
	inlines := append(parser.DefaultInlineParsers(), util.Prioritized(footnoteRefParser{}, 101))
	p := parser.NewParser(parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inlines...), parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
	return goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Linkify, formula.Extension{})).Parser()
}

// The keys of a parse. All documents share them, because each key makes every later parse larger.
var (
	wholeKey     = parser.NewContextKey() // true if the text is complete
	fenceKey     = parser.NewContextKey() // the *openFence
	fencesKey    = parser.NewContextKey() // every fence of the text, as []fenceLine
	footnotesKey = parser.NewContextKey() // the *footnotes
)

// newContext returns the context to parse a text, which may be complete.
func newContext(whole bool) parser.Context {
	pc := parser.NewContext()
	pc.Set(wholeKey, whole)
	return pc
}

// fenceLine is a line that begins or ends a code block.
type fenceLine struct {
	at     int // offset of its line
	char   byte
	length int
	lang   []byte // what stands behind the marks, or nothing
}

// parseFence parses a line as a fence.
func parseFence(line []byte) (f fenceLine, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return f, false
	}
	f.char = line[0]
	for f.length < len(line) && line[f.length] == f.char {
		f.length++
	}
	f.lang = bytes.TrimSpace(line[f.length:])
	return f, f.length >= 3 && (f.char == '~' || bytes.IndexByte(f.lang, '`') < 0)
}

// fenceParser parses code blocks. One that contains fences, such as markdown that is quoted as
// markdown, ends where it was meant to: at the first fence without a language ends the one
// before it, if that still leaves one for the block itself.
type fenceParser struct{ parser.BlockParser }

// openFence is the code block that is being parsed.
type openFence struct {
	fenceLine
	indent int
	inner  int  // fences inside that are open
	nests  bool // whether fences inside count
	asked  bool // whether nests was decided
}

// Open implements parser.BlockParser.
func (p fenceParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	at := pc.BlockOffset()
	n, state := p.BlockParser.Open(parent, reader, pc)
	if n != nil {
		f, _ := parseFence(line)
		pc.Set(fenceKey, &openFence{fenceLine: f, indent: at})
	}
	return n, state
}

// Continue implements parser.BlockParser.
func (p fenceParser) Continue(n ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, segment := reader.PeekLine()
	open := pc.Get(fenceKey).(*openFence)
	f, ok := parseFence(line)
	if indent, _ := util.IndentWidth(line, reader.LineOffset()); !ok || indent > 3 || f.char != open.char || f.length < open.length {
		return p.BlockParser.Continue(n, reader, pc)
	}
	if len(f.lang) > 0 {
		if !open.asked {
			open.asked, open.nests = true, open.mayNest(reader.Source(), segment.Start, pc)
		}
		if open.nests {
			open.inner++
		}
		return p.BlockParser.Continue(n, reader, pc)
	}
	if open.inner == 0 {
		return p.BlockParser.Continue(n, reader, pc)
	}
	open.inner--
	pos, padding := util.IndentPositionPadding(line, reader.LineOffset(), segment.Padding, open.indent)
	if pos < 0 {
		pos, padding = max(0, util.FirstNonSpacePosition(line))-segment.Padding, 0
	}
	inside := text.NewSegmentPadding(segment.Start+pos, segment.Stop, padding)
	inside.ForceNewline = true
	n.Lines().Append(inside)
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

// mayNest reports whether the fences inside a code block belong to it: if it is closed behind
// them. While the text arrives, markdown is expected to be closed. The end of code in another
// language may have been forgotten instead; then an odd number of fences is left.
func (o *openFence) mayNest(src []byte, at int, pc parser.Context) bool {
	lang, _, _ := strings.Cut(string(o.lang), " ")
	markdown := LanguageName(lang) == LanguageName("markdown")
	if whole, _ := pc.Get(wholeKey).(bool); !whole {
		return markdown
	}
	all := pc.ComputeIfAbsent(fencesKey, func() any { return fencesOf(src) }).([]fenceLine)
	from, _ := slices.BinarySearchFunc(all, at, func(f fenceLine, at int) int { return f.at - at })
	inner := 0
	for i, f := range all[from:min(len(all), from+maxInner)] {
		switch {
		case f.char != o.char || f.length < o.length:
		case len(f.lang) > 0:
			inner++
		case inner == 0:
			return markdown || (len(all)-from-i-1)%2 == 0
		default:
			inner--
		}
	}
	return false
}

// maxInner is the number of fences that may stand in a code block; the limit keeps the time to
// parse linear.
const maxInner = 200

// fencesOf returns the fences of a text, those in lists and quotes too.
func fencesOf(src []byte) []fenceLine {
	all := []fenceLine{}
	for at := 0; at < len(src); {
		line := src[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if f, ok := parseFence(bytes.TrimLeft(line, " \t>-*+.)0123456789")); ok {
			f.at = at
			all = append(all, f)
		}
		at += len(line)
	}
	return all
}

// inlineTag matches the tags that aren't shown as text.
var inlineTag = regexp.MustCompile(`(?i)^\s*<(/?)(br|sub|sup|kbd)\s*/?>`)

// tagOf returns the name of a tag that isn't shown as text, and whether it is a closing one; or
// "".
func tagOf(src []byte) (name string, closing bool) {
	m := inlineTag.FindSubmatch(src)
	if m == nil {
		return "", false
	}
	return strings.ToLower(string(m[2])), len(m[1]) > 0
}

// tagParser parses blocks of HTML, which are text. A line that begins with a tag of a sentence
// is none.
type tagParser struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (p tagParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if line, _ := reader.PeekLine(); inlineTag.Match(line) {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}

// footnotes are those of a text.
type footnotes struct {
	byLabel map[string]*footnote
	used    []*footnote // in the order of their numbers
}

// footnotesOf returns the footnotes of a parse.
func footnotesOf(pc parser.Context) *footnotes {
	return pc.ComputeIfAbsent(footnotesKey, func() any { return &footnotes{byLabel: map[string]*footnote{}} }).(*footnotes)
}

// footnote is a block such as "[^1]: words".
type footnote struct {
	ast.BaseBlock
	label  string
	number int // 0 if nothing refers to it: then it is text
}

var footnoteKind = ast.NewNodeKind("Note")

// Kind implements ast.Node.
func (*footnote) Kind() ast.NodeKind { return footnoteKind }

// Dump implements ast.Node.
func (n *footnote) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// footnoteRef is a place that refers to a footnote: "[^1]".
type footnoteRef struct {
	ast.BaseInline
	note *footnote
}

var footnoteRefKind = ast.NewNodeKind("NoteRef")

// Kind implements ast.Node.
func (*footnoteRef) Kind() ast.NodeKind { return footnoteRefKind }

// Dump implements ast.Node.
func (n *footnoteRef) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// footnoteLabel matches the label of a footnote.
var footnoteLabel = regexp.MustCompile(`^\[\^([^\s\[\]]{1,80})\]`)

// footnoteParser parses footnotes.
type footnoteParser struct{}

// Trigger implements parser.BlockParser.
func (footnoteParser) Trigger() []byte { return []byte{'['} }

// Open implements parser.BlockParser.
func (footnoteParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 {
		return nil, parser.NoChildren
	}
	m := footnoteLabel.FindSubmatch(line[at:])
	if m == nil || !bytes.HasPrefix(line[at+len(m[0]):], []byte(":")) {
		return nil, parser.NoChildren
	}
	n := &footnote{label: string(m[1])}
	if all := footnotesOf(pc); all.byLabel[n.label] == nil {
		all.byLabel[n.label] = n
	}
	reader.Advance(at + len(m[0]) + 1)
	return n, parser.HasChildren
}

// Continue implements parser.BlockParser.
func (footnoteParser) Continue(_ ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, _ := reader.PeekLine()
	if util.IsBlank(line) {
		return parser.Continue | parser.HasChildren
	}
	pos, padding := util.IndentPosition(line, reader.LineOffset(), 4)
	if pos < 0 {
		return parser.Close
	}
	reader.AdvanceAndSetPadding(pos, padding)
	return parser.Continue | parser.HasChildren
}

// Close implements parser.BlockParser.
func (footnoteParser) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements parser.BlockParser.
func (footnoteParser) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements parser.BlockParser.
func (footnoteParser) CanAcceptIndentedLine() bool { return false }

// footnoteRefParser parses the places that refer to footnotes, in a complete text: what a text
// that still arrives refers to may follow.
type footnoteRefParser struct{}

// Trigger implements parser.InlineParser.
func (footnoteRefParser) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (footnoteRefParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	m := footnoteLabel.FindSubmatch(line)
	if whole, _ := pc.Get(wholeKey).(bool); m == nil || !whole {
		return nil
	}
	all := footnotesOf(pc)
	n := all.byLabel[string(m[1])]
	if n == nil {
		return nil
	}
	if n.number == 0 {
		all.used = append(all.used, n)
		n.number = len(all.used)
	}
	block.Advance(len(m[0]))
	return &footnoteRef{note: n}
}
