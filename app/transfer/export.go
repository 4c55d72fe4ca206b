package transfer

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // the style
	"encoding/base64"
	"html/template"
	"io"
	"strings"
	"sync"
	"time"

	"mac-stats/agents"
	"mac-stats/app/osopen"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// HTMLWords holds the file's own text in the reader's language.
type HTMLWords struct {
	You, Somebody, Assistant, Thought, Written string
	Date                                       func(t time.Time) string                                   // formats a day and a time
	Tool                                       func(name string) string                                   // says what a tool did
	Failed                                     func(why string) string                                    // says that a call failed
	Note                                       func(b transcript.Block, before []transcript.Block) string // the line of a Note; "" if it isn't shown
	Summary                                    func(messages int) string                                  // the line above a Summary of messages
}

// HTMLParams configures the file; Words is required.
type HTMLParams struct {
	Words HTMLWords
	// Read returns the bytes of an attached picture; nil leaves pictures out.
	Read  func(a transcript.Attachment) ([]byte, error)
	Print bool // open the print dialogue as soon as the file is shown
}

const printScript = `addEventListener("load",()=>print())`

//go:embed page.html
var pageText string

var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// entry is an item of a conversation: a message, a step on the way to an answer, a line between
// them. Its body is what was typed, as runs, or parsed text.
type entry struct {
	Class    string // user, assistant, fold, note
	Who      string
	When     string
	Model    string
	Label    string // of what is folded, and the text of a note
	Task     string
	Typed    []run
	Body     []node
	Pictures []picture
	Files    []string

	Written, WrittenLabel string // of a call: what the model wrote in and behind it
}

type picture struct {
	Name string
	Data template.URL // bytes of our own as base64
}

// HTML writes the shown branch of a conversation.
func HTML(w io.Writer, t *transcript.Transcript, p HTMLParams) error {
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
	blocks, _, summarised := session.PlaceSummary(t.Branch())
	for i, b := range blocks {
		e, shown := p.entry(b, blocks[:i])
		if b.Kind == transcript.KindSummary {
			e.Label = p.Words.Summary(summarised)
		}
		if shown {
			data.Entries = append(data.Entries, e)
		}
	}
	return page().Execute(w, data)
}

// entry returns a block as it is shown; false if it isn't.
func (p HTMLParams) entry(b transcript.Block, before []transcript.Block) (entry, bool) {
	e := entry{Model: b.Model}
	if !b.Time.IsZero() {
		e.When = p.Words.Date(b.Time)
	}
	text := strings.TrimSpace(b.Text) != ""
	switch b.Kind {
	case transcript.KindUser:
		e.Class, e.Model, e.Who = "user", "", cmp.Or(agents.AuthorOf(b, p.Words.Somebody), p.Words.You)
		words := agents.MessageText(b)
		if e.addFiles(p, b.Attachments()); strings.TrimSpace(words) != "" {
			e.Typed = runs(markdown.Typed(words))
		}
		return e, text
	case transcript.KindSummary:
		e.Class, e.Typed = "fold", runs([]markdown.Run{{Text: b.Text}})
		return e, text
	case transcript.KindNote:
		if b.Note == transcript.NoteThinking {
			e.Class, e.Label, e.Body = "fold", p.Words.Thought, parsed(b.Text)
			return e, text
		}
		e.Class, e.Label = "note", p.Words.Note(b, before)
		return e, e.Label != ""
	case transcript.KindTool, transcript.KindAgent:
		if b.Kind == transcript.KindAgent && b.Task == "" {
			break
		}
		e.Class, e.Label, e.Task = "fold", b.Agent, strings.TrimSpace(b.Task)
		if why := agents.FailedOf(b); why != "" {
			e.When, text = p.Words.Failed(why), false
		}
		if b.Kind == transcript.KindTool {
			e.Label, e.Task = p.Words.Tool(b.Agent), strings.TrimSpace(b.Agent+" "+e.Task)
			if text {
				e.Body = []node{{Kind: "code", Code: spans(markdown.Leaf{Code: b.Text})}}
			}
		} else {
			e.Body = parsed(b.Text)
		}
		if e.Written = agents.WrittenOf(b); e.Written != "" {
			e.WrittenLabel = p.Words.Written
		}
		return e, true
	}
	e.Class, e.Who = "assistant", cmp.Or(b.Agent, p.Words.Assistant)
	if b.Kind == transcript.KindText {
		e.Class, e.Who, e.When = "text", "", ""
	}
	leaves := markdown.Parse(b.Text).View().Leaves
	e.Body = nodes(leaves, 0, 0)
	markdown.EachLink(leaves, func(words, address string) {
		if kind, data, ok := inlineImage(address); ok {
			e.Pictures = append(e.Pictures, picture{strings.TrimSpace(words), dataURL(kind, data)})
		}
		e.addFiles(p, transcript.Attachments("![]("+address+")"))
	})
	return e, text
}

// addFiles adds attachments: pictures with their bytes, all others by name.
func (e *entry) addFiles(p HTMLParams, files []transcript.Attachment) {
	for _, a := range files {
		if a.Image && p.Read != nil {
			if data, err := p.Read(a); err == nil {
				kind := "png"
				if !strings.HasSuffix(a.File, ".png") {
					kind = "jpeg"
				}
				e.Pictures = append(e.Pictures, picture{a.Name, dataURL(kind, data)})
				continue
			}
		}
		e.Files = append(e.Files, a.Name)
	}
}

