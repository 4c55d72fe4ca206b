package pages

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents/prompt"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
)

// rows returns the rows of what is picked.
func (p *Memory) rows() []*column.Placed {
	rows := []*column.Placed{{Row: column.NewBoxRow(kit.Line(kit.Gap8, -1, p.modeButton())), Max: kit.ProseMax}}
	if p.result != "" {
		role := kit.RoleAccent
		if p.resultBad {
			role = kit.RoleHot
		}
		rows = append(rows, column.TextRow(p.result, role, kit.Gap8))
	}
	if p.data.err != nil {
		rows = append(rows, &column.Placed{Row: column.NewCardRow(kit.RoleHot, prose.NewParagraph(i18n.With("A memory file can't be read: {{.Error}}", i18n.Places{"Error": i18n.Sentence(p.data.err.Error())}), kit.RoleText)), Gap: kit.Gap12})
	}
	if p.picked == inboxKey {
		return append(rows, p.inboxRows(p.data.inbox)...)
	}
	for _, it := range p.data.files {
		if it.file.Path == p.picked {
			return append(rows, p.fileRows(it)...)
		}
	}
	return append(rows, column.TextRow(i18n.T("This file no longer exists."), kit.RoleMuted, kit.Gap12))
}

// memoryModes returns the values of memory.write, with the page's words for them.
func memoryModes() []struct{ value, words string } {
	return []struct{ value, words string }{
		{"auto", i18n.T("New memories: saved at once, with Undo")},
		{"ask", i18n.T("New memories: ask first")},
		{"off", i18n.T("New memories: off")},
	}
}

// modeButton shows memory.write and changes it.
func (p *Memory) modeButton() fyne.CanvasObject {
	now := p.data.cfg.Memory.Write
	words := now
	for _, m := range memoryModes() {
		if m.value == now {
			words = m.words
		}
	}
	var b *kit.Button
	b = kit.NewButton(kit.ButtonPill, words+"  ▾", func() {
		menu := fyne.NewMenu("")
		for _, m := range memoryModes() {
			item := fyne.NewMenuItem(m.words, func() { p.setMode(m.value) })
			item.Checked = m.value == now
			menu.Items = append(menu.Items, item)
		}
		kit.ShowMenu(menu, b, p.host.Canvas())
	})
	return b
}

func (p *Memory) setMode(value string) {
	p.act("", func(context.Context) (string, error) {
		return "", p.parts.Set("memory.write", value)
	})
}

// fileRows shows a memory file: how full it is, its lines, and its actions.
func (p *Memory) fileRows(it memoryItem) []*column.Placed {
	rows := []*column.Placed{{Row: p.headRow(it), Gap: kit.Gap12, Max: kit.ProseMax}}
	if n := p.proposalsFor(it.file.Target); n > 0 {
		words := kit.NewLabel(i18n.With("{{.Proposals}} for this file", i18n.Places{"Proposals": i18n.Count("{{.N}} memories to review", n)}), kit.RoleText, kit.SizeText).Squeezable()
		rows = append(rows, &column.Placed{Row: column.NewCardRow(kit.RoleAccent, kit.Line(kit.Gap12, 0, words, kit.NewButton(kit.ButtonLink, i18n.T("Review"), func() { p.Pick(inboxKey) }))), Gap: kit.Gap8, Max: kit.ProseMax})
	}
	rows = append(rows, p.missingRows(it)...)
	for _, n := range p.fileNotes(it) {
		rows = append(rows, &column.Placed{Row: n, Gap: kit.Gap8, Max: kit.ProseMax})
	}
	if p.data.owned.Why == "" {
		rows = append(rows, &column.Placed{Row: p.addField(it), Gap: kit.Gap8, Max: kit.ProseMax})
	}
	if p.data.owned.Text != "" {
		rows = append(rows, linesRows(p.cardLines(it), p.all, func() { p.all = true; p.draw() })...)
	}
	return append(rows, p.undoRows(it)...)
}

