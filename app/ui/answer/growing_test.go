package answer

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/prose"
)

// everything is a text with every kind of leaf.
const everything = `# A title

Words with **bold** and a [link](https://example.org/p).

- one
- [ ] open
- [x] done
  1. inner [two](https://example.org/i)

> quoted
> > deeper

` + "```go\nfunc main() { // starts\n\tprintln(\"fan\", 42)\n}\n```" + `

| Process | Share |
|---|---:|
| fan | 2 |
| [disk](https://example.org/t) | 10 |

---

## End

### fan`

// shown returns a window of an answer, in a viewport.
func shown(t *testing.T, text string, onCopy func(string), st Style) *column.Viewport {
	t.Helper()
	newTestApp(t)
	var rows Rows
	rows.Update(markdown.Parse(text).View(), onCopy, st)
	port := column.NewViewport()
	w := test.NewTempWindow(t, port)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(700, 900))
	port.SetRows(rows.Rows)
	return port
}

// describe tells what a row is and says.
func describe(p *column.Placed) string {
	text := ""
	if m, ok := p.Row.(interface{ FlatText() string }); ok {
		text = m.FlatText()
	}
	return fmt.Sprintf("%T %q %g high, gap %g, indent %g, at most %g", p.Row, text, p.Row.Measure(500), p.Gap, p.Indent, p.Max)
}

// An answer that comes in pieces has the rows of the whole one, and finished rows are kept.
func TestAGrowingAnswerMatchesAWholeOne(t *testing.T) {
	newTestApp(t)
	for _, step := range []int{1, 7, 40} {
		doc, finished := markdown.New(), []*column.Placed(nil)
		var grown, whole Rows
		for at := 0; at < len(everything); at += step {
			doc.Append(everything[at:min(at+step, len(everything))])
			doc.Settle(false)
			grown.Update(doc.View(), nil, Style{})
			for _, p := range grown.Rows {
				p.Width = 500
				p.Row.Measure(500)
			}
			for i, p := range finished {
				if grown.Rows[i] != p {
					t.Fatalf("after %d bytes, row %d is another one", at, i)
				}
			}
			finished = append([]*column.Placed(nil), grown.Rows[:len(doc.View().Leaves)]...)
		}
		doc.Settle(true)
		grown.Update(doc.View(), nil, Style{})
		whole.Update(markdown.Parse(everything).View(), nil, Style{})
		var got, want []string
		for _, p := range grown.Rows {
			got = append(got, describe(p))
		}
		for _, p := range whole.Rows {
			want = append(want, describe(p))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in steps of %d (-at once +grown):\n%s", step, diff)
		}
		// another text replaces all of it
		doc.Replace("short")
		doc.Settle(true)
		if grown.Update(doc.View(), nil, Style{}); len(grown.Rows) != 1 {
			t.Errorf("%d rows", len(grown.Rows))
		}
	}
}

