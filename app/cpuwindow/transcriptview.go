package cpuwindow

import (
	"cmp"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// readerActions is what can be done from the transcript viewer.
type readerActions struct {
	copyText  func(text string)
	openLink  func(url string)
	goOn      func(in transcript.Info, from string) // continue; from = the message that leaves the context, "" for none
	fork      func(in transcript.Info, through string)
	export    func(in transcript.Info)
	copyAll   func(in transcript.Info)
	edit      func(path string)
	reveal    func(path string)
	openOther func()
	files     func(session string) fileActions // of the session's attachments
	do        func(func())
	find      func(text, phrase string) []sessionmem.Mark
}

// transcriptView shows a whole transcript to read: left branches, sub-calls, notes
// and Summaries too. Rows are built as the chat builds them, for a part of the file
// at a time.
type transcriptView struct {
	act    readerActions
	rows   *chatView // builds the rows of entries; its port is the column
	bar    *findBar
	object *fyne.Container

	name  string // session
	read  *readout
	fault string // why nothing is shown
	turn  int    // of the building: only the newest is shown
	busy  bool   // a part is being built
	index map[string]spread

	phrase string
	places []place
	at     int
	seek   *place // to bring into sight once it is built
}

// spread is where the rows of a block's entry are.
type spread struct {
	from, to int
	key      string
	folds    bool
}

func newTranscriptView(act readerActions) *transcriptView {
	v := &transcriptView{act: act}
	v.rows = newChatView(chatActions{copyText: act.copyText, openLink: act.openLink, files: act.files})
	v.rows.reading = true
	v.rows.onToggle = func() {
		if v.read != nil {
			v.build()
		}
	}
	port := v.rows.port
	port.Follow, port.Fixed = false, true
	port.OnTop, port.OnEnd = func() { v.grow(-1) }, func() { v.grow(1) }
	port.OnAway, port.OnLink, port.OnRune = nil, act.openLink, nil
	v.bar = newFindBar(v.search, v.step, v.closeFind)
	v.object = container.New(layout.NewBorderLayout(v.bar, nil, nil, nil), v.bar, port)
	return v
}

// show reads another transcript from its beginning, or at a block.
func (v *transcriptView) show(t *transcript.Transcript, block, phrase string) {
	v.name, v.fault = t.Info.Name, ""
	v.read = newReadout(t)
	v.rows.built, v.rows.expanded = map[string]*builtEntry{}, map[string]bool{}
	v.rows.port.ClearSelection()
	v.rows.port.Offset = 0
	v.places, v.seek, v.phrase = nil, nil, ""
	v.bar.Hide()
	if at := v.read.indexOf(block); block != "" && at >= 0 {
		v.read.show(at)
		v.seek = &place{block: at}
		v.phrase = phrase
	}
	v.build()
}

// refresh takes the transcript as it is now; the reader stays where they are.
func (v *transcriptView) refresh(t *transcript.Transcript) {
	v.fault = ""
	v.read.take(t)
	v.build()
	if v.phrase != "" && v.bar.Visible() {
		v.look(false)
	}
}

// fail says why there is nothing to read.
func (v *transcriptView) fail(in transcript.Info, words string) {
	v.turn++
	v.name, v.read, v.fault = in.Name, nil, words
	rows := []*kit.Placed{{Row: kit.NewCardRow(kit.RoleHot, kit.NewParagraph(i18n.With("This transcript can't be read: {{.Words}}", i18n.Places{"Words": words}), kit.RoleText), kit.NewParagraph(i18n.T("The file is left as it is."), kit.RoleMuted)), Gap: kit.Gap12, Max: kit.ProseMax}}
	if in.Path != "" {
		rows = append(rows, &kit.Placed{Row: kit.NewFlowRow(kit.Gap16, v.fileButtons(in)...), Gap: kit.Gap12})
	}
	v.rows.port.SetRows(rows)
}

// none is what the page shows where no conversation is chosen.
func (v *transcriptView) none() {
	v.turn++
	v.name, v.read = "", nil
	v.rows.port.SetRows([]*kit.Placed{
		{Row: kit.NewBoxRow(kit.Title(i18n.T("Nothing to read yet"))), Gap: kit.Gap20},
		kit.TextRow(i18n.T("Choose a conversation from the list. Every one is a markdown file, whether it comes from this window, the command line or Discord."), kit.RoleMuted, kit.Gap4),
		{Row: kit.NewFlowRow(kit.Gap8, kit.NewButton(kit.ButtonPlain, i18n.T("Open another file…"), v.act.openOther)), Gap: kit.Gap12},
	})
}

// build prepares the rows off the UI goroutine and swaps them in.
func (v *transcriptView) build() {
	v.turn++
	v.busy = true
	turn, snapshot := v.turn, *v.read
	snapshot.open = map[string]bool{}
	for k, on := range v.read.open {
		snapshot.open[k] = on
	}
	now := time.Now()
	go func() {
		items := snapshot.items(now)
		v.act.do(func() {
			if turn == v.turn {
				v.busy = false
				v.layOut(items, now)
			}
		})
	}()
}

// grow builds more at an edge of what is built.
func (v *transcriptView) grow(dir int) {
	if v.read != nil && !v.busy && v.read.grow(dir) {
		v.build()
	}
}

// layOut swaps the rows in; those that are the same stay.
func (v *transcriptView) layOut(items []readerItem, now time.Time) {
	column := v.heading(now)
	alive := make(map[string]*builtEntry, len(items))
	v.index = map[string]spread{}
	for i := range items {
		it := &items[i]
		from := len(column)
		switch {
		case it.day != "":
			column = append(column, &kit.Placed{Row: kit.NewDivider(it.day, func() {}), Gap: kit.Gap20})
		case it.group != "":
			column = append(column, &kit.Placed{Row: kit.NewDivider(it.label, func() { v.toggleGroup(it.group) }), Gap: kit.Gap16})
		default:
			b := v.rows.build(it.entry)
			alive[it.entry.Key] = b
			column = append(column, v.entryRows(it, b, now)...)
		}
		if it.entry != nil && it.entry.Block != "" {
			folds := it.entry.Kind == conversation.Call || it.entry.Kind == conversation.Summary
			v.index[it.entry.Block] = spread{from, len(column), it.entry.Key, folds}
		}
	}
	if v.read.to < len(v.read.blocks) {
		column = append(column, &kit.Placed{Row: kit.NewDivider(i18n.With("{{.Entries}} below · show", i18n.Places{"Entries": i18n.Count("{{.N}} entries", len(v.read.blocks)-v.read.to)}), func() { v.grow(1) }), Gap: kit.Gap16})
	}
	v.rows.built = alive
	v.rows.port.SetRows(column)
	v.mark()
}

// heading is what stands above the conversation: what it is, what can be done.
func (v *transcriptView) heading(now time.Time) []*kit.Placed {
	in := v.read.info
	buttons := []fyne.CanvasObject{}
	if continues(in) {
		buttons = append(buttons, kit.NewButton(kit.ButtonPrimary, i18n.T("Continue"), func() { v.act.goOn(in, "") }))
	}
	buttons = append(buttons,
		kit.NewButton(kit.ButtonPlain, i18n.T("Fork"), func() { v.act.fork(in, "") }),
		kit.NewButton(kit.ButtonPlain, i18n.T("Find"), v.openFind))
	links := []fyne.CanvasObject{
		kit.NewButton(kit.ButtonQuiet, i18n.T("Export"), func() { v.act.export(in) }),
		kit.NewButton(kit.ButtonQuiet, i18n.T("Copy as text"), func() { v.act.copyAll(in) }),
	}
	if in.Path != "" {
		links = append(links, v.fileButtons(in)...)
	}
	links = append(links, kit.NewButton(kit.ButtonQuiet, i18n.T("Open another file…"), v.act.openOther))
	rows := []*kit.Placed{
		{Row: kit.NewProse([]kit.Run{{Text: v.read.facts(now)}}, kit.SizeSmall, kit.RoleMuted), Gap: kit.Gap4},
		{Row: kit.NewFlowRow(kit.Gap8, buttons...), Gap: kit.Gap8},
		{Row: kit.NewFlowRow(kit.Gap16, links...), Gap: kit.Gap8},
	}
	if v.read.from > 0 {
		rows = append(rows, &kit.Placed{Row: kit.NewDivider(i18n.With("{{.Entries}} above · show", i18n.Places{"Entries": i18n.Count("{{.N}} entries", v.read.from)}), func() { v.grow(-1) }), Gap: kit.Gap16})
	}
	return rows
}

func (v *transcriptView) fileButtons(in transcript.Info) []fyne.CanvasObject {
	return []fyne.CanvasObject{
		kit.NewButton(kit.ButtonQuiet, i18n.T("Open in editor"), func() { v.act.edit(in.Path) }),
		kit.NewButton(kit.ButtonQuiet, i18n.T("Show in folder"), func() { v.act.reveal(in.Path) }),
	}
}

// entryRows is the rows of an entry: as in the chat, but for who and when above a
// message, and what can be done from an answer.
func (v *transcriptView) entryRows(it *readerItem, b *builtEntry, now time.Time) []*kit.Placed {
	e := it.entry
	switch e.Kind {
	case conversation.User:
		who := kit.Bold(it.who)
		who.TextSize = kit.SizeSmall + 1
		caption := kit.Line(kit.Gap4, 0, kit.Spacer(1), who, kit.Small(prefixed(" · ", clockWords(e.At, now))))
		rows := append([]*kit.Placed{{Row: kit.NewBoxRow(caption), Gap: kit.Gap20}}, b.rows...)
		b.rows[0].Gap = kit.Gap4
		return rows
	case conversation.Head:
		who := kit.Bold(cmp.Or(e.Agent, i18n.T("assistant")))
		who.TextSize = kit.SizeSmall + 1
		meta := kit.Small(prefixed(" · ", e.Model) + prefixed(" · ", clockWords(e.At, now))).Squeezable()
		parts := []fyne.CanvasObject{kit.Line(kit.Gap4, 1, who, meta)}
		in, turn, next := v.read.info, it.turn, it.next
		if continues(in) && next != "" && !it.left {
			parts = append(parts, kit.NewButton(kit.ButtonQuiet, i18n.T("Continue from here"), func() { v.act.goOn(in, next) }))
		}
		if turn != "" {
			parts = append(parts, kit.NewButton(kit.ButtonQuiet, i18n.T("Fork from here"), func() { v.act.fork(in, turn) }))
		}
		return []*kit.Placed{{Row: kit.NewBoxRow(kit.Line(kit.Gap12, 0, parts...)), Gap: kit.Gap20, Max: kit.ProseMax}}
	}
	return b.rows
}

// clockWords is the time of day; the day stands above.
func clockWords(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(now.Location()).Format("15:04")
}

// prefixed is s behind a separator, "" where s is empty.
func prefixed(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}

func (v *transcriptView) toggleGroup(name string) {
	v.read.open[name] = !v.read.open[name]
	v.build()
}

// openFind shows the find bar with what was looked for last.
func (v *transcriptView) openFind() {
	if v.read == nil {
		return
	}
	v.bar.Show()
	v.object.Refresh()
	if c := fyne.CurrentApp().Driver().CanvasForObject(v.object); c != nil {
		c.Focus(v.bar.entry)
	}
	v.bar.entry.TypedShortcut(&fyne.ShortcutSelectAll{})
	v.search(v.bar.entry.Text)
}

func (v *transcriptView) closeFind() {
	v.phrase, v.places = "", nil
	v.bar.Hide()
	v.object.Refresh()
	v.mark()
	if c := fyne.CurrentApp().Driver().CanvasForObject(v.object); c != nil {
		c.Focus(v.rows.port)
	}
}

// search looks for a phrase in the whole transcript, off the UI goroutine.
func (v *transcriptView) search(phrase string) {
	v.phrase = phrase
	v.look(true)
}

// look counts the places; with jump, the first from the built part on is shown.
func (v *transcriptView) look(jump bool) {
	if v.read == nil {
		return
	}
	phrase, snapshot, from := v.phrase, *v.read, v.read.from
	go func() {
		places := snapshot.places(func(text string) []sessionmem.Mark { return v.act.find(text, phrase) })
		v.act.do(func() {
			if v.phrase != phrase {
				return
			}
			v.places = places
			if jump {
				v.at = 0
				for v.at < len(places)-1 && places[v.at].block < from {
					v.at++
				}
				v.goTo()
			}
			v.at = max(0, min(v.at, len(places)-1))
			v.bar.say(v.at, len(places))
			v.mark()
		})
	}()
}

// step goes to the next or previous place, around the ends.
func (v *transcriptView) step(by int) {
	if n := len(v.places); n > 0 {
		v.at = (v.at + by + n) % n
		v.bar.say(v.at, n)
		v.goTo()
	}
}

// goTo brings the place that is looked at into sight.
func (v *transcriptView) goTo() {
	if v.at >= len(v.places) {
		return
	}
	p := v.places[v.at]
	if p.block >= len(v.read.blocks) {
		return // the file became shorter: the next look counts anew
	}
	v.seek = &p
	v.read.show(p.block)
	v.build()
}

// mark shows the phrase in the rows that are built, and brings the place that is
// sought into sight.
func (v *transcriptView) mark() {
	if v.read == nil {
		return
	}
	find := func(text string) []kit.Mark {
		if v.phrase == "" {
			return nil
		}
		return rowMarks(v.act.find(text, v.phrase))
	}
	p, sought := v.sought()
	if p.block >= len(v.read.blocks) {
		v.rows.port.MarkRows(find, 0, 0, 0, false)
		return
	}
	span := v.index[v.read.blocks[p.block].ID]
	if sought && span.folds && !v.rows.expanded[span.key] {
		v.rows.expanded[span.key] = true
		v.build()
		return // marked when it is built
	}
	if sought && span.from < span.to {
		v.rows.port.RevealRow(v.rows.port.Rows[span.from].Row)
		v.seek = nil
	}
	v.rows.port.MarkRows(find, span.from, span.to, p.nth, sought)
}

// sought is the place to show as the one that is looked at; ok where it is to be
// brought into sight.
func (v *transcriptView) sought() (p place, ok bool) {
	switch {
	case v.seek != nil:
		return *v.seek, true
	case v.at < len(v.places) && v.bar.Visible():
		return v.places[v.at], false
	}
	return place{block: len(v.read.blocks)}, false
}
