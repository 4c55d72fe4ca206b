package transcripts

import (
	"cmp"
	"maps"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"mac-stats/app/cpuwindow/chat"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/find"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/transcript"
)

// Actions are called from the viewer.
type Actions struct {
	CopyText  func(text string)
	OpenLink  func(url string)
	GoOn      func(in transcript.Info, from string) // continues at the end, or before the message from
	Fork      func(in transcript.Info, through string)
	Export    func(in transcript.Info)
	CopyAll   func(in transcript.Info)
	Edit      func(path string)
	Reveal    func(path string)
	OpenOther func()
	Files     func(session string) chat.FileActions // of the session's attachments
	Do        func(func())
	Find      func(text, phrase string) []prose.Mark
	Remember  func(in transcript.Info, line string)
}

// View is the viewer on the screen. It builds rows like those of the chat, for a part of the
// file at a time.
type View struct {
	act    Actions
	Rows   *chat.View // builds the rows of entries; its port is the column
	Bar    *find.Bar
	Object *fyne.Container

	Name  string // session
	Read  *readout
	fault string // why nothing is shown
	turn  int    // number of the newest build, the only one that is shown
	Busy  bool   // rows are being built
	index map[string]rowRange

	Phrase string
	places []place
	at     int
	seek   *place // to scroll to once it has rows
}

// rowRange is the range of rows of a block's entry.
type rowRange struct {
	from, to int
	key      string
	folds    bool
}

// New returns a viewer that shows nothing.
func New(act Actions) *View {
	v := &View{act: act}
	v.Rows = chat.New(chat.Actions{CopyText: act.CopyText, OpenLink: act.OpenLink, Files: act.Files, MessageActions: chat.MessageActions{
		Remember: func(line string) { act.Remember(v.Read.info, line) },
	}})
	v.Rows.Reading = true
	v.Rows.OnToggle = func() {
		if v.Read != nil {
			v.build()
		}
	}
	port := v.Rows.Port
	port.Follow, port.Fixed = false, true
	port.OnTop, port.OnEnd = func() { v.grow(-1) }, func() { v.grow(1) }
	port.OnAway, port.OnLink, port.OnRune = nil, act.OpenLink, nil
	v.Bar = find.NewBar(v.search, v.step, v.closeFind, v.closeFind)
	v.Object = container.New(layout.NewBorderLayout(v.Bar, nil, nil, nil), v.Bar, port)
	return v
}

// Show shows another transcript from its beginning or at a block.
func (v *View) Show(t *transcript.Transcript, block, phrase string) {
	v.Name, v.fault = t.Info.Name, ""
	v.Read = newReadout(t)
	v.Rows.Built, v.Rows.Expanded = map[string]*chat.Entry{}, map[string]bool{}
	v.Rows.Port.ClearSelection()
	v.Rows.Port.Offset = 0
	v.places, v.seek, v.Phrase = nil, nil, ""
	v.Bar.Hide()
	if at := v.Read.indexOf(block); block != "" && at >= 0 {
		v.Read.show(at)
		v.seek = &place{block: at}
		v.Phrase = phrase
	}
	v.build()
}

// Refresh shows a new version of the transcript at the same place.
func (v *View) Refresh(t *transcript.Transcript) {
	v.fault = ""
	v.Read.replace(t)
	v.build()
	if v.Phrase != "" && v.Bar.Visible() {
		v.findPlaces(false)
	}
}

// Fail shows why a transcript can't be read.
func (v *View) Fail(in transcript.Info, words string) {
	v.turn++
	v.Name, v.Read, v.fault = in.Name, nil, words
	rows := []*column.Placed{{Row: column.NewCardRow(kit.RoleHot, prose.NewParagraph(i18n.With("This transcript can't be read: {{.Words}}", i18n.Places{"Words": words}), kit.RoleText), prose.NewParagraph(i18n.T("The file is left as it is."), kit.RoleMuted)), Gap: kit.Gap12, Max: kit.ProseMax}}
	if in.Path != "" {
		rows = append(rows, &column.Placed{Row: kit.NewFlowRow(kit.Gap16, v.fileButtons(in)...), Gap: kit.Gap12})
	}
	v.Rows.Port.SetRows(rows)
}

