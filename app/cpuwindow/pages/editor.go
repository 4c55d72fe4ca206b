package pages

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/linediff"
)

// onSave returns a shortcut handler that calls save on Cmd/Ctrl+S.
func onSave(save func()) func(fyne.Shortcut) bool {
	return func(s fyne.Shortcut) bool {
		c, ok := s.(*desktop.CustomShortcut)
		ok = ok && c.KeyName == fyne.KeyS && c.Modifier == fyne.KeyModifierShortcutDefault
		if ok {
			save()
		}
		return ok
	}
}

// editorActions are the callbacks of an editor.
type editorActions struct {
	changed func(b *editBuffer)
	save    func(b *editBuffer)
	close   func() // returns to reading; the edit stays
}

// editor edits a file in place, a long one in parts.
type editor struct {
	act        editorActions
	buffer     *editBuffer
	parts      []textPart
	part       int
	entry      *kit.Field
	box        *kit.Surface
	name       *kit.Label
	state      *kit.Label
	save       *kit.Button
	discard    *kit.Button
	done       *kit.Button
	back       *kit.Button // undoes a choice
	where      *kit.Label  // number of the part
	prev       *kit.Button
	next       *kit.Button
	partBar    *fyne.Container
	problem    *column.Viewport // a conflict, or why a save failed
	object     *fyne.Container
	problemFor string // the state that trouble shows
}

func newEditor(act editorActions) *editor {
	e := &editor{act: act, entry: kit.NewTextArea(), box: kit.NewSurface(kit.RoleCode, kit.RoleLine, kit.RadiusCard), problem: column.NewViewport()}
	e.name, e.state, e.where = kit.Bold("").Squeezable(), kit.Small("").Squeezable(), kit.Small("").Squeezable()
	e.save = kit.NewButton(kit.ButtonPrimary, i18n.T("Save"), func() { e.act.save(e.buffer) })
	e.discard = kit.NewButton(kit.ButtonQuiet, i18n.T("Discard"), e.onDiscard)
	e.done = kit.NewButton(kit.ButtonPlain, i18n.T("Close"), func() { e.act.close() })
	e.back = kit.NewButton(kit.ButtonQuiet, i18n.T("Undo"), e.onUndo)
	e.prev = kit.NewButton(kit.ButtonQuiet, i18n.T("‹ Previous part"), func() { e.turn(-1) })
	e.next = kit.NewButton(kit.ButtonQuiet, i18n.T("Next part ›"), func() { e.turn(1) })
	e.entry.TextStyle.Monospace = true
	e.entry.OnShortcut = onSave(func() { e.act.save(e.buffer) })
	e.entry.SetEscape(func() { e.act.close() })
	e.entry.OnFocus = e.ring
	e.entry.OnChanged = e.onChanged
	e.problem.Follow, e.problem.Fixed = false, true
	e.problem.Pad, e.problem.Top = 0, 0
	e.problem.Disable()
	bar := kit.Line(kit.Gap12, 0, kit.Stack(0, e.name, e.state), e.back, e.discard, e.done, e.save)
	e.partBar = kit.Line(kit.Gap12, 0, e.where, e.prev, e.next)
	field := container.NewStack(e.box, kit.Inset(kit.Gap4, kit.Gap4, kit.Gap4, kit.Gap4, e.entry))
	e.object = container.New(&editorLayout{e}, kit.Inset(kit.Gap12, kit.Gap8, kit.Gap20, kit.Gap20, bar), kit.Inset(0, kit.Gap4, kit.Gap20, kit.Gap20, e.partBar), e.problem, field)
	return e
}

// editorLayout places the file's name and buttons, the parts, the trouble, and the text.
type editorLayout struct{ e *editor }

// MinSize implements fyne.Layout.
func (l *editorLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 160) }

