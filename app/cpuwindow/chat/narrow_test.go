package chat

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents/fault"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

// In a narrow window no text and no button of a row is beyond the column's edge.
func TestRowsOfANarrowWindowStayInTheColumn(t *testing.T) {
	for name, fill := range map[string]func(*conversation.EntryView){
		"an answer that was cut": func(e *conversation.EntryView) {
			e.Key, e.Kind, e.GoOn, e.Text = "a", conversation.Note, true, "The answer ends here because the context of qwen3:8b is full."
		},
		"a line to undo": func(e *conversation.EntryView) {
			e.Key, e.Kind, e.UndoID, e.Text = "b", conversation.Note, "x", "Saved as line 12 of memory.md: “the backup disk is called Ernie”"
		},
		"a failed tool": func(e *conversation.EntryView) {
			e.Key, e.Kind, e.Tool, e.Agent, e.Failed = "c", conversation.Call, true, "fetch_page", "port 9 is not one that web pages are read from"
		},
		"a running agent": func(e *conversation.EntryView) {
			e.Key, e.Kind, e.Agent, e.Live, e.Asking, e.Task = "d", conversation.Call, "researcher-of-things", true, true, "look at what is there"
		},
		"an error with offers": func(e *conversation.EntryView) {
			e.Key, e.Kind, e.Fault = "e", conversation.Error, &conversation.Fault{Kind: fault.KindNoMemory, UserID: "u", Sentence: "The GPU ran out of memory.", RetriedAt: "failed again at 12:20"}
		},
		"a proposal": func(e *conversation.EntryView) {
			e.Key, e.Kind, e.Proposal, e.Proposed, e.Text = "f", conversation.Note, "p", "a line", "Proposed, not saved: “a line”"
		},
	} {
		e := &conversation.EntryView{}
		fill(e)
		for _, width := range []float32{280, 300, 520} {
			screentest.New(t)
			r := New(Actions{}).Rows
			r.Act.AnswerWith = func(string, fyne.CanvasObject) {}
			for _, p := range r.Build(e).Rows {
				p.Row.Resize(fyne.NewSize(width, p.Row.Measure(width)))
				eachText(p.Row, 0, func(text *canvas.Text, x float32) {
					if end := x + kit.MeasureText(text.Text, text.TextSize, text.TextStyle).Width; end > width+1 {
						t.Errorf("%s, %.0f wide: %q ends at %.0f", name, width, text.Text, end)
					}
				})
			}
		}
	}
}

// eachText visits the texts that are drawn, also those outside the window, with their left edge.
func eachText(o fyne.CanvasObject, x float32, visit func(text *canvas.Text, x float32)) {
	if !o.Visible() {
		return
	}
	x += o.Position().X
	var inner []fyne.CanvasObject
	switch o := o.(type) {
	case *canvas.Text:
		if o.Text != "" {
			visit(o, x)
		}
	case *fyne.Container:
		inner = o.Objects
	case fyne.Widget:
		inner = test.WidgetRenderer(o).Objects()
	}
	for _, i := range inner {
		eachText(i, x, visit)
	}
}
