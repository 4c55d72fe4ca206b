package demo

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollamatest"
)

// The tools the script knows how to call.
const (
	toolAgent        = "AGENT"
	toolMemoryAppend = "MEMORY_APPEND"
	toolSystemStats  = "SYSTEM_STATS"
)

// offers reports whether the request offers a tool.
func offers(req api.ChatRequest, name string) bool { return find(req, name) != nil }

func find(req api.ChatRequest, name string) *api.ToolFunction {
	for i := range req.Tools {
		if strings.EqualFold(req.Tools[i].Function.Name, name) {
			return &req.Tools[i].Function
		}
	}
	return nil
}

// call answers with a native tool call: the values go to the tool's required
// parameters in their order, then to the others.
func call(req api.ChatRequest, name string, values ...string) ollamatest.Reply {
	tool := find(req, name)
	if tool == nil {
		return ollamatest.Reply{Text: "The demo would use " + name + " here, but it isn't offered in this turn."}
	}
	names := slices.Clone(tool.Parameters.Required)
	for p := range tool.Parameters.Properties.All() {
		if !slices.Contains(names, p) {
			names = append(names, p)
		}
	}
	var args []any
	for i, v := range values {
		if i < len(names) && v != "" {
			args = append(args, names[i], v)
		}
	}
	return ollamatest.Reply{ToolCalls: []api.ToolCall{ollamatest.ToolCall(tool.Name, args...)}}
}

// lastResult is the result of a tool, when that is what the request ends in.
func lastResult(req api.ChatRequest) (string, bool) {
	if len(req.Messages) == 0 {
		return "", false
	}
	last := req.Messages[len(req.Messages)-1]
	return unquoted(last.Content), last.Role == "tool"
}

// unquoted takes a specialist's text out of the frame it is quoted in.
func unquoted(text string) string {
	_, inner, opened := strings.Cut(text, "\n<<<quoted ")
	if !opened {
		return strings.TrimSpace(text)
	}
	_, inner, _ = strings.Cut(inner, ">>>\n")
	inner, _, _ = strings.Cut(inner, "\n<<<end ")
	return strings.TrimSpace(inner)
}

// lastCalled is the tool the script called last.
func lastCalled(req api.ChatRequest) string {
	for _, m := range slices.Backward(req.Messages) {
		if len(m.ToolCalls) > 0 {
			return strings.ToUpper(m.ToolCalls[len(m.ToolCalls)-1].Function.Name)
		}
	}
	return ""
}

// lesson is what follows "remember that", as a sentence.
func lesson(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if i := strings.Index(strings.ToLower(text), "remember"); i >= 0 {
		text = text[i+len("remember"):]
	}
	text = strings.TrimLeft(text, " ,:")
	text = strings.TrimPrefix(text, "that ")
	return strings.TrimSpace(text)
}

// knows quotes the remembered lines of the system prompt.
func knows(req api.ChatRequest) string {
	var lines []string
	inMemory := false
	for line := range strings.Lines(ollamatest.System(req)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#") {
			inMemory = strings.Contains(line, "Memory") || (inMemory && strings.HasPrefix(line, "### "))
		}
		if inMemory && strings.HasPrefix(line, "- ") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "Nothing yet: `memory.md` has no lines. Say *Remember that …*, or write one yourself in your editor."
	}
	return "This is in `memory.md`, as it went into this very prompt:\n\n" + strings.Join(lines, "\n")
}

// fenced quotes a tool's result as a code block; a fence in it is outlasted.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSpace(text) + "\n" + fence
}

// complains reports whether a question is about something that is wrong with the
// machine.
func complains(question string) bool {
	return mentions(question, "slow", "slower", "fan", "loud", "hot", "busy", "lag", "lagging")
}

// wantsReading reports whether a question asks for the sensors.
func wantsReading(question string) bool {
	return mentions(question, "cpu", "memory usage", "disk", "battery", "vitals", "network", "gpu", "temperature")
}

// isDoctor reports whether the request's agent is the machine doctor, by what its
// skill.md tells it to do.
func isDoctor(req api.ChatRequest) bool {
	return strings.Contains(strings.ToLower(ollamatest.System(req)), "what is wrong with this machine")
}

// withoutVitals takes the attached line of vitals off a message.
func withoutVitals(text string) string {
	if i := strings.LastIndex(text, "\n\n["); i >= 0 && strings.HasSuffix(strings.TrimSpace(text), "]") {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}

// mentions reports whether a text has one of the words (or phrases), or its
// plural: whole words, so that a flag is no lag.
func mentions(text string, words ...string) bool {
	text = spaced(text)
	return slices.ContainsFunc(words, func(w string) bool {
		w = strings.TrimSuffix(spaced(w), " ")
		return strings.Contains(text, w+" ") || strings.Contains(text, w+"s ")
	})
}

// spaced is a text's words in lower case, with one blank around each.
func spaced(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return " " + strings.Join(words, " ") + " "
}
