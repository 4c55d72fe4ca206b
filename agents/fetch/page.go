package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mac-stats/sessionmem/excerpt"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// few is the number of words below which a page's text may not be what a browser shows.
const few = 50

// maxFrames is how many frames of a page are named.
const maxFrames = 5

// htmlToMarkdown converts a page's readable part to markdown, or the whole page if there is
// none. share says how much of the page that is, and what the page does besides showing text.
// Strangers write pages, so one that makes the parser panic is an error, not a crash.
func htmlToMarkdown(data []byte, from *url.URL) (title, text, share string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the page could not be read: %v", r)
		}
	}()
	whole, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return "", "", "", fmt.Errorf("reading the page: %w", err)
	}
	prepare(whole) // before the readable part is taken from it: that leaves out formulas
	about := survey(whole, from)
	var prepared bytes.Buffer
	if err := html.Render(&prepared, whole); err != nil {
		return "", "", "", fmt.Errorf("reading the page: %w", err)
	}
	node, title := readablePart(prepared.Bytes(), from)
	if node == nil {
		node = whole
	}
	flatten(node, 0)
	conv := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), strikethrough.NewStrikethroughPlugin(), table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithNewlineBehavior(table.NewlineBehaviorPreserve), table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal))))
	markdown, err := conv.ConvertNode(node, converter.WithDomain(from.Scheme+"://"+from.Host))
	if err != nil {
		return "", "", "", fmt.Errorf("reading the page: %w", err)
	}
	text = strings.TrimSpace(string(markdown))
	arrived := countWords(node)
	more := about.sentences(arrived)
	if text == "" {
		if more != "" {
			return title, "", "", fmt.Errorf("the page has no readable text. %s", more)
		}
		return title, "", "", errors.New("the page has no readable text (it may need a browser to show it)")
	}
	share = strings.TrimSpace(fmt.Sprintf("%d of the page's %d words. %s", min(arrived, about.words), about.words, more))
	if title != "" && !strings.Contains(text, title) {
		text = "# " + title + "\n\n" + text
	}
	return title, text, share, nil
}

// found is what a page has besides its text.
type found struct {
	words   int
	scripts bool
	frames  []string // addresses, as whole ones
	inline  []string // of frames beside text
	onward  string   // where it sends a browser
}

// sentences says what a page of which so many words arrived does besides.
func (f found) sentences(arrived int) string {
	var out []string
	if f.onward != "" {
		out = append(out, "It sends browsers on to "+f.onward+" .")
	}
	frames := f.frames
	if arrived < few {
		frames = append(frames, f.inline...)
		if f.scripts {
			out = append(out, "So few words can mean that it needs a browser, or that it checks for robots.")
		}
	}
	if len(frames) > 0 {
		out = append(out, "It shows other pages in frames: "+strings.Join(frames[:min(len(frames), maxFrames)], " ")+" .")
	}
	return strings.Join(out, " ")
}

