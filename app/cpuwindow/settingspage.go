package cpuwindow

import (
	"fmt"
	"strconv"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/backend"
	"mac-stats/app/config"
)

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
