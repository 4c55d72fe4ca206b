package pages

import (
	"context"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/linediff"
)

// missingRows shows the lines that are missing from a file, and the possible actions.
func (p *Memory) missingRows(it memoryItem) []*column.Placed {
	var lines []cardLine
	var ids []string
	for _, d := range p.data.missing {
		if d.Path == it.file.Path {
			lines = append(lines, cardLine{text: d.Text, op: linediff.Removed})
			ids = append(ids, d.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	decide := func(path string, do func(ctx context.Context) (string, error)) func() {
		return func() {
			p.act(path, func(ctx context.Context) (string, error) {
				result, err := do(ctx)
				p.parts.Decided()
				return result, err
			})
		}
	}
	words := prose.NewParagraph(i18n.Sentence(i18n.Count("{{.N}} remembered lines are no longer in this file", len(ids)))+" "+i18n.T("Another program saved it without them. Agents are not told of them."), kit.RoleText)
	restore := kit.NewButton(kit.ButtonPrimary, i18n.T("Restore"), decide(it.file.Path, func(ctx context.Context) (string, error) {
		_, err := p.parts.Memories.Restore(ctx, ids...)
		return i18n.T("Restored."), err
	}))
	keep := kit.NewButton(kit.ButtonPlain, i18n.T("Keep removed"), decide("", func(ctx context.Context) (string, error) {
		return i18n.T("They stay removed, and no agent remembers them again."), p.parts.Memories.KeepRemoved(ctx, ids...)
	}))
	return []*column.Placed{{Row: column.NewCardRow(kit.RoleWarn, words, newLinesCard(lines), column.Spacer(kit.Gap4), kit.Line(kit.Gap8, -1, restore, keep)), Gap: kit.Gap8, Max: kit.ProseMax}}
}
