package library

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"mac-stats/app/cpuwindow/chat"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// everything is a transcript with every kind of block and of text.
const everything = "testdata/session-memory-discord-4711-20261126-090000-everything.md"

// The page that an export writes has the text of the window's rows, entry by entry.
func TestAnExportShowsWhatTheWindowShows(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		f, err := os.Open(everything)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		tr, err := transcript.Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		window, page := windowTexts(t, tr), pageTexts(t, tr)
		if len(window) < 18 {
			t.Errorf("only %d entries are shown", len(window))
		}
		if diff := cmp.Diff(window, page); diff != "" {
			t.Errorf("-window +page:\n%s", diff)
		}
		for _, want := range []string{
			"List<String>", "Dear <NAME>", "<answer>42</answer>", "$HOME/$USER/bin", "$5/kg or 6$/lb", "first second", "H2O", "(a, b; c, d)", "|a, b; c, d|", "Footnotes1",
			"```go", "سلام", "👩‍👩‍👧", "notes.txt", "new topic from here", "Edited words", "[x] done", "2. two",
		} {
			if !strings.Contains(strings.Join(page, "\n"), want) {
				t.Errorf("the page lacks %q", want)
			}
		}
		if all := strings.Join(page, "\n"); strings.Contains(all, "Words before the edit") || strings.Contains(all, "A deleted message") {
			t.Error("the page has what its author changed or deleted")
		}
	})
}

// plain returns text with single blanks.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

// windowTexts returns the text of each entry in the window, with everything open, and without
// what is above an answer.
func windowTexts(t *testing.T, tr *transcript.Transcript) (out []string) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	blocks, _, _ := session.PlaceSummary(tr.Branch())
	entries := conversation.Entries(tr.Info.Name, blocks)
	view := chat.New(chat.Actions{CopyText: func(string) {}})
	view.Reading = true
	for i := range entries {
		e := &entries[i]
		if e.Kind == conversation.Head {
			continue
		}
		folded := e.Kind == conversation.Thinking || e.Kind == conversation.Call || e.Kind == conversation.Summary
		view.Expanded[e.Key] = folded
		var parts []string
		for n, p := range view.Build(e).Rows {
			if n > 0 || !folded { // the first row of what can be folded is its line
				parts = append(parts, rowText(p.Row))
			}
		}
		out = append(out, plain(strings.Join(parts, " ")))
	}
	return out
}

// rowText returns what a row shows, or what is copied of it.
func rowText(o fyne.CanvasObject) string {
	switch o := o.(type) {
	case *kit.Button:
		return ""
	case *kit.Label:
		return o.Text
	case interface {
		SelectLen() int
		SelectedText(from, to int) string
	}:
		return o.SelectedText(0, o.SelectLen())
	}
	var parts []string
	switch o := o.(type) {
	case *fyne.Container:
		for _, c := range o.Objects {
			parts = append(parts, rowText(c))
		}
	case fyne.Widget:
		for _, c := range test.WidgetRenderer(o).Objects() {
			parts = append(parts, rowText(c))
		}
	}
	return strings.Join(parts, " ")
}

// pageTexts returns the text of each entry of a page, without what is above an answer and the
// lines of what is folded.
func pageTexts(t *testing.T, tr *transcript.Transcript) (out []string) {
	t.Helper()
	var page bytes.Buffer
	if err := (&Library{}).writeHTML(tr.Info, false)(&page, tr); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&page)
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "article" || n.Data == "p" && n.Parent.Data == "body") {
			out = append(out, plain(elementText(n)))
		}
	}
	return out
}

// elementText returns the text of an element as a browser shows it.
func elementText(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var out strings.Builder
	attr := func(n *html.Node, key string) (string, bool) {
		for _, a := range n.Attr {
			if a.Key == key {
				return a.Val, true
			}
		}
		return "", false
	}
	switch n.Data {
	case "header", "summary":
		return ""
	case "li":
		box := n.FirstChild
		value, ordered := attr(n, "value")
		switch {
		case box != nil && box.Data == "input":
			if _, done := attr(box, "checked"); done {
				out.WriteString("[x] ")
			} else {
				out.WriteString("[ ] ")
			}
		case ordered:
			out.WriteString(value + ". ")
		default:
			out.WriteString("• ")
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		out.WriteString(elementText(c))
	}
	if n.Type == html.ElementNode && strings.Contains(" p h2 h3 h4 h5 h6 pre td th tr li blockquote div article ", " "+n.Data+" ") {
		out.WriteString("\n")
	}
	return out.String()
}