// None shows that no conversation is selected.
func (v *View) None() {
	v.turn++
	v.Name, v.Read = "", nil
	v.Rows.Port.SetRows([]*column.Placed{
		{Row: column.NewBoxRow(kit.Title(i18n.T("Nothing to read yet"))), Gap: kit.Gap20},
		column.TextRow(i18n.T("Choose a conversation from the list. Every one is a markdown file, whether it comes from this window, the command line or Discord."), kit.RoleMuted, kit.Gap4),
		{Row: kit.NewFlowRow(kit.Gap8, kit.NewButton(kit.ButtonPlain, i18n.T("Open another file…"), v.act.OpenOther)), Gap: kit.Gap12},
	})
}

// build prepares the items off the UI goroutine, then lays them out.
func (v *View) build() {
	v.turn++
	v.Busy = true
	turn, snapshot := v.turn, *v.Read
	snapshot.open = maps.Clone(v.Read.open)
	now := time.Now()
	go func() {
		items := snapshot.items(now)
		v.act.Do(func() {
			if turn == v.turn {
				v.Busy = false
				v.layOut(items, now)
			}
		})
	}()
}

// grow adds rows at an edge.
func (v *View) grow(dir int) {
	if v.Read != nil && !v.Busy && v.Read.grow(dir) {
		v.build()
	}
}

// layOut replaces the rows. It keeps those that are unchanged.
func (v *View) layOut(items []readerItem, now time.Time) {
	placed := v.heading(now)
	alive := make(map[string]*chat.Entry, len(items))
	v.index = map[string]rowRange{}
	for i := range items {
		it := &items[i]
		from := len(placed)
		switch {
		case it.day != "":
			placed = append(placed, &column.Placed{Row: column.NewDivider(it.day, func() {}), Gap: kit.Gap20})
		case it.group != "":
			placed = append(placed, &column.Placed{Row: column.NewDivider(it.label, func() { v.toggleGroup(it.group) }), Gap: kit.Gap16})
		default:
			b := v.Rows.Build(it.entry)
			alive[it.entry.Key] = b
			placed = append(placed, v.entryRows(it, b, now)...)
		}
		if it.entry != nil && it.entry.Block != "" {
			folds := it.entry.Kind == conversation.Call || it.entry.Kind == conversation.Summary
			v.index[it.entry.Block] = rowRange{from, len(placed), it.entry.Key, folds}
		}
	}
	if v.Read.to < len(v.Read.Blocks) {
		placed = append(placed, &column.Placed{Row: column.NewDivider(i18n.With("{{.Entries}} below · show", i18n.Places{"Entries": i18n.Count("{{.N}} entries", len(v.Read.Blocks)-v.Read.to)}), func() { v.grow(1) }), Gap: kit.Gap16})
	}
	v.Rows.Built = alive
	v.Rows.Port.SetRows(placed)
	v.mark()
}

// heading returns the rows above the conversation: facts and buttons.
func (v *View) heading(now time.Time) []*column.Placed {
	in := v.Read.info
	if in.Machine != "" {
		return v.machineHeading(in)
	}
	buttons := []fyne.CanvasObject{}
	if sessions.Continues(in) {
		buttons = append(buttons, kit.NewButton(kit.ButtonPrimary, i18n.T("Continue"), func() { v.act.GoOn(in, "") }))
	}
	buttons = append(buttons,
		kit.NewButton(kit.ButtonPlain, i18n.T("Fork"), func() { v.act.Fork(in, "") }),
		kit.NewButton(kit.ButtonPlain, i18n.T("Find"), v.openFind))
	links := []fyne.CanvasObject{
		kit.NewButton(kit.ButtonQuiet, i18n.T("Export"), func() { v.act.Export(in) }),
		kit.NewButton(kit.ButtonQuiet, i18n.T("Copy as text"), func() { v.act.CopyAll(in) }),
	}
	if in.Path != "" {
		links = append(links, v.fileButtons(in)...)
	}
	links = append(links, kit.NewButton(kit.ButtonQuiet, i18n.T("Open another file…"), v.act.OpenOther))
	rows := []*column.Placed{
		{Row: prose.New([]prose.Run{{Text: v.Read.facts(now)}}, kit.SizeSmall, kit.RoleMuted), Gap: kit.Gap4},
		{Row: kit.NewFlowRow(kit.Gap8, buttons...), Gap: kit.Gap8},
		{Row: kit.NewFlowRow(kit.Gap16, links...), Gap: kit.Gap8},
	}
	if v.Read.From > 0 {
		rows = append(rows, &column.Placed{Row: column.NewDivider(i18n.With("{{.Entries}} above · show", i18n.Places{"Entries": i18n.Count("{{.N}} entries", v.Read.From)}), func() { v.grow(-1) }), Gap: kit.Gap16})
	}
	return rows
}