// inlineImage returns the bytes of a picture that stands in an address.
func inlineImage(address string) (kind string, data []byte, ok bool) {
	for _, kind := range []string{"png", "jpeg"} {
		if text, found := strings.CutPrefix(address, "data:image/"+kind+";base64,"); found {
			data, err := base64.StdEncoding.DecodeString(text)
			return kind, data, err == nil
		}
	}
	return "", nil, false
}

// dataURL is the only address that isn't checked by html/template: it is made of nothing but the
// characters of base64.
func dataURL(kind string, data []byte) template.URL {
	return template.URL("data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(data))
}

// run is text in one style, with an address that may be followed.
type run struct {
	markdown.Run
	Href string
}

func runs(list []markdown.Run) []run {
	out := make([]run, len(list))
	for i, r := range list {
		out[i].Run = r
		if open, _ := osopen.CheckLink(r.Link); open {
			out[i].Href = r.Link
		}
	}
	return out
}

// span is code in one colour, the class of its element.
type span struct{ Ink, Text string }

var inks = map[markdown.Ink]string{markdown.Keyword: "keyword", markdown.String: "string", markdown.Number: "number", markdown.Comment: "comment", markdown.Name: "name"}

func spans(l markdown.Leaf) (out []span) {
	code, at := l.Shown(), 0
	for _, s := range l.Spans {
		out = append(out, span{inks[s.Ink], code[at:s.To]})
		at = int(s.To)
	}
	if at < len(code) {
		out = append(out, span{"", code[at:]})
	}
	return out
}

// node is a leaf, or the list, item or quote around others.
type node struct {
	Kind     string // p, h1…h6, code, table, rule; ul, ol, item, quote, notes
	Value    string // number of an item in an ordered list
	Task     bool   // of an item: it has a box
	Done     bool
	Lang     string
	Runs     []run
	Code     []span
	Head     []cell
	Rows     [][]cell
	Children []node
}

type cell struct {
	Runs  []run
	Right bool
}

// parsed returns the nodes of a text in markdown.
func parsed(text string) []node { return nodes(markdown.Parse(text).View().Leaves, 0, 0) }

// nodes returns leaves with the lists and quotes around them; the leaves know only how many
// there are.
func nodes(leaves []markdown.Leaf, indent, quote int) (out []node) {
	for i := 0; i < len(leaves); {
		l := leaves[i]
		deeper := func(in func(l markdown.Leaf) bool) []markdown.Leaf {
			from := i
			for i++; i < len(leaves) && in(leaves[i]); i++ {
			}
			return leaves[from:i]
		}
		switch {
		case l.Footnote && l.Kind == markdown.Rule:
			i++
			out = append(out, node{Kind: "notes", Children: nodes(leaves[i:], indent, quote)})
			return out
		case l.Quote > quote:
			out = append(out, node{Kind: "quote", Children: nodes(deeper(func(l markdown.Leaf) bool { return l.Quote > quote }), indent, quote+1)})
		case l.Indent > indent:
			kind := listOf(l)
			out = append(out, node{Kind: kind, Children: items(deeper(func(l markdown.Leaf) bool {
				begins := l.Indent == indent+1 && l.Quote == quote && l.Marker != ""
				return l.Indent > indent && (!begins || listOf(l) == kind)
			}), indent+1, quote)})
		default:
			out = append(out, leaf(l))
			i++
		}
	}
	return out
}

// listOf returns the kind of list that a leaf with a marker belongs to.
func listOf(l markdown.Leaf) string {
	if strings.HasSuffix(l.Marker, ".") {
		return "ol"
	}
	return "ul"
}

// items splits the leaves of a list.
func items(leaves []markdown.Leaf, indent, quote int) (out []node) {
	for i := 0; i < len(leaves); {
		from, item := i, node{Kind: "item", Value: strings.TrimSuffix(leaves[i].Marker, ".")}
		if leaves[i].Indent == indent && (leaves[i].Marker == markdown.TaskOpen || leaves[i].Marker == markdown.TaskDone) {
			item.Task, item.Done = true, leaves[i].Marker == markdown.TaskDone
		}
		if item.Task || leaves[i].Indent > indent || listOf(leaves[i]) == "ul" {
			item.Value = ""
		}
		for i++; i < len(leaves) && (leaves[i].Indent > indent || leaves[i].Marker == "" || leaves[i].Quote > quote); i++ {
		}
		item.Children = nodes(leaves[from:i], indent, quote)
		out = append(out, item)
	}
	return out
}

// leaf returns a leaf without what is around it.
func leaf(l markdown.Leaf) node {
	switch l.Kind {
	case markdown.Heading: // the title of the page is the first of the headings
		return node{Kind: "h" + string(rune('1'+min(l.Level, 5))), Runs: runs(l.Runs)}
	case markdown.Code:
		return node{Kind: "code", Lang: markdown.LanguageName(l.Lang), Code: spans(l)}
	case markdown.Rule:
		return node{Kind: "rule"}
	case markdown.Table:
		n := node{Kind: "table"}
		for i, row := range l.Table {
			var cells []cell
			for c, r := range row {
				cells = append(cells, cell{runs(r), c < len(l.Right) && l.Right[c]})
			}
			if i == 0 {
				n.Head = cells
			} else {
				n.Rows = append(n.Rows, cells)
			}
		}
		return n
	}
	return node{Kind: "p", Runs: runs(l.Runs)}
}
