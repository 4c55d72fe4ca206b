package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"mac-stats/sessionmem/excerpt"

	"codeberg.org/readeck/go-readability/v2"
	htmltomarkdown "github.com/JohannesKaufmann/html-to-markdown/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlToMarkdown converts a page's readable part to markdown, or the whole page if there is
// none. Strangers write pages, so one that makes the parser panic is an error, not a crash.
func htmlToMarkdown(data []byte, from *url.URL) (title, text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the page could not be read: %v", r)
		}
	}()
	node, title := readablePart(data, from)
	if node == nil {
		node, err = html.Parse(bytes.NewReader(data))
		if err != nil {
			return "", "", fmt.Errorf("reading the page: %w", err)
		}
	}
	flatten(node, 0)
	markdown, err := htmltomarkdown.ConvertNode(node, converter.WithDomain(from.Scheme+"://"+from.Host))
	if err != nil {
		return "", "", fmt.Errorf("reading the page: %w", err)
	}
	text = strings.TrimSpace(string(markdown))
	if text == "" {
		return title, "", errors.New("the page holds no readable text (it may need a browser to show it)")
	}
	if title != "" && !strings.Contains(text, title) {
		text = "# " + title + "\n\n" + text
	}
	return title, text, nil
}

// maxNesting limits the nesting of quotations and lists. Each level adds a prefix to
// every line inside it, so a small page with many levels would become gigabytes of text.
const maxNesting = 12

// flatten turns quotations and lists that are nested deeper into plain blocks.
func flatten(n *html.Node, depth int) {
	switch n.DataAtom {
	case atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Menu, atom.Li, atom.Table:
		if depth++; depth > 2*maxNesting { // a list counts twice, because of its entry
			n.Data, n.DataAtom = "div", atom.Div
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		flatten(c, depth) // the parser allows 512 levels
	}
}

// readablePart returns the article of a page, or nil if there is none.
func readablePart(data []byte, from *url.URL) (node *html.Node, title string) {
	article, err := readability.FromReader(bytes.NewReader(data), from)
	if err != nil {
		return nil, ""
	}
	return article.Node, excerpt.OneLine(article.Title())
}