// Layout implements fyne.Layout.
func (l *editorLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	bar, parts, trouble, field := o[0], o[1], o[2], o[3]
	y := bar.MinSize().Height
	bar.Resize(fyne.NewSize(s.Width, y))
	if l.e.partBar.Visible() {
		h := parts.MinSize().Height
		parts.Move(fyne.NewPos(0, y))
		parts.Resize(fyne.NewSize(s.Width, h))
		y += h
	}
	if trouble.Visible() {
		trouble.Resize(fyne.NewSize(s.Width-2*kit.Gap20, 10))
		h := min(l.e.problem.Total, (s.Height-y)*0.6)
		trouble.Move(fyne.NewPos(kit.Gap20, y))
		trouble.Resize(fyne.NewSize(s.Width-2*kit.Gap20, max(0, h)))
		y += max(0, h)
	}
	field.Move(fyne.NewPos(kit.Gap20, y))
	field.Resize(fyne.NewSize(s.Width-2*kit.Gap20, max(40, s.Height-y-kit.Gap16)))
}

func (e *editor) ring(on bool) {
	role := kit.RoleLine
	if on {
		role = kit.RoleAccent
	}
	e.box.Set(kit.RoleCode, role)
}

// open shows a buffer at a 1-based line; 0 keeps the position, or starts at the top.
func (e *editor) open(b *editBuffer, name string, at int) {
	e.name.SetText(name)
	if e.buffer != b || at > 0 {
		e.buffer, e.part = b, 0
		e.parts = textParts(b.text)
		for i, p := range e.parts {
			if at >= p.line {
				e.part = i
			}
		}
		e.fill(max(0, at-e.parts[e.part].line))
	}
	e.refresh()
}

// shownText returns the part being edited, without the line end that separates it from the
// next one.
func (e *editor) shownText() string {
	p := e.parts[e.part]
	if p.to < len(e.buffer.text) && p.to > p.from {
		return e.buffer.text[p.from : p.to-1]
	}
	return e.buffer.text[p.from:p.to]
}

// fill puts the part into the field, with the cursor on a row.
func (e *editor) fill(row int) {
	e.entry.Put(e.shownText())
	e.entry.CursorRow, e.entry.CursorColumn = row, 0
	e.entry.Refresh()
}

func (e *editor) onChanged(text string) {
	p := e.parts[e.part]
	end := p.to
	if p.to < len(e.buffer.text) && p.to > p.from {
		end--
	}
	head, tail := e.buffer.text[:p.from], e.buffer.text[end:]
	grown := len(text) - (end - p.from)
	e.buffer.edit(head + text + tail)
	for i := e.part; i < len(e.parts); i++ {
		e.parts[i].to += grown
		if i > e.part {
			e.parts[i].from += grown
		}
	}
	e.act.changed(e.buffer)
	e.refresh()
}

// turn moves to the next or previous part.
func (e *editor) turn(by int) {
	at := e.parts[e.part].from
	e.parts = textParts(e.buffer.text)
	e.part = 0
	for i, p := range e.parts {
		if p.from <= at {
			e.part = i
		}
	}
	e.part = min(max(e.part+by, 0), len(e.parts)-1)
	e.fill(0)
	e.refresh()
}

// sync shows changes to the buffer that weren't typed into the field.
func (e *editor) sync() {
	if e.buffer == nil {
		return
	}
	e.parts = textParts(e.buffer.text)
	e.part = min(e.part, len(e.parts)-1)
	if e.entry.Text != e.shownText() {
		e.fill(e.entry.CursorRow)
	}
	e.refresh()
}

func (e *editor) onDiscard() {
	e.buffer.discard()
	e.act.changed(e.buffer)
	e.sync()
}

func (e *editor) onUndo() {
	e.buffer.undoChoice()
	e.act.changed(e.buffer)
	e.sync()
}

func (e *editor) onChoice(c choice) {
	e.buffer.choose(c)
	e.act.changed(e.buffer)
	e.sync()
}

