package cpuwindow

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/backend"
	"mac-stats/app/config"
	"mac-stats/sessionmem"
)

// The pages beside the chat: what every agent is told, who the agents are, how
// the app is set up. Each is words off the disk, read when the page is opened.

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

// thousands is a count with separators: 5,360.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// agentRows is the Agents page.
func agentRows(list []agents.Agent, openFile func(string)) []*placed {
	rows := []*placed{textRow("Who answers. Each agent is a folder of plain text; a saved change holds from the next message on.", roleMuted, gap8)}
	if len(list) == 0 {
		rows = append(rows, textRow("There are no agents. `mac-stats agents reset` puts the five default ones back.", roleText, gap12))
	}
	for _, a := range list {
		rows = append(rows, &placed{row: agentCard(a, openFile), gap: gap8, max: proseMax})
	}
	return rows
}

func agentCard(a agents.Agent, openFile func(string)) row {
	name := orElse(a.Name, orElse(a.Slug, a.ID))
	mark := roleNone
	model := a.Model
	if model == "" {
		model = "model by role: " + orElse(a.Role, "general")
	}
	meta := []string{a.ID}
	if a.Slug != "" && a.Slug != name {
		meta = append(meta, a.Slug)
	}
	meta = append(meta, model)
	if a.Entry {
		meta = append(meta, "sees the conversation")
	}
	if !a.Enabled && a.Err == nil {
		meta = append(meta, "switched off")
	}
	parts := []fyne.CanvasObject{line(gap8, 0, boldWords(name).squeezable(), newButton(buttonQuiet, "Open", func() { openFile(a.Path) }))}
	if a.Description != "" {
		parts = append(parts, newParagraph(a.Description, roleText))
	}
	parts = append(parts, newProse([]run{{text: strings.Join(meta, " · ")}}, sizeSmall, roleMuted))
	if a.Err != nil {
		mark = roleHot
		parts = append(parts, newParagraph("Can't be used: "+a.Err.Error(), roleHot))
	}
	for _, w := range a.Warnings {
		if mark == roleNone {
			mark = roleWarn
		}
		parts = append(parts, newParagraph(w, roleMuted))
	}
	return newCardRow(mark, parts...)
}

// settingLine is one setting in words.
type settingLine struct{ key, value, help string }

// settingLines are the settings that matter in a chat.
func settingLines(c config.Config) []settingLine {
	numCtx := "auto"
	if c.Ollama.NumCtx > 0 {
		numCtx = strconv.Itoa(c.Ollama.NumCtx)
	}
	return []settingLine{
		{"ollama.host", orElse(c.Ollama.Host, "as OLLAMA_HOST says"), "where the model server is"},
		{"ollama.model", orElse(c.Ollama.Model, "by role"), "the model for every agent that names none"},
		{"ollama.num_ctx", numCtx, "context size in tokens"},
		{"ollama.keep_alive", durationWords(c.Ollama.KeepAlive), "how long a model stays loaded"},
		{"agents.default", c.Agents.Default, "who answers in a new chat"},
		{"session.max_messages", strconv.Itoa(c.Session.MaxMessages), "messages of a conversation a model is told"},
		{"session.in_memory_only", yesNo(c.Session.InMemoryOnly), "nothing is written to disk"},
		{"memory.write", c.Memory.Write, "auto, ask or off"},
		{"memory.global_budget", thousands(c.Memory.GlobalBudget), "characters of memory.md in a prompt"},
		{"monitor.interval_open", durationWords(c.Monitor.IntervalOpen), "pace of the vitals while the window is open"},
		{"monitor.sensors", yesNo(c.Monitor.Sensors), "temperature and GPU"},
	}
}

// durationWords is a duration as config.toml writes it: 10m, 1s, 30d.
func durationWords(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d%(24*time.Hour) == 0:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// settingsRows is the Settings page.
func settingsRows(p parts, started config.Config, notices []backend.Notice, openFile func(string)) []*placed {
	rows := []*placed{
		textRow("Settings are lines of config.toml; a saved change is read at once.", roleMuted, gap8),
		{row: newBoxRow(line(gap8, -1,
			newButton(buttonPlain, "Open config.toml", func() { openFile(p.conffile) }),
			newButton(buttonPlain, "Open data folder", func() { openFile(p.home) }))), gap: gap8},
	}
	for _, n := range notices {
		parts := []fyne.CanvasObject{newParagraph(n.Text, roleText)}
		if n.Next != "" {
			parts = append(parts, newParagraph(n.Next, roleMuted))
		}
		rows = append(rows, &placed{row: newCardRow(roleWarn, parts...), gap: gap8, max: proseMax})
	}
	var lines []fyne.CanvasObject
	now := p.config()
	waits := waiting(started, now)
	for i, s := range settingLines(now) {
		if i > 0 {
			lines = append(lines, hairline())
		}
		lines = append(lines, settingRow(s, waits[s.key]))
	}
	list := newCardRow(roleNone, lines...)
	list.gap = gap8
	rows = append(rows, &placed{row: list, gap: gap12, max: proseMax})
	about := "mac-stats " + orElse(p.version, "(no version)") + " · " + p.home
	return append(rows, &placed{row: newProse([]run{{text: about}}, sizeSmall, roleFaint), gap: gap12})
}

func settingRow(s settingLine, waits bool) fyne.CanvasObject {
	key := newWords(s.key, roleText, sizeMono)
	key.style.Monospace = true
	top := line(gap8, 0, key.squeezable(), textWords(s.value))
	help := smallWords(s.help).squeezable()
	if waits {
		help.set("applies after a restart · "+s.help, roleWarn)
	}
	return stack(0, top, help)
}

func textRow(text string, role fyne.ThemeColorName, gap float32) *placed {
	return &placed{row: newParagraph(text, role), gap: gap, max: proseMax}
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

// readPage reads a page's files, off the UI goroutine, and gives the function that
// makes its rows, on it.
func readPage(which page, p parts, started config.Config, reloaded string, openFile func(string)) func() []*placed {
	switch which {
	case pageMemory:
		files, err := listMemory(p.memories)
		return func() []*placed { return memoryRows(files, err, p.config(), reloaded, openFile) }
	case pageAgents:
		list := p.roster.Agents()
		return func() []*placed { return agentRows(list, openFile) }
	default:
		notices := p.notices()
		return func() []*placed { return settingsRows(p, started, notices, openFile) }
	}
}
