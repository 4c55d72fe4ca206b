package pages

import (
	"maps"
	"time"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/linediff"
	"mac-stats/sessionmem/memory"
)

// reloads remembers how files were shown, to find out what changed outside since.
type reloads struct {
	texts   map[string]string    // each file as shown last
	before  map[string]string    // each file before it changed outside
	changed map[string]time.Time // when the change was noticed
	own     map[string]bool      // files changed by this page, which need no note
}

func newReloads() *reloads {
	return &reloads{texts: map[string]string{}, before: map[string]string{}, changed: map[string]time.Time{}, own: map[string]bool{}}
}

// snapshot returns a copy for another goroutine.
func (r *reloads) snapshot() *reloads {
	return &reloads{texts: maps.Clone(r.texts), before: maps.Clone(r.before), changed: maps.Clone(r.changed), own: maps.Clone(r.own)}
}

// update updates a file and returns what changed outside since it was shown, or nil.
func (r *reloads) update(o memory.Owned) []linediff.Line {
	old, known := r.texts[o.Path]
	switch {
	case r.own[o.Path]:
		delete(r.before, o.Path)
	case known && old != o.Text:
		r.changed[o.Path] = time.Now()
		if _, ok := r.before[o.Path]; !ok {
			r.before[o.Path] = old
		}
	}
	delete(r.own, o.Path)
	r.texts[o.Path] = o.Text
	before, ok := r.before[o.Path]
	if !ok || before == o.Text {
		return nil
	}
	return linediff.Lines(before, o.Text)
}

// note returns the line about a reload, with a button that dismisses it.
func (r *reloads) note(path string, diff []linediff.Line, dismiss func()) kit.Row {
	added, removed := countDiff(diff)
	words := i18n.With("changed on disk at {{.Time}}, reloaded · +{{.Added}} −{{.Removed}}", i18n.Places{"Time": r.changed[path].Format("15:04:05"), "Added": added, "Removed": removed})
	label := kit.NewLabel(words, kit.RoleAccent, kit.SizeText).Squeezable()
	return column.NewBoxRow(kit.Line(kit.Gap12, 0, label, kit.NewButton(kit.ButtonQuiet, i18n.T("Dismiss"), func() {
		delete(r.before, path)
		dismiss()
	})))
}

func countDiff(diff []linediff.Line) (added, removed int) {
	for _, d := range diff {
		switch d.Op {
		case linediff.Added:
			added++
		case linediff.Removed:
			removed++
		}
	}
	return added, removed
}

// ownedNotes returns notes about a file's state.
func ownedNotes(o memory.Owned, b *editBuffer, edit func()) []kit.Row {
	var notes []kit.Row
	if o.Why != "" {
		notes = append(notes, column.NewCardRow(kit.RoleWarn, prose.NewParagraph(i18n.With("It can't be edited here: {{.Why}}", i18n.Places{"Why": i18n.Sentence(o.Why)}), kit.RoleText)))
	}
	if o.Garbled {
		notes = append(notes, column.NewCardRow(kit.RoleWarn, prose.NewParagraph(i18n.T("Part of this file isn't UTF-8 text. It is shown as � and left unchanged; edit those lines in your own editor."), kit.RoleText)))
	}
	if b != nil && b.dirty() {
		words := i18n.T("You have unsaved changes to this file. They are kept until you save or discard them.")
		if b.theirs != nil {
			words = i18n.T("You have unsaved changes to this file, and it was changed outside. Both versions are kept.")
		}
		notes = append(notes, column.NewCardRow(kit.RoleWarn, prose.NewParagraph(words, kit.RoleText), kit.Line(kit.Gap12, -1, kit.NewButton(kit.ButtonLink, i18n.T("Continue editing"), edit))))
	}
	return notes
}

// fileLines returns a file's lines, with added and removed ones marked if it changed.
func fileLines(text string, diff []linediff.Line) []linediff.Line {
	if diff == nil {
		diff = linediff.Lines(text, text)
	}
	for len(diff) > 0 && diff[len(diff)-1].Text == "" && diff[len(diff)-1].Op == linediff.Same {
		diff = diff[:len(diff)-1]
	}
	return diff
}

// linesRows returns a card of lines. Of a long file it shows the newest lines, with a
// button for the others.
func linesRows(lines []cardLine, all bool, showAll func()) []*column.Placed {
	var rows []*column.Placed
	if n := len(lines) - longFile; n > 0 && !all {
		lines = lines[n:]
		rows = append(rows, &column.Placed{Row: column.NewDivider(i18n.With("{{.Earlier}} · show", i18n.Places{"Earlier": i18n.Count("{{.N}} earlier lines", n)}), showAll), Gap: kit.Gap8, Max: kit.ProseMax})
	}
	return append(rows, &column.Placed{Row: newLinesCard(lines), Gap: kit.Gap8, Max: kit.ProseMax})
}

// longFile is the number of lines of a file that are shown at first: the newest.
const longFile = 300