// refresh shows the buffer's state.
func (e *editor) refresh() {
	b := e.buffer
	words, role := i18n.T("saved"), kit.RoleMuted
	switch {
	case b.saving:
		words = i18n.T("saving…")
	case b.theirs != nil:
		words, role = i18n.T("changed here and outside"), kit.RoleWarn
	case b.dirty():
		words, role = i18n.T("not saved yet"), kit.RoleWarn
	case b.base.Missing:
		words = i18n.T("new file: created when you save")
	case b.base.Link != "":
		words = i18n.With("a link to {{.Link}}", i18n.Places{"Link": b.base.Link})
	}
	e.state.Set(words, role)
	e.save.Disable()
	if b.dirty() && !b.saving && b.theirs == nil {
		e.save.Enable()
	}
	e.discard.Hidden = !b.dirty()
	e.back.Hidden = b.before == nil
	e.partBar.Hidden = len(e.parts) < 2
	if !e.partBar.Hidden {
		e.where.SetText(i18n.With("part {{.Part}} of {{.Parts}}, from line {{.Line}}", i18n.Places{"Part": e.part + 1, "Parts": len(e.parts), "Line": e.parts[e.part].line}))
		kit.SetEnabled(e.prev, e.part > 0)
		kit.SetEnabled(e.next, e.part < len(e.parts)-1)
	}
	e.showProblem()
	e.object.Refresh()
}

// showProblem shows both sides of a conflict, or why a save failed.
func (e *editor) showProblem() {
	b := e.buffer
	problem := ""
	if b.err != nil {
		problem = b.err.Error()
	}
	if b.theirs != nil {
		problem = "conflict\x00" + b.theirs.Text + "\x00" + b.text
	}
	e.problem.Hidden = problem == ""
	if problem == e.problemFor {
		return
	}
	e.problemFor = problem
	var rows []*column.Placed
	switch {
	case b.theirs != nil:
		rows = e.conflictRows()
	case b.err != nil:
		rows = append(rows, &column.Placed{Row: column.NewCardRow(kit.RoleHot, prose.NewParagraph(i18n.With("Not saved: {{.Error}}", i18n.Places{"Error": i18n.Sentence(b.err.Error())}), kit.RoleText), prose.NewParagraph(i18n.T("Your text is kept, even if you close the window."), kit.RoleMuted))})
	}
	e.problem.SetRows(rows)
}

// conflictLines is the number of lines of a comparison that are shown.
const conflictLines = 40

func (e *editor) conflictRows() []*column.Placed {
	b := e.buffer
	text := i18n.T("This file was also changed outside. Below: − only there, + only in your edit. Nothing is written before you save.")
	if b.theirs.Missing {
		text = i18n.T("This file was deleted outside. Keep yours to create it again.")
	}
	card := column.NewCardRow(kit.RoleWarn, prose.NewParagraph(text, kit.RoleText), column.Spacer(kit.Gap4), kit.Line(kit.Gap8, -1,
		kit.NewButton(kit.ButtonPlain, i18n.T("Keep mine"), func() { e.onChoice(takeMine) }),
		kit.NewButton(kit.ButtonPlain, i18n.T("Take theirs"), func() { e.onChoice(takeTheirs) }),
		kit.NewButton(kit.ButtonPlain, i18n.T("Both"), func() { e.onChoice(takeBoth) })))
	return []*column.Placed{{Row: card}, {Row: newLinesCard(changedLines(linediff.Lines(b.theirs.Text, b.text), conflictLines)), Gap: kit.Gap8}}
}

// changedLines returns the changed lines of a comparison, n at most.
func changedLines(diff []linediff.Line, n int) []cardLine {
	var lines []cardLine
	more := 0
	for _, d := range diff {
		switch {
		case d.Op == linediff.Same:
		case len(lines) == n:
			more++
		default:
			lines = append(lines, cardLine{text: d.Text, op: d.Op})
		}
	}
	if more > 0 {
		lines = append(lines, cardLine{text: i18n.With("and {{.More}}", i18n.Places{"More": i18n.Count("{{.N}} more lines", more)}), faint: true})
	}
	return lines
}
