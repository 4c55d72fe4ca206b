package chat

import (
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents/fault"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/faultwords"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/answer"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/prose"
)

// Build returns the rows of an entry, and rebuilds them only if the entry changed.
func (r *Rows) Build(e *conversation.EntryView) *Entry {
	b := r.Built[e.Key]
	open := r.Expanded[e.Key] != e.Alone
	if b != nil && b.rev == e.Rev && b.expanded == open {
		r.updateClock(b, e, open)
		return b
	}
	if b == nil {
		b = &Entry{}
	}
	b.rev, b.expanded = e.Rev, open
	b.text, b.answer = "", markdown.View{}
	switch e.Kind {
	case conversation.User:
		r.buildUser(b, e, open)
	case conversation.Head:
		r.buildHead(b, e)
	case conversation.Answer:
		b.answer = e.View
		b.leaves.Update(e.View, r.Act.CopyText, answer.Style{})
		b.Rows = b.leaves.Rows
		if p := r.pictureRow(e); p != nil {
			b.Rows = append(slices.Clip(b.Rows), p)
		}
	case conversation.Thinking:
		r.buildFold(b, e, open)
	case conversation.Call:
		r.buildCall(b, e, open)
	case conversation.Summary:
		r.buildSummary(b, e, open)
	case conversation.Note:
		b.Rows = r.noteRows(e, open)
	case conversation.Error:
		b.Rows = []*column.Placed{{Row: r.errorRow(e), Gap: kit.Gap12, Max: kit.ProseMax}}
	}
	return b
}

// updateClock updates the clock of an entry that is under way.
func (r *Rows) updateClock(b *Entry, e *conversation.EntryView, open bool) {
	switch {
	case !e.Live:
	case b.Call != nil:
		b.Call.set(e, open, r.now())
	case b.fold != nil:
		r.labelFold(b, e, open)
	}
}

// labelFold gives the line its words, and the room for them.
func (r *Rows) labelFold(b *Entry, e *conversation.EntryView, open bool) {
	b.fold.SetText(r.thinkingWords(e) + foldSign(open))
	b.Rows[0].Row.Refresh()
}

func foldSign(open bool) string {
	if open {
		return " ⌄"
	}
	return " ›"
}

func (r *Rows) buildHead(b *Entry, e *conversation.EntryView) {
	if b.head == nil {
		b.head = newHeadRow()
		b.Rows = []*column.Placed{{Row: b.head, Gap: kit.Gap20, Max: kit.ProseMax}}
	}
	b.head.set(e, r.now())
}

// buildFold builds a line that shows and hides what is below it.
func (r *Rows) buildFold(b *Entry, e *conversation.EntryView, open bool) {
	if b.fold == nil {
		key := e.Key
		b.fold = kit.NewButton(kit.ButtonQuiet, "", func() { r.Toggle(key) })
		b.Rows = []*column.Placed{{Row: column.NewBoxRow(kit.Line(0, -1, b.fold)), Gap: kit.Gap8, Max: kit.ProseMax}}
	}
	r.labelFold(b, e, open)
	b.Rows = b.Rows[:1:1]
	if open {
		b.leaves.Update(e.View, r.Act.CopyText, answer.Style{Indent: kit.Gap16, Muted: true})
		b.Rows = append(b.Rows, b.leaves.Rows...)
	}
}

func (r *Rows) thinkingWords(e *conversation.EntryView) string {
	if e.Live {
		return i18n.With("Thinking…{{.Time}}", i18n.Places{"Time": conversation.Elapsed(e.Began, r.now())})
	}
	if t := conversation.TookWords(e.Took); t != "" {
		return i18n.With("Thought for {{.T}}", i18n.Places{"T": t})
	}
	return i18n.T("Thought")
}