// survey looks at a whole page.
func survey(page *html.Node, from *url.URL) found {
	f := found{words: countWords(page)}
	whole := func(address string) string {
		u, err := from.Parse(strings.TrimSpace(address))
		if err != nil || strings.TrimSpace(address) == "" || u.Scheme != "http" && u.Scheme != "https" {
			return ""
		}
		return excerpt.Shorten(excerpt.OneLine(u.String()), maxURL)
	}
	for n := range page.Descendants() {
		switch n.DataAtom {
		case atom.Script:
			f.scripts = true
		case atom.Frame, atom.Iframe:
			if address := whole(attr(n, "src")); address != "" && n.DataAtom == atom.Frame {
				f.frames = append(f.frames, address)
			} else if address != "" {
				f.inline = append(f.inline, address)
			}
		case atom.Meta:
			_, address, _ := strings.Cut(strings.ToLower(attr(n, "content")), "url=")
			if strings.EqualFold(attr(n, "http-equiv"), "refresh") && address != "" {
				content := attr(n, "content")
				f.onward = whole(strings.Trim(content[len(content)-len(address):], `"' `))
			}
		}
	}
	return f
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// unseen are elements whose text no browser shows.
var unseen = []atom.Atom{atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Iframe, atom.Noframes}

// countWords counts the words that a browser shows of a node. A letter of a script without
// spaces counts as one.
func countWords(n *html.Node) (words int) {
	if n.Type == html.TextNode {
		inWord := false
		for _, r := range n.Data {
			switch wide := utf8.RuneLen(r) > 2 && r >= 0x2e80; {
			case wide:
				words++
				inWord = false
			case r <= ' ' || r == 0xa0:
				inWord = false
			case !inWord:
				words++
				inWord = true
			}
		}
		return words
	}
	if n.Type == html.ElementNode && slices.Contains(unseen, n.DataAtom) {
		return 0
	}
	for c := range n.ChildNodes() {
		words += countWords(c)
	}
	return words
}

// prepare replaces what markdown has no form for: pictures and links that carry their data in
// their address, raised and lowered letters, formulas.
func prepare(page *html.Node) {
	for _, n := range slices.Collect(page.Descendants()) {
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
			return strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "data:")
		})
		switch {
		case n.DataAtom == atom.Template && attr(n, "shadowrootmode") != "": // which browsers show
			become(n, atom.Div)
		case n.DataAtom == atom.Template && n.Parent != nil:
			n.Parent.RemoveChild(n)
		case n.DataAtom == atom.Iframe && attr(n, "srcdoc") != "":
			inside, err := html.ParseFragment(strings.NewReader(attr(n, "srcdoc")), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
			if err != nil {
				continue
			}
			for c := n.FirstChild; c != nil; c = n.FirstChild {
				n.RemoveChild(c)
			}
			for _, c := range inside {
				n.AppendChild(c)
			}
			become(n, atom.Div)
		case n.DataAtom == atom.Sup:
			mark(n, "^")
		case n.DataAtom == atom.Sub:
			mark(n, "_")
		case n.DataAtom == atom.Math && n.Parent != nil:
			formula := attr(n, "alttext")
			for c := range n.Descendants() {
				switch c.Data {
				case "annotation":
					if formula == "" && strings.Contains(attr(c, "encoding"), "tex") && c.FirstChild != nil {
						formula = c.FirstChild.Data
					}
				case "msup", "msub":
					if second := c.LastChild; second != nil && formula == "" {
						mark(second, map[string]string{"msup": "^", "msub": "_"}[c.Data])
					}
				}
			}
			if formula != "" {
				n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: excerpt.OneLine(formula)}, n)
				n.Parent.RemoveChild(n)
			}
		}
	}
}

// mark puts a sign before what is raised or lowered, unless it is a link, such as the number of
// a footnote, or has no text.
func mark(n *html.Node, sign string) {
	letters := ""
	for c := range n.Descendants() {
		if c.DataAtom == atom.A {
			return
		}
		if c.Type == html.TextNode {
			letters += c.Data
		}
	}
	switch letters = strings.TrimSpace(letters); {
	case letters == "":
	case utf8.RuneCountInString(letters) == 1 || !strings.ContainsAny(letters, " +-*/=,()−"):
		n.InsertBefore(&html.Node{Type: html.TextNode, Data: sign}, n.FirstChild)
	default:
		n.InsertBefore(&html.Node{Type: html.TextNode, Data: sign + "("}, n.FirstChild)
		n.AppendChild(&html.Node{Type: html.TextNode, Data: ")"})
	}
}

// maxNesting limits the nesting of quotations and lists. Each level adds a prefix to
// every line inside it, so a small page with many levels would become gigabytes of text.
const maxNesting = 12

// maxCells limits the cells of a table: a row of many makes all others as wide.
const maxCells = 50_000

