package conversation

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/transcript"
)

// titleOf returns the first words of a message, 60 characters at most.
func titleOf(text string) string {
	out := ""
	for _, w := range strings.Fields(transcript.TitleOf(text)) {
		if out != "" && utf8.RuneCountInString(out)+utf8.RuneCountInString(w) > 48 {
			return out + "…"
		}
		out = strings.TrimSpace(out + " " + w)
	}
	return i18n.Shorten(out, 60)
}

// reloadLine returns "memory.md reloaded · +2 −1".
func reloadLine(file string, added, removed int) string {
	s := i18n.With("{{.File}} reloaded", i18n.Places{"File": file})
	if added > 0 || removed > 0 {
		s += " ·"
	}
	if added > 0 {
		s += fmt.Sprintf(" +%d", added)
	}
	if removed > 0 {
		s += fmt.Sprintf(" −%d", removed)
	}
	return s
}

// BaseName returns the last element of a path of any operating system.
func BaseName(path string) string {
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// cutLine describes what didn't fit the context.
func cutLine(k *prompt.ContextCut) string {
	if k == nil {
		return ""
	}
	var parts []string
	add := func(n int, words string) {
		if n > 0 {
			parts = append(parts, words)
		}
	}
	add(k.Messages, i18n.Count("{{.N}} older messages", k.Messages))
	add(k.Memory, i18n.Count("{{.N}} characters of the memory", k.Memory))
	add(k.Roster, i18n.Count("{{.N}} agents and skills", k.Roster))
	add(k.Result, i18n.Count("{{.N}} characters of results", k.Result))
	add(k.Attached, i18n.Count("{{.N}} characters of the attached files", k.Attached))
	if k.Tools != "" {
		parts = append(parts, i18n.With("the tools {{.Names}}", i18n.Places{"Names": k.Tools}))
	}
	if len(parts) == 0 {
		return ""
	}
	return i18n.With("left out, to fit the model's context: {{.Parts}}", i18n.Places{"Parts": strings.Join(parts, ", ")})
}

// modelOf returns the model that an error is about, even if it was never resolved.
func modelOf(ev agents.Event) string {
	var e *ollama.Error
	if errors.As(ev.Err, &e) && e.Model != "" {
		return e.Model
	}
	return ev.Model
}

// keptLine describes how much is left of an answer that was cut off.
func keptLine(kept bool) string {
	if kept {
		return i18n.T("stopped · the partial answer is kept")
	}
	return i18n.T("stopped before anything had arrived")
}

// Stopped returns the window's word for anything that didn't finish, whatever stopped it.
func Stopped() string { return i18n.T("stopped") }

// Elapsed returns the time elapsed, as " 4 s", and "" in the first second.
func Elapsed(began, now time.Time) string {
	if s := int(now.Sub(began).Seconds()); s > 0 {
		return " " + Clock(s)
	}
	return ""
}

// Clock formats seconds: "42 s", "2:05 min".
func Clock(s int) string {
	if s < 60 {
		return fmt.Sprintf("%d s", s)
	}
	return i18n.With("{{.S}}:{{.S2}} min", i18n.Places{"S": s / 60, "S2": fmt.Sprintf("%02d", s%60)})
}

// cutShortWords describes why an answer is incomplete: as written, if the reason isn't known.
func cutShortWords(c *agents.CutShort, written string) string {
	if c == nil {
		return written
	}
	switch c.Why {
	case agents.CutFull:
		return i18n.With("The answer ends here because the context of {{.Model}} is full.", i18n.Places{"Model": c.Model})
	case agents.CutLength:
		return i18n.T("The answer ends here because it reached its maximum length (num_predict).")
	case agents.CutLoop:
		return i18n.T("The answer began to repeat itself and was stopped.")
	case agents.CutTime:
		return i18n.With("The answer was stopped after {{.Time}} (ollama.answer_time).", i18n.Places{"Time": c.After})
	case agents.CutServer:
		return i18n.With("The answer may be incomplete. The server's reason for its end: {{.Reason}}.", i18n.Places{"Reason": c.Reason})
	case agents.CutThought:
		return i18n.With("{{.Model}} thought too long and was stopped.", i18n.Places{"Model": c.Model})
	}
	return written
}

// StateWords describes what a turn is doing.
func StateWords(s agents.State) string {
	switch s {
	case agents.StateQueued:
		return i18n.T("waiting for the model")
	case agents.StateLoading:
		return i18n.T("loading the model")
	case agents.StateReading:
		return i18n.T("reading the prompt")
	case agents.StateThinking:
		return i18n.T("thinking")
	case agents.StateTool:
		return i18n.T("using a tool")
	case agents.StateAsking:
		return i18n.T("waiting for your answer")
	case agents.StateCompacting:
		return i18n.T("summarising older messages")
	}
	return string(s)
}

// TookWords formats a duration for the rows: "3.1 s", "2:05 min".
func TookWords(d time.Duration) string {
	switch {
	case d < 50*time.Millisecond: // avoids "0.0 s"
		return ""
	case d < 10*time.Second:
		return i18n.Number(fmt.Sprintf("%.1f s", d.Seconds()))
	}
	return Clock(int(d.Seconds()))
}

// readingWords returns "read 212 new of 6,480 tokens · 0.9 s".
func readingWords(u agents.Usage) string {
	words := i18n.With("read {{.New}} new of {{.All}} tokens", i18n.Places{"New": i18n.Thousands(u.NewTokens), "All": i18n.Thousands(u.PromptTokens)})
	if took := TookWords(u.ReadTime); took != "" {
		words += " · " + took
	}
	return words
}

// SpeedWords returns "41 tokens/s".
func SpeedWords(v float64) string {
	switch {
	case v <= 0:
		return ""
	case v < 10:
		return i18n.With("{{.V}} tokens/s", i18n.Places{"V": i18n.Number(fmt.Sprintf("%.1f", v))})
	}
	return i18n.With("{{.V}} tokens/s", i18n.Places{"V": fmt.Sprintf("%.0f", v)})
}