func (r *Rows) buildCall(b *Entry, e *conversation.EntryView, open bool) {
	key, id := e.Key, e.CallID
	if b.Call == nil {
		b.Call = newCallRow(func() { r.Toggle(key) }, func() { r.Act.StopCall(id) })
	}
	b.Call.set(e, open, r.now())
	b.Rows = []*column.Placed{{Row: b.Call, Gap: kit.Gap8, Max: kit.ProseMax}}
	if open {
		task := strings.TrimSpace(e.Task)
		if e.Tool { // as the model wrote it
			task = strings.TrimSpace(e.Agent + " " + task)
		}
		if task != "" { // the row shows only its beginning
			words := prose.New([]prose.Run{{Text: task, Mono: e.Tool}}, kit.SizeText, kit.RoleText)
			b.Rows = append(b.Rows, &column.Placed{Row: words, Gap: kit.Gap8, Indent: kit.Gap20, Max: kit.ProseMax})
		}
		b.leaves.Update(e.View, r.Act.CopyText, answer.Style{Indent: kit.Gap20, Muted: true})
		b.Rows = append(b.Rows, b.leaves.Rows...)
		if e.Written != "" {
			label := prose.New([]prose.Run{{Text: i18n.T("As the model wrote it:")}}, kit.SizeText, kit.RoleMuted)
			words := prose.New([]prose.Run{{Text: e.Written, Mono: true}}, kit.SizeText, kit.RoleMuted)
			b.Rows = append(b.Rows,
				&column.Placed{Row: label, Gap: kit.Gap12, Indent: kit.Gap20, Max: kit.ProseMax},
				&column.Placed{Row: words, Gap: kit.Gap8, Indent: kit.Gap20, Max: kit.ProseMax})
		}
	}
}

func (r *Rows) buildSummary(b *Entry, e *conversation.EntryView, open bool) {
	label := i18n.T("older messages summarised")
	if e.Count > 0 {
		label = i18n.Count("{{.N}} older messages summarised", e.Count)
	}
	label += " · " + map[bool]string{false: i18n.T("show"), true: i18n.T("hide")}[open]
	b.Rows = []*column.Placed{{Row: column.NewDivider(label, func() { r.Toggle(e.Key) }), Gap: kit.Gap16}}
	if open {
		f := column.NewFramed(prose.New([]prose.Run{{Text: e.Text}}, kit.SizeText, kit.RoleMuted), kit.RolePanel, kit.RoleLine, kit.RadiusCard, kit.Gap12, kit.Gap8)
		b.Rows = append(b.Rows, &column.Placed{Row: f, Gap: kit.Gap8, Max: kit.ProseMax})
	}
}

func (r *Rows) noteRow(e *conversation.EntryView) kit.Row {
	if e.RetryID != "" {
		f := conversation.Fault{UserID: e.RetryID}
		return noteLine(e.Text, kit.NewButton(kit.ButtonLink, i18n.T("Retry"), func() { r.Act.Retry(f) }))
	}
	if e.GoOn {
		return noteLine(e.Text, kit.NewButton(kit.ButtonLink, i18n.T("Continue"), r.Act.GoOn))
	}
	if e.UndoID == "" {
		return prose.New(prose.Runs(e.Text, kit.RoleNone), kit.SizeSmall, kit.RoleMuted)
	}
	key, id := e.Key, e.UndoID
	return noteLine(e.Text, kit.NewButton(kit.ButtonLink, i18n.T("Undo"), func() { r.Act.Undo(key, id) }))
}

// noteLine returns a note with buttons beside it, or below it in a narrow window.
func noteLine(text string, buttons ...fyne.CanvasObject) kit.Row {
	note := prose.New([]prose.Run{{Text: i18n.Shorten(text, 90)}}, kit.SizeSmall, kit.RoleMuted)
	return kit.NewFlowRow(kit.Gap8, append([]fyne.CanvasObject{note}, buttons...)...)
}

// headRow is the badge above an answer.
type headRow struct {
	*column.BoxRow
	name *kit.Label
	meta *kit.Label
}

func newHeadRow() *headRow {
	h := &headRow{name: kit.Bold(""), meta: kit.Small("").Squeezable()}
	h.name.TextSize = kit.SizeSmall + 1
	h.BoxRow = column.NewBoxRow(kit.Line(kit.Gap4, 1, h.name, h.meta))
	return h
}

func (h *headRow) set(e *conversation.EntryView, now time.Time) {
	h.name.SetText(e.Agent)
	parts := []string{e.Model, i18n.When(e.At, now), conversation.SpeedWords(e.Speed)}
	parts = append(parts, e.Reading)
	if e.Again {
		parts = append(parts, i18n.T("answered again"))
	}
	meta := ""
	for _, p := range parts {
		if p != "" {
			meta += " · " + p
		}
	}
	h.meta.SetText(strings.TrimPrefix(meta, " "))
	h.Content.(*fyne.Container).Refresh()
}

// callRow is a sub-call or a tool call: its name, task and state. It opens to its text.
type callRow struct {
	*column.BoxRow
	dot               *kit.Surface
	name, task, state *kit.Label
	sign              *kit.Label // whether the row is open
	Stop              *kit.Button
	box               *fyne.Container
}