// budgetWords returns "67 % · 5,360 / 8,000".
func budgetWords(in memorytext.Injected) string {
	if in.Budget <= 0 {
		return i18n.With("{{.Size}} characters", i18n.Places{"Size": i18n.Thousands(in.Size)})
	}
	return fmt.Sprintf("%.0f %% · %s / %s", 100*float64(in.Size)/float64(in.Budget), i18n.Thousands(in.Size), i18n.Thousands(in.Budget))
}

// headRow shows the file's name, its budget, and the buttons to edit it.
func (p *Memory) headRow(it memoryItem) kit.Row {
	bar := kit.NewGauge(200)
	role := kit.RoleAccent
	if it.share() > 1 {
		role = kit.RoleWarn
	}
	bar.Set(it.share(), role)
	label, edit := i18n.T("Open in my editor"), i18n.T("Edit")
	if it.file.Missing {
		label = i18n.T("Create and open")
	}
	if p.edits.dirty(it.file.Path) {
		edit = i18n.T("Continue editing")
	}
	buttons := []fyne.CanvasObject{kit.Bold(it.title).Squeezable(), kit.NewButton(kit.ButtonQuiet, label, func() { p.host.OpenFile(it.file.Path) })}
	if p.data.owned.Why == "" {
		buttons = append(buttons, kit.NewButton(kit.ButtonPlain, edit, p.startEditing))
	}
	return column.NewCardRow(kit.RoleNone,
		kit.Line(kit.Gap12, 0, buttons...), bar,
		prose.New([]prose.Run{{Text: it.audience + " · " + it.meta()}}, kit.SizeSmall, kit.RoleMuted),
		prose.New([]prose.Run{{Text: p.where(it.file.Path)}}, kit.SizeSmall, kit.RoleFaint),
	)
}

