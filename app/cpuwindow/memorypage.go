package cpuwindow

import (
	"fmt"
	"path/filepath"

	"fyne.io/fyne/v2"

	"mac-stats/app/config"
	"mac-stats/sessionmem"
)

// memoryRows is the Memory page.
func memoryRows(files []sessionmem.MemoryFile, err error, cfg config.Config, reloaded string, openFile func(string)) []*placed {
	rows := []*placed{textRow("What every agent is told. Edit it in any editor: a saved change is in the very next prompt.", roleMuted, gap8)}
	if reloaded != "" {
		rows = append(rows, textRow(reloaded, roleAccent, gap8))
	}
	if err != nil {
		rows = append(rows, &placed{row: newCardRow(roleHot, newParagraph("The memory files can't be read: "+err.Error(), roleText)), gap: gap12})
	}
	for _, f := range files {
		rows = append(rows, &placed{row: memoryCard(f, cfg, openFile), gap: gap12, max: proseMax})
	}
	return rows
}

func memoryCard(f sessionmem.MemoryFile, cfg config.Config, openFile func(string)) row {
	budget, who := budgetOf(f.Target, cfg)
	in := f.Inject(budget)
	bar := newGauge(160)
	share := 0.0
	if budget > 0 {
		share = float64(in.Size) / float64(budget)
	}
	role := roleAccent
	if share > 1 {
		role = roleWarn
	}
	bar.set(share, role)
	use := fmt.Sprintf("%s · %.0f %% · %s of %s characters · %s", who, 100*share, thousands(in.Size), thousands(budget), plural(len(f.Bullets), "line", "lines"))
	if in.Cut > 0 {
		use += " · " + plural(in.Cut, "line does not fit", "lines do not fit")
	}
	label := "Open in my editor"
	if f.Missing {
		use, label = who+" · nothing remembered yet", "Create and open"
	}
	parts := []fyne.CanvasObject{
		line(gap8, 0, boldWords(memoryName(f)).squeezable(), newButton(buttonPlain, label, func() { openFile(f.Path) })),
		bar, newProse([]run{{text: use}}, sizeSmall, roleMuted),
		newProse([]run{{text: f.Path}}, sizeSmall, roleFaint),
	}
	for i, b := range f.Bullets {
		if i == 0 {
			parts = append(parts, spacer(gap4))
		}
		if i == 12 {
			parts = append(parts, smallWords("and "+plural(len(f.Bullets)-i, "more line", "more lines")+" in the file"))
			break
		}
		parts = append(parts, newItemRow(leaf{indent: 1, marker: "•", runs: []run{{text: b.Text}}}))
	}
	return newCardRow(roleNone, parts...)
}

// memoryName names a file: memory.md is the one for all.
func memoryName(f sessionmem.MemoryFile) string {
	base := filepath.Base(f.Path)
	if f.Target.Kind == sessionmem.TargetAgent {
		return filepath.Base(filepath.Dir(f.Path)) + "/" + base
	}
	return base
}

func budgetOf(t sessionmem.Target, cfg config.Config) (budget int, who string) {
	switch t.Kind {
	case sessionmem.TargetAgent:
		return cfg.Memory.AgentBudget, "agent " + t.ID
	case sessionmem.TargetChannel:
		return cfg.Memory.ChannelBudget, "Discord channel"
	}
	return cfg.Memory.GlobalBudget, "global"
}

// listMemory reads the memory files; the global one is there even while empty.
func listMemory(m memories) ([]sessionmem.MemoryFile, error) {
	files, err := m.List()
	for _, f := range files {
		if f.Target.Kind == sessionmem.TargetGlobal {
			return files, err
		}
	}
	t := sessionmem.Target{Kind: sessionmem.TargetGlobal}
	return append([]sessionmem.MemoryFile{{Target: t, Path: m.Path(t), Missing: true}}, files...), err
}
