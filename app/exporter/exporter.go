// Package exporter writes a conversation as a single HTML file to read, send or print. Its
// style and its pictures are inside, for light and dark screens and for paper.
//
// A browser only shows it: it loads no address and keeps no HTML from answers. The only
// script opens the print dialogue, in a file made for printing. That dialogue also saves
// PDFs, because a browser handles every script and font, which no small library does.
package exporter

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the style
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"mac-stats/app/ui/formula"
	"mac-stats/sessionmem/transcript"
)

// Words holds the file's own text in the reader's language.
type Words struct {
	You, Assistant string
	Date           func(t time.Time) string // formats a day and a time
}

// Params configures the file; Words is required.
type Params struct {
	Words Words
	// Read returns the bytes of an attached picture; nil leaves pictures out.
	Read  func(a transcript.Attachment) ([]byte, error)
	Print bool // open the print dialogue as soon as the file is shown
}

const printScript = `addEventListener("load",()=>print())`

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// entry is a message, or an agent's or tool's step for it.
type entry struct {
	Class    string // user, assistant, text, call
	Who      string
	When     string
	Model    string
	Task     string
	Body     template.HTML
	Pictures []picture
	Files    []string
}

type picture struct {
	Name string
	Data template.URL
}

// HTML writes the shown branch of a conversation.
func HTML(w io.Writer, t *transcript.Transcript, p Params) error {
	data := struct {
		Title, Policy string
		Entries       []entry
		Script        template.JS
	}{Title: cmp.Or(t.Info.Title, t.Info.Name), Policy: "default-src 'none'; img-src data:; style-src 'unsafe-inline'"}
	if p.Print {
		sum := sha256.Sum256([]byte(printScript))
		data.Script = printScript
		data.Policy += "; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM, formula.Extension{}), goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(imageLinks{}, 100))))
	for _, b := range t.Branch() {
		e, shown := p.entry(b)
		if !shown {
			continue
		}
		var body bytes.Buffer
		if err := md.Convert([]byte(transcript.WithoutAttachments(b.Text)), &body); err != nil {
			return fmt.Errorf("write a message as HTML: %w", err)
		}
		e.Body = template.HTML(body.String()) // goldmark drops HTML and unsafe addresses
		data.Entries = append(data.Entries, e)
	}
	return page.Execute(w, data)
}

// entry returns a block without its text; false if it isn't part of the conversation.
func (p Params) entry(b transcript.Block) (entry, bool) {
	e := entry{Model: b.Model}
	if !b.Time.IsZero() {
		e.When = p.Words.Date(b.Time)
	}
	switch b.Kind {
	case transcript.KindUser:
		e.Class, e.Who, e.Model = "user", cmp.Or(b.Attrs["author"], p.Words.You), ""
	case transcript.KindAssistant:
		e.Class, e.Who = "assistant", cmp.Or(b.Agent, p.Words.Assistant)
	case transcript.KindAgent, transcript.KindTool:
		e.Class, e.Who, e.Task = "call", b.Agent, b.Task
	case transcript.KindText:
		e.Class = "text"
	default:
		return e, false
	}
	for _, a := range b.Attachments() {
		if a.Image && p.Read != nil {
			if data, err := p.Read(a); err == nil {
				kind := "image/png"
				if !strings.HasSuffix(a.File, ".png") {
					kind = "image/jpeg"
				}
				e.Pictures = append(e.Pictures, picture{a.Name, template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data))})
				continue
			}
		}
		e.Files = append(e.Files, a.Name)
	}
	return e, strings.TrimSpace(b.Text) != "" || e.Task != ""
}

// imageLinks turns remote images into links, so that opening the file contacts nobody. An
// image whose bytes are in the text stays one.
type imageLinks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (imageLinks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		n := node.(*ast.Image)
		var words bytes.Buffer
		_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) { // never fails: it only collects
			if t, ok := c.(*ast.Text); ok && entering {
				words.Write(t.Segment.Value(source))
			}
			return ast.WalkContinue, nil
		})
		address, label := util.EscapeHTML(util.URLEscape(n.Destination, true)), util.EscapeHTML(words.Bytes())
		switch {
		case !entering:
		case html.IsDangerousURL(n.Destination):
			_, _ = w.Write(label)
		case bytes.HasPrefix(n.Destination, []byte("data:")):
			_, _ = fmt.Fprintf(w, `<img src="%s" alt="%s">`, address, label)
		default:
			if len(label) == 0 {
				label = address
			}
			_, _ = fmt.Fprintf(w, `<a href="%s">%s</a>`, address, label)
		}
		return ast.WalkSkipChildren, nil
	})
}