func TestAnAnswerIsSelectedAndCopied(t *testing.T) {
	port := shown(t, everything, nil, Style{})
	port.TypedShortcut(&fyne.ShortcutSelectAll{})
	want := "A title\nWords with bold and a link.\n• one\n[ ] open\n[x] done\n1. inner two\nquoted\ndeeper\nfunc main() { // starts\n    println(\"fan\", 42)\n}\nProcess\tShare\nfan\t2\ndisk\t10\nEnd\nfan"
	if diff := cmp.Diff(want, port.SelectedText()); diff != "" {
		t.Errorf("selected (-want +got):\n%s", diff)
	}
	port.ClearSelection()
	if got := port.SelectedText(); got != "" {
		t.Errorf("still selected: %q", got)
	}
	at := func(row int, x, y float32) fyne.Position {
		p := port.Rows[row]
		return fyne.NewPos(port.Left+p.Indent+x, p.Top-port.Offset+y)
	}
	rowOf := func(text string) int {
		for i, p := range port.Rows {
			if m, ok := p.Row.(interface{ FlatText() string }); ok && strings.Contains(m.FlatText(), text) {
				return i
			}
		}
		t.Fatalf("no row of %q", text)
		return 0
	}
	for text, tt := range map[string]struct {
		x, y float32
		want string
	}{
		"main":   {kit.Gap12 + 50, codeBar + 5, "main"},
		"inner":  {2*indentStep + 45, 5, "two"},
		"deeper": {2*quoteStep + 5, 5, "deeper"},
	} {
		port.DoubleTapped(&fyne.PointEvent{Position: at(rowOf(text), tt.x, tt.y)})
		if got := port.SelectedText(); got != tt.want {
			t.Errorf("a double click in %q selects %q", text, got)
		}
	}
	// a drag through a part of code
	code := rowOf("main")
	port.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at(code, kit.Gap12, codeBar+5)}, Button: desktop.MouseButtonPrimary})
	port.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: at(code, 400, codeBar+25)}})
	if got := port.SelectedText(); got != "func main() { // starts\n    println(\"fan\", 42)" {
		t.Errorf("dragged over two lines: %q", got)
	}
	port.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: at(code, 5, 900)}})
	port.DragEnd()
	port.ClearSelection()
	var links []string
	port.OnLink = func(url string) { links = append(links, url) }
	table := rowOf("Process")
	cell := port.Rows[table].Row.(*tableRow).cells[2][0]
	for _, pos := range []fyne.Position{at(rowOf("inner"), 2*indentStep+45, 5), at(table, cell.Position().X+3, cell.Position().Y+8), at(table, 5, 1)} {
		port.Tapped(&fyne.PointEvent{Position: pos})
	}
	if diff := cmp.Diff([]string{"https://example.org/i", "https://example.org/t"}, links); diff != "" {
		t.Errorf("opened (-want +got):\n%s", diff)
	}
}

func TestMatchesAreFoundInEveryRow(t *testing.T) {
	port := shown(t, everything, nil, Style{})
	find := func(text string) (out []prose.Mark) {
		for at := strings.Index(text, "fan"); at >= 0; at = -1 {
			out = append(out, prose.Mark{From: at, To: at + 3})
		}
		return out
	}
	rects := func(role fyne.ThemeColorName) (n int) {
		for _, o := range test.LaidOutObjects(port) {
			if r, ok := o.(*canvas.Rectangle); ok && r.FillColor == kit.Color(role) && r.Size().Width > 0 {
				n++
			}
		}
		return n
	}
	for nth := range 3 { // in the code, in the table, in the last title
		if n := port.MarkRows(find, 0, len(port.Rows), nth, true); n != 3 {
			t.Fatalf("%d places", n)
		}
		if now, others := rects(kit.RoleMarkNow), rects(kit.RoleMark); now != 1 || others != 2 {
			t.Errorf("match %d: %d are drawn as the current, %d as others", nth, now, others)
		}
	}
	port.MarkRows(find, 0, len(port.Rows), 2, true) // the same again
	port.Unmark()
	if n := rects(kit.RoleMark) + rects(kit.RoleMarkNow); n != 0 {
		t.Errorf("%d marks are left", n)
	}
	for row, tt := range map[string][]int{"Process": {0, 15}, "main": {0, 30}} { // offsets in rising lines
		for _, p := range port.Rows {
			m, ok := p.Row.(interface {
				FlatText() string
				LineOf(int) float32
			})
			if ok && strings.Contains(m.FlatText(), row) && !(m.LineOf(tt[0]) < m.LineOf(tt[1])) {
				t.Errorf("%s: line %g, then %g", row, m.LineOf(tt[0]), m.LineOf(tt[1]))
			}
			if ok && strings.Contains(m.FlatText(), row) && m.LineOf(len(m.FlatText())+9) != 0 {
				t.Errorf("%s: behind its end is line %g", row, m.LineOf(len(m.FlatText())+9))
			}
		}
	}
}

// Code is wrapped on request, and copied as it is.
func TestCodeIsWrappedAndCopied(t *testing.T) {
	// In a bubble, the end of "Copied" draws nothing during a later test.
	synctest.Test(t, func(t *testing.T) {
		wrapsAndCopies(t)
		time.Sleep(2 * time.Minute) // lets it and the timer of chroma's regular expressions end
	})
}

