package cpuwindow

import (
	"context"
	"path/filepath"

	"mac-stats/app/backend"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
)

// Remembered lines that another program's save took out of a memory file: the notice bar
// tells of them, the Memory page shows them, and both offer to put them back.

// tellMissing shows the notice, with the way to put the lines back.
func (w *Window) tellMissing(n backend.Notice) {
	w.tell(missingWords(n.Missing), i18n.T("Another program saved the file without them. The Memory page shows them; there you can also keep them removed."))
	w.notice.offerTo(i18n.T("Restore"), func() {
		go func() {
			_, err := w.parts.memories.Restore(w.ctx)
			w.parts.decided()
			if err != nil {
				w.p.Do(func() {
					w.tell(i18n.With("The lines can't be restored: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
				})
			}
		}()
	})
	w.center.Refresh()
}

// missingWords says how many lines are missing, and where.
func missingWords(missing []sessionmem.Dropped) string {
	file := ""
	for _, d := range missing {
		base := filepath.Base(d.Path)
		if file != "" && file != base {
			return i18n.Count("{{.N}} remembered lines are no longer in their files", len(missing))
		}
		file = base
	}
	if file == "memory.md" {
		return i18n.Count("{{.N}} remembered lines are no longer in memory.md", len(missing))
	}
	return i18n.Count("{{.N}} remembered lines are no longer in their files", len(missing))
}

// missingRows are the lines that are missing from a file, and what can be done.
func (p *memoryPage) missingRows(it memoryItem) []*kit.Placed {
	var lines []cardLine
	var ids []string
	for _, d := range p.data.missing {
		if d.Path == it.file.Path {
			lines = append(lines, cardLine{text: d.Text, op: sessionmem.LineRemoved})
			ids = append(ids, d.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	decide := func(path string, do func(ctx context.Context) (string, error)) func() {
		return func() {
			p.act(path, func(ctx context.Context) (string, error) {
				said, err := do(ctx)
				p.w.parts.decided()
				return said, err
			})
		}
	}
	words := kit.NewParagraph(i18n.Sentence(i18n.Count("{{.N}} remembered lines are no longer in this file", len(ids)))+" "+i18n.T("Another program saved it without them. Agents are not told of them."), kit.RoleText)
	restore := kit.NewButton(kit.ButtonPrimary, i18n.T("Restore"), decide(it.file.Path, func(ctx context.Context) (string, error) {
		_, err := p.w.parts.memories.Restore(ctx, ids...)
		return i18n.T("Restored."), err
	}))
	keep := kit.NewButton(kit.ButtonPlain, i18n.T("Keep removed"), decide("", func(ctx context.Context) (string, error) {
		return i18n.T("They stay removed, and no agent remembers them again."), p.w.parts.memories.KeepRemoved(ctx, ids...)
	}))
	return []*kit.Placed{{Row: kit.NewCardRow(kit.RoleWarn, words, newLinesCard(lines), kit.Spacer(kit.Gap4), kit.Line(kit.Gap8, -1, restore, keep)), Gap: kit.Gap8, Max: kit.ProseMax}}
}
