package demo

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
)

// The tools that the script calls.
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

// call answers with a native tool call. The values go to the tool's required parameters in
// order, then to the others.
func call(req api.ChatRequest, name string, values ...string) testkit.Reply {
	tool := find(req, name)
	if tool == nil {
		return testkit.Reply{Text: "The demo would use " + name + " here, but it isn't offered in this turn."}
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
	return testkit.Reply{ToolCalls: []api.ToolCall{testkit.ToolCall(tool.Name, args...)}}
}

// lastResult returns a tool's result if the request ends with one.
func lastResult(req api.ChatRequest) (string, bool) {
	if len(req.Messages) == 0 {
		return "", false
	}
	last := req.Messages[len(req.Messages)-1]
	return unquoted(last.Content), last.Role == "tool"
}

// unquoted removes the frame around a specialist's quoted text.
func unquoted(text string) string {
	_, inner, opened := strings.Cut(text, "\n<<<quoted ")
	if !opened {
		return strings.TrimSpace(text)
	}
	_, inner, _ = strings.Cut(inner, ">>>\n")
	inner, _, _ = strings.Cut(inner, "\n<<<end ")
	return strings.TrimSpace(inner)
}

// lastCalled returns the tool that the script called last.
func lastCalled(req api.ChatRequest) string {
	for _, m := range slices.Backward(req.Messages) {
		if len(m.ToolCalls) > 0 {
			return strings.ToUpper(m.ToolCalls[len(m.ToolCalls)-1].Function.Name)
		}
	}
	return ""
}

// lesson returns the text after "remember that" as a sentence.
func lesson(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if i := strings.Index(strings.ToLower(text), "remember"); i >= 0 {
		text = text[i+len("remember"):]
	}
	text = strings.TrimLeft(text, " ,:")
	text = strings.TrimPrefix(text, "that ")
	return strings.TrimSpace(text)
}

// knows quotes the remembered lines in the system prompt.
func knows(req api.ChatRequest) string {
	var lines []string
	inMemory := false
	for line := range strings.Lines(testkit.System(req)) {
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

// fenced quotes a tool's result as a code block with a fence longer than any inside.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSpace(text) + "\n" + fence
}

// complains reports whether a question is about a problem with the machine.
func complains(question string) bool {
	return mentions(question, "slow", "slower", "fan", "loud", "hot", "busy", "lag", "lagging")
}

// wantsReading reports whether a question asks for the sensors.
func wantsReading(question string) bool {
	return mentions(question, "cpu", "memory usage", "disk", "battery", "vitals", "network", "gpu", "temperature")
}

// isDoctor reports whether the request's agent is the machine doctor, according to the
// instructions in its skill.md.
func isDoctor(req api.ChatRequest) bool {
	return strings.Contains(strings.ToLower(testkit.System(req)), "what is wrong with this machine")
}

// withoutVitals removes the attached line of vitals from a message.
func withoutVitals(text string) string {
	if i := strings.LastIndex(text, "\n\n["); i >= 0 && strings.HasSuffix(strings.TrimSpace(text), "]") {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}

// mentions reports whether a text contains one of the words or phrases, or its plural. Only
// whole words match: "flag" doesn't contain "lag".
func mentions(text string, words ...string) bool {
	text = spaced(text)
	return slices.ContainsFunc(words, func(w string) bool {
		w = strings.TrimSuffix(spaced(w), " ")
		return strings.Contains(text, w+" ") || strings.Contains(text, w+"s ")
	})
}

// spaced returns a text's words in lower case, each with a space on both sides.
func spaced(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return " " + strings.Join(words, " ") + " "
}