func (v *View) fileButtons(in transcript.Info) []fyne.CanvasObject {
	return []fyne.CanvasObject{
		kit.NewButton(kit.ButtonQuiet, i18n.T("Open in editor"), func() { v.act.Edit(in.Path) }),
		kit.NewButton(kit.ButtonQuiet, i18n.T("Show in folder"), func() { v.act.Reveal(in.Path) }),
	}
}

// machineHeading returns the rows above a session that another machine put on the memory server.
func (v *View) machineHeading(in transcript.Info) []*column.Placed {
	return []*column.Placed{
		{Row: column.NewBoxRow(kit.Title(i18n.With("Conversation on {{.Machine}}", i18n.Places{"Machine": in.Machine}))), Gap: kit.Gap16, Max: kit.ProseMax},
		column.TextRow(i18n.With("These are the messages that {{.Machine}} put on the memory server. The conversation itself is on that machine: go on with it, edit it or delete it there.", i18n.Places{"Machine": in.Machine}), kit.RoleMuted, kit.Gap4),
		{Row: kit.NewFlowRow(kit.Gap8, kit.NewButton(kit.ButtonPlain, i18n.T("Find"), v.openFind)), Gap: kit.Gap8},
	}
}

// entryRows returns the rows of an entry: those of the chat, with author and time above a
// message and buttons above an answer.
func (v *View) entryRows(it *readerItem, b *chat.Entry, now time.Time) []*column.Placed {
	e := it.entry
	switch e.Kind {
	case conversation.User:
		who := kit.Bold(it.who)
		who.TextSize = kit.SizeSmall + 1
		caption := kit.Line(kit.Gap4, 0, column.Spacer(1), who, kit.Small(prefixed(" · ", clockWords(e.At, now))))
		rows := append([]*column.Placed{{Row: column.NewBoxRow(caption), Gap: kit.Gap20}}, b.Rows...)
		b.Rows[0].Gap = kit.Gap4
		return rows
	case conversation.Head:
		who := kit.Bold(cmp.Or(e.Agent, i18n.T("assistant")))
		who.TextSize = kit.SizeSmall + 1
		meta := kit.Small(prefixed(" · ", e.Model) + prefixed(" · ", clockWords(e.At, now))).Squeezable()
		parts := []fyne.CanvasObject{kit.Line(kit.Gap4, 1, who, meta)}
		in, turn, next := v.Read.info, it.turn, it.next
		if sessions.Continues(in) && next != "" && !it.left {
			parts = append(parts, kit.NewButton(kit.ButtonQuiet, i18n.T("Continue from here"), func() { v.act.GoOn(in, next) }))
		}
		if turn != "" && in.Machine == "" {
			parts = append(parts, kit.NewButton(kit.ButtonQuiet, i18n.T("Fork from here"), func() { v.act.Fork(in, turn) }))
		}
		return []*column.Placed{{Row: column.NewBoxRow(kit.Line(kit.Gap12, 0, parts...)), Gap: kit.Gap20, Max: kit.ProseMax}}
	}
	return b.Rows
}

// clockWords returns the time of day. A line above shows the day.
func clockWords(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(now.Location()).Format("15:04")
}

// prefixed returns s after a separator, or "" if s is empty.
func prefixed(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}

func (v *View) toggleGroup(name string) {
	v.Read.open[name] = !v.Read.open[name]
	v.build()
}