// flatten turns quotations and lists that are nested deeper, and tables that are too large,
// into plain blocks, and makes other tables such that markdown can have them.
func flatten(n *html.Node, depth int) {
	if n.DataAtom == atom.Table {
		flattenTable(n)
	}
	switch n.DataAtom {
	case atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Menu, atom.Li, atom.Table:
		if depth++; depth > 2*maxNesting { // a list counts twice, because of its entry
			become(n, atom.Div)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		flatten(c, depth) // the parser allows 512 levels
	}
}

// become turns an element into another one.
func become(n *html.Node, name atom.Atom) { n.Data, n.DataAtom = name.String(), name }

// blocks are elements that begin a line of their own.
var blocks = []atom.Atom{atom.Table, atom.Div, atom.P, atom.Ul, atom.Ol, atom.Dl, atom.Blockquote, atom.Pre, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// flattenTable makes a table one that markdown can have: what is in a cell stands on its lines. One
// that holds a table, or is there for its look, becomes lines with its cells beside each other, and
// one that is too large a line for each cell. The converter drops the borders of all these, which
// glues their cells together.
func flattenTable(table *html.Node) {
	large := cells(table) > maxCells
	lines := attr(table, "role") == "presentation"
	for p := table.Parent; p != nil; p = p.Parent {
		switch p.DataAtom {
		case atom.A:
			lines = true
		case atom.B, atom.Strong, atom.I, atom.Em, atom.Del, atom.S, atom.Strike:
			become(p, atom.Div)
		}
	}
	inside := slices.Collect(table.Descendants())
	lines = lines || slices.ContainsFunc(inside, func(n *html.Node) bool { return n.DataAtom == atom.Table })
	for _, n := range inside {
		switch n.DataAtom {
		case atom.Thead, atom.Tbody, atom.Tfoot, atom.Caption:
			if large || lines && n.Parent == table {
				become(n, atom.Div)
			}
		case atom.Tr:
			if large {
				become(n, atom.Div)
			} else if lines && (n.Parent == table || n.Parent.Parent == table) { // an inner table has its turn
				flattenRow(n)
			}
		case atom.Td, atom.Th, atom.Table:
			if large {
				become(n, atom.Div)
			}
		case atom.Li:
			if !large && !lines {
				become(n, atom.Span)
				n.InsertBefore(&html.Node{Type: html.TextNode, Data: "• "}, n.FirstChild)
				n.Parent.InsertBefore(&html.Node{Type: html.ElementNode, Data: "br", DataAtom: atom.Br}, n)
			}
		case atom.Ul, atom.Ol, atom.Blockquote, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Hr:
			if !large && !lines {
				become(n, atom.Div)
			}
		}
	}
	if large || lines {
		become(table, atom.Div)
	}
}

// flattenRow makes a row of a table a line, or a block for each cell if one of them has blocks.
func flattenRow(row *html.Node) {
	tall := slices.ContainsFunc(slices.Collect(row.Descendants()), func(n *html.Node) bool { return slices.Contains(blocks, n.DataAtom) })
	var before *html.Node
	for _, cell := range slices.Collect(row.ChildNodes()) {
		switch {
		case cell.Type != html.ElementNode:
			continue
		case tall:
			become(cell, atom.Div)
		default:
			become(cell, atom.Span)
			if before != nil {
				row.InsertBefore(&html.Node{Type: html.TextNode, Data: " | "}, cell)
			}
		}
		before = cell
	}
	become(row, atom.Div)
}

// cells returns how many cells a table has when all rows are as wide as the widest.
func cells(n *html.Node) int {
	rows, row, widest := 0, 0, 0
	for c := range n.Descendants() {
		switch c.DataAtom {
		case atom.Tr:
			rows, row = rows+1, 0
		case atom.Td, atom.Th:
			row++
			for _, name := range []string{"colspan", "rowspan"} {
				if span, err := strconv.Atoi(attr(c, name)); err == nil && span > 1 && span <= 1000 {
					row += span
				} else if err == nil && span > 1000 {
					return maxCells + 1
				}
			}
			widest = max(widest, row)
		}
	}
	return rows * widest
}

// readablePart returns the article of a page, or nil if there is none.
func readablePart(data []byte, from *url.URL) (node *html.Node, title string) {
	article, err := readability.FromReader(bytes.NewReader(data), from)
	if err != nil {
		return nil, ""
	}
	return article.Node, excerpt.OneLine(article.Title())
}
