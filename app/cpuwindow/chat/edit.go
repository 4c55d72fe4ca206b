package chat

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// A message is edited in its place and sent again on a branch of its own. The earlier
// version, and everything after it, stays in the transcript.

// EditRow edits a message or a proposed memory.
type EditRow struct {
	widget.BaseWidget
	bg      *kit.Surface
	Entry   *kit.Field
	words   *prose.Text
	buttons *fyne.Container
	rows    int
}

const editRowsMax = 14

func newEditRow(text, words, send string, onSend func(string), onCancel func()) *EditRow {
	keys := compose.NewField()
	r := &EditRow{bg: kit.NewSurface(kit.RoleCard, kit.RoleAccent, kit.RadiusBubble), Entry: keys.Field, rows: 1}
	r.words = prose.New([]prose.Run{{Text: words}}, kit.SizeSmall, kit.RoleMuted)
	submit := func() {
		if t := strings.TrimSpace(r.Entry.Text); t != "" {
			onSend(t)
		}
	}
	keys.OnSend, keys.OnEscape, keys.OnScroll = submit, onCancel, r.Entry.Entry.TypedKey
	r.Entry.SetText(text)
	r.Entry.OnChanged = func(string) { r.fit(r.Size().Width) }
	r.buttons = kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonPrimary, send, submit), kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), onCancel))
	r.ExtendBaseWidget(r)
	return r
}

// fit sets the field's number of rows to that of its text, and has the chat measure the row
// again if that changed.
func (r *EditRow) fit(width float32) {
	text := r.Entry.Text
	n := editRowsMax
	if len(text) < compose.LongText {
		p := prose.New([]prose.Run{{Text: text}}, kit.SizeText, kit.RoleText)
		n = int(p.Measure(max(80, width-2*kit.Gap12-2*kit.Gap8)) / p.Leading)
	}
	if n = min(max(n, 1), editRowsMax); n == r.rows {
		return
	}
	r.rows = n
	r.Entry.SetMinRowsVisible(n)
	kit.HostOf(r).Remeasure(r)
}

// Measure implements kit.Row.
func (r *EditRow) Measure(width float32) float32 {
	r.fit(width)
	return kit.Gap8 + r.Entry.MinSize().Height + r.words.Measure(width-2*kit.Gap12) + kit.Gap8 + r.buttons.MinSize().Height + kit.Gap12
}

// CreateRenderer implements fyne.Widget.
func (r *EditRow) CreateRenderer() fyne.WidgetRenderer {
	return kit.NewRenderer(r, r.layOut, r.bg, r.Entry, r.words, r.buttons)
}

// layOut places the parts for a size.
func (r *EditRow) layOut(s fyne.Size) {
	r.bg.Resize(s)
	b := r.buttons.MinSize()
	y := s.Height - kit.Gap12 - b.Height
	r.buttons.Move(fyne.NewPos(kit.Gap12, y))
	r.buttons.Resize(b)
	h := r.words.Measure(s.Width - 2*kit.Gap12)
	y -= kit.Gap8 + h
	r.words.Move(fyne.NewPos(kit.Gap12, y))
	r.words.Resize(fyne.NewSize(s.Width-2*kit.Gap12, h))
	r.Entry.Move(fyne.NewPos(kit.Gap4, kit.Gap4))
	r.Entry.Resize(fyne.NewSize(s.Width-2*kit.Gap4, y-kit.Gap4))
}

// buildUser builds a message of the user, or the field that edits it.
func (r *Rows) buildUser(b *Entry, e *conversation.EntryView, editing bool) {
	key, block := e.Key, e.Block
	if editing && !r.Reading {
		row := newEditRow(e.Text, r.editWords(block), i18n.T("Send again"), func(text string) {
			r.Expanded[key] = false
			r.Act.EditMessage(block, text)
		}, func() { r.Toggle(key); r.Act.FocusComposer() })
		b.Rows = []*column.Placed{{Row: row, Gap: kit.Gap16}}
		r.Act.StartEdit(row)
		return
	}
	b.text = e.Text
	actions, group := r.userActions(e)
	b.Rows = r.userRows(e, actions, group)
	b.pager = nil
	switch {
	case len(e.Versions) > 1 && !r.Reading:
		b.pager = r.newPager(e)
		b.Rows = append(b.Rows, &column.Placed{Row: newRightRow(b.pager.object), Gap: kit.Gap4})
	case e.Edited: // the transcript has the versions once the answer is done
		b.Rows = append(b.Rows, &column.Placed{Row: newRightRow(kit.Small(i18n.T("edited"))), Gap: kit.Gap4})
	}
}

// editWords describes what happens when the edited message is sent.
func (r *Rows) editWords(block string) string {
	after := 0
	found := false
	for i := range r.last.Entries {
		e := &r.last.Entries[i]
		if found && (e.Kind == conversation.User || e.Kind == conversation.Head) {
			after++
		}
		found = found || e.Kind == conversation.User && e.Block == block
	}
	if after <= 1 {
		return i18n.T("The earlier version stays in the transcript.")
	}
	return i18n.With("The earlier version and the {{.Messages}} after it leave the conversation. They stay in the transcript.", i18n.Places{"Messages": i18n.Count("{{.N}} messages", after)})
}

// newRightRow returns a row at the right edge.
func newRightRow(o fyne.CanvasObject) *column.BoxRow {
	return column.NewBoxRow(kit.Line(0, 0, column.Spacer(1), o))
}