// where returns a file's path, and where a link leads.
func (p *Memory) where(path string) string {
	if rel, err := filepath.Rel(p.parts.Home, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	if p.data.owned.Link != "" {
		path += i18n.With(" · a link to {{.Link}}", i18n.Places{"Link": p.data.owned.Link})
	}
	return path
}

// fileNotes returns notes about the file's state.
func (p *Memory) fileNotes(it memoryItem) []kit.Row {
	notes := ownedNotes(p.data.owned, p.edits.buffers[it.file.Path], p.startEditing)
	if p.data.diff != nil {
		notes = append(notes, p.reloads.note(it.file.Path, p.data.diff, p.Load))
	}
	if it.injected.Left > 0 {
		notes = append(notes, prose.NewParagraph(i18n.With("{{.Lines}} not in the next prompt, which has room for the newest only. Lines marked · are left out. Shorten the file, or raise the budget in Settings.", i18n.Places{"Lines": i18n.Count("{{.N}} characters are", it.injected.Left)}), kit.RoleWarn))
	}
	if len(p.data.copies) > 0 && it.file.Target == (memory.Target{Kind: memory.TargetGlobal}) {
		var names []string
		for _, path := range p.data.copies {
			if rel, err := filepath.Rel(p.parts.Home, path); err == nil && filepath.IsLocal(rel) {
				path = rel
			}
			names = append(names, path)
		}
		notes = append(notes, prose.NewParagraph(i18n.With("Not read, because only the originals are memory: {{.Files}}. Compare these copies with them, then remove the copies.", i18n.Places{"Files": strings.Join(names, ", ")}), kit.RoleMuted))
	}
	if words := p.shareWords(it); words != "" {
		notes = append(notes, prose.NewParagraph(words, kit.RoleMuted))
	}
	if it.file.Err != nil {
		notes = append(notes, prose.NewParagraph(it.file.Err.Error(), kit.RoleWarn))
	} else if it.file.Missing && p.data.owned.Why == "" {
		notes = append(notes, prose.NewParagraph(i18n.T("Nothing is remembered here yet. Write the first line below, or let the agents."), kit.RoleMuted))
	}
	return notes
}

// shareWords warns if the model's context leaves less room than the budget. It returns ""
// if the shown chat doesn't know the context's size.
func (p *Memory) shareWords(it memoryItem) string {
	size := p.host.ContextSize()
	room := prompt.NewBudget(size).MemoryRoom(it.injected.Text)
	if it.injected.Used <= room {
		return ""
	}
	return i18n.With("The model's context of {{.Size}} tokens has room for about {{.Room}} characters of memory. This file holds more, so its oldest lines may be left out.", i18n.Places{"Size": i18n.Thousands(size), "Room": i18n.Thousands(room)})
}

// cardLines returns the file's lines, with added and removed ones marked.
func (p *Memory) cardLines(it memoryItem) []cardLine {
	var lines []cardLine
	for _, d := range fileLines(p.data.owned.Text, p.data.diff) {
		l := cardLine{text: d.Text, op: d.Op, faint: it.injected.LeftOut(d.After)}
		p.addOrigin(&l)
		lines = append(lines, l)
	}
	return lines
}

// origin matches the comment about where a line was learned.
var origin = regexp.MustCompile(`\s*<!-- (\d{4}-\d\d-\d\d)(?: ([\w.-]+))? -->\s*$`)

// addOrigin turns the comment behind a line into words that open the session.
func (p *Memory) addOrigin(l *cardLine) {
	m := origin.FindStringSubmatch(l.text)
	if m == nil {
		return
	}
	day, err := time.Parse(time.DateOnly, m[1])
	if err != nil {
		return
	}
	l.text = l.text[:len(l.text)-len(m[0])]
	l.from = i18n.ShortDate(day, time.Now())
	if session := m[2]; session != "" {
		l.from += " · " + i18n.Shorten(p.host.SessionTitle(session), 24)
		l.open = func() { p.host.OpenSession(session) }
	}
}

// addField returns the field for adding a line by hand.
func (p *Memory) addField(it memoryItem) kit.Row {
	path, target := it.file.Path, it.file.Target
	f := p.fields[path]
	if f == nil {
		f = kit.NewLineField(i18n.T("Add a line to remember…"), i18n.T("Add"))
		p.fields[path] = f
	}
	f.OnSubmit = func(text string) {
		p.act(path, func(ctx context.Context) (string, error) {
			w, err := p.parts.Memories.Append(ctx, memory.Lesson{Text: text, Target: target, Confidence: 1})
			if err != nil {
				return "", err
			}
			p.host.Do(func() { f.Clear(text) })
			return i18n.With("Added as line {{.Line}}.", i18n.Places{"Line": w.Line}), nil
		})
	}
	return f
}

// shownSteps is the number of a file's changes that the page can undo.
const shownSteps = 5

// undoRows returns the changes of this file that can be undone, the newest first.
func (p *Memory) undoRows(it memoryItem) []*column.Placed {
	var rows []*column.Placed
	for _, s := range p.data.steps {
		if s.Target != it.file.Target || len(rows) > shownSteps {
			continue
		}
		if rows == nil {
			rows = append(rows, &column.Placed{Row: column.NewBoxRow(kit.Small(i18n.T("Recently remembered"))), Gap: kit.Gap16})
		}
		words := "“" + s.Added + "”"
		switch {
		case s.Added == "":
			words = i18n.With("forgot “{{.Removed}}”", i18n.Places{"Removed": s.Removed})
		case s.Removed != "":
			words += i18n.With(" in place of “{{.Removed}}”", i18n.Places{"Removed": s.Removed})
		}
		undo := kit.NewButton(kit.ButtonLink, i18n.T("Undo"), func() {
			p.act(it.file.Path, func(ctx context.Context) (string, error) {
				_, err := p.parts.Memories.Undo(ctx, s.ID)
				return i18n.With("Undone: {{.Words}}", i18n.Places{"Words": words}), err
			})
		})
		rows = append(rows, &column.Placed{Row: column.NewBoxRow(kit.Line(kit.Gap12, 0, kit.Muted(words).Squeezable(), undo)), Gap: kit.Gap4, Max: kit.ProseMax})
	}
	return rows
}