func newCallRow(onTap, onStop func()) *callRow {
	r := &callRow{dot: kit.NewDot(kit.RoleAccent), name: kit.Bold(""), task: kit.Muted("").Squeezable(), state: kit.Small(""), sign: kit.Small("")}
	r.Stop = kit.NewButton(kit.ButtonQuiet, i18n.T("Stop"), onStop)
	r.Stop.Hide()
	r.box = kit.Line(kit.Gap8, 2, kit.Sized(r.dot, 8, 8), r.name, r.task, r.state, r.sign, r.Stop)
	bg := kit.NewSurface(kit.RoleCard, kit.RoleLine, kit.RadiusCard)
	r.BoxRow = column.NewBoxRow(kit.NewTappable(bg, kit.Inset(kit.Gap8, kit.Gap8, kit.Gap12, kit.Gap12, r.box), onTap))
	return r
}

func (r *callRow) set(e *conversation.EntryView, open bool, now time.Time) {
	role, state := kit.RoleMuted, conversation.TookWords(e.Took)
	switch {
	case e.Live && e.Asking:
		role, state = kit.RoleWarn, i18n.T("waiting for your answer")
	case e.Live:
		role, state = kit.RoleAccent, i18n.With("working…{{.Time}}", i18n.Places{"Time": conversation.Elapsed(e.Began, now)})
	case e.Failed != "":
		role, state = kit.RoleHot, i18n.With("failed: {{.Failed}}", i18n.Places{"Failed": i18n.Shorten(e.Failed, 40)})
		if e.Failed == conversation.Stopped() {
			state = conversation.Stopped()
		}
	case e.Unsaved != "":
		state = e.Unsaved
	case !e.Tool && state != "":
		state = i18n.With("done in {{.State}}", i18n.Places{"State": state})
	case state == "":
		state = i18n.T("done")
	}
	r.dot.Set(role, kit.RoleNone)
	name := e.Agent
	if e.Tool {
		name = conversation.ToolWords(name, !e.Live && e.Failed == "" && e.Unsaved == "")
	}
	r.name.SetText(i18n.Shorten(name, 32))
	r.task.SetText(strings.Join(strings.Fields(i18n.Shorten(e.Task, 300)), " "))
	r.state.SetText(state)
	r.sign.SetText(strings.TrimSpace(foldSign(open)))
	r.Stop.Hidden = !e.Live || e.Tool
	r.box.Refresh()
}

// stateRow shows the state before the first token, with a clock.
type stateRow struct {
	*column.BoxRow
	text *kit.Label
}

func newStateRow() *stateRow {
	s := &stateRow{text: kit.Muted("").Squeezable()}
	s.BoxRow = column.NewBoxRow(kit.Line(kit.Gap8, 1, kit.Sized(kit.NewDot(kit.RoleAccent), 8, 8), s.text))
	return s
}

func (s *stateRow) set(text string) { s.text.SetText(text) }

// errorRow is the card of a failed turn: what happened, what to do, and a button for it.
func (r *Rows) errorRow(e *conversation.EntryView) kit.Row {
	f := *e.Fault
	parts := []fyne.CanvasObject{prose.NewParagraph(faultwords.Of(f.Sentence), kit.RoleText)}
	if f.Next != "" && !strings.Contains(f.Sentence, f.Next) {
		parts = append(parts, prose.NewParagraph(faultwords.Of(f.Next), kit.RoleMuted))
	}
	var buttons []fyne.CanvasObject
	if f.Kind == fault.KindModelMissing && f.Model != "" {
		buttons = append(buttons, kit.NewButton(kit.ButtonPrimary, i18n.With("Pull {{.Model}}", i18n.Places{"Model": f.Model}), func() { r.Act.Pull(f.Model) }))
	}
	if e.GoOn {
		buttons = append(buttons, kit.NewButton(kit.ButtonPrimary, i18n.T("Continue"), r.Act.GoOn))
	}
	buttons = append(buttons, r.offers(f)...)
	kind, label := kit.ButtonPrimary, i18n.T("Retry")
	if len(buttons) > 0 {
		kind = kit.ButtonPlain
	}
	if f.UserID == "" {
		label = i18n.T("Send again")
	}
	buttons = append(buttons, kit.NewButton(kind, label, func() { r.Act.Retry(f) }))
	if f.Kind == fault.KindTimeout || f.Kind == fault.KindBusy {
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Re-check"), r.Act.Recheck))
	}
	if f.Kind == fault.KindDisk {
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, i18n.T("Open data folder"), r.Act.OpenFolder))
	}
	if f.RetriedAt != "" {
		buttons = append(buttons, kit.Small(f.RetriedAt))
	}
	parts = append(parts, column.Spacer(kit.Gap4), kit.NewFlowRow(kit.Gap8, buttons...))
	return column.NewCardRow(kit.RoleHot, parts...)
}