func wrapsAndCopies(t *testing.T) {
	long := strings.Repeat("call(argument) ", 20)
	var copied []string
	port := shown(t, "```sh\n"+long+"\n```", func(s string) { copied = append(copied, s) }, Style{})
	port.Resize(fyne.NewSize(400, 900))
	row := port.Rows[0].Row.(*CodeRow)
	scroll := row.thumb.Size().Width
	row.Text.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(-60, 0)})
	if row.thumb.Position().X <= kit.Gap12 || scroll == 0 {
		t.Errorf("scrolled sideways, the bar is at %v", row.thumb.Position())
	}
	test.Tap(row.copy)
	test.Tap(row.wrap)
	port.Remeasure(row)
	if row.wrap.Text != "Unwrap" || row.Measure(360) < 5*codeLeading() || row.NaturalWidth() != 0 || row.thumb.Size().Width != 0 {
		t.Errorf("wrapped: %q, %g high, the bar %v", row.wrap.Text, row.Measure(360), row.thumb.Size())
	}
	if from := row.OffsetAt(fyne.NewPos(kit.Gap12, codeBar+codeLeading()+5)); from == 0 || from >= len(long) {
		t.Errorf("the second line begins at %d", from)
	}
	test.Tap(row.wrap)
	if row.wrap.Text != "Wrap" || len(copied) != 1 || strings.TrimSpace(copied[0]) != strings.TrimSpace(long) {
		t.Errorf("unwrapped: %q, copied %q", row.wrap.Text, copied)
	}
	for _, at := range []struct {
		y    float32
		want int
	}{{-30, 0}, {2000, len(row.Text.code)}} {
		if got := row.OffsetAt(fyne.NewPos(5, at.y)); got != at.want {
			t.Errorf("at %g: %d, want %d", at.y, got, at.want)
		}
	}
	if row.Text.Cursor() != desktop.TextCursor {
		t.Error("the pointer doesn't show text")
	}
	if row.update(markdown.Leaf{Kind: markdown.Code, Lang: "go"}) {
		t.Error("another language was taken for the same code")
	}
	fyne.CurrentApp().Settings().SetTheme(kit.NewTheme(kit.Look{TextSize: 2 * kit.SizeText}))
	if got := row.Text.Measure(360); got != float32(len(row.Text.lines))*codeLeading() || codeLeading() != 36 {
		t.Errorf("larger code is %g high", got)
	}
}

// Below a call, an answer is indented and muted.
func TestTheStyleOfACall(t *testing.T) {
	port := shown(t, "words\n\n- item\n\n> quote", nil, Style{Indent: 24, Muted: true})
	for i, p := range port.Rows {
		role := kit.RoleNone
		switch r := p.Row.(type) {
		case *prose.Text:
			role = r.Role
		case *itemRow:
			role = r.text.Role
		}
		if p.Indent != 24 || role != kit.RoleMuted {
			t.Errorf("row %d: indent %g, %s", i, p.Indent, role)
		}
	}
}

func TestTasksAndQuotesAreDrawn(t *testing.T) {
	port := shown(t, "- [x] done\n- [ ] open\n\n> > quoted", nil, Style{})
	done, open, quoted := port.Rows[0].Row.(*itemRow), port.Rows[1].Row.(*itemRow), port.Rows[2].Row.(*itemRow)
	if done.box.Fill != kit.RoleAccent || len(done.tick) != 2 || done.tick[0].Position2 != done.tick[1].Position1 || done.box.Position().X+kit.Gap12 > done.lead {
		t.Errorf("a finished task: %s, %d lines at %v", done.box.Fill, len(done.tick), done.box.Position())
	}
	if open.box.Fill != kit.RoleNone || len(open.tick) != 0 || open.marker.Visible() {
		t.Errorf("an open task: %s, %d lines", open.box.Fill, len(open.tick))
	}
	if len(quoted.bars) != 2 || quoted.bars[1].Position().X <= quoted.bars[0].Position().X || quoted.bars[1].Position().X > quoted.lead || quoted.bars[0].Size().Height != quoted.Size().Height {
		t.Errorf("a quote has %d lines", len(quoted.bars))
	}
}
