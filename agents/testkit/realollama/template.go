package realollama

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// errRule reports a rule or a default that names no answer.
var errRule = errors.New("a rule that can't be followed")

// Template returns the model's chat template, a Go template as in a Modelfile: the
// messages as they are, then the control token of the answer that the rules choose.
func (m Model) Template() (string, error) {
	fallback, err := m.fallback()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(`{{ $role := "" }}{{ $last := "" }}{{ $system := .System }}{{ $answer := "" }}`)
	if m.Tools {
		b.WriteString("{{ if .Tools }}tools: {{ .Tools }}\n{{ end }}")
	}
	b.WriteString("{{ range .Messages }}{{ $role = .Role }}{{ $last = .Content }}{{ .Role }}: {{ .Content }}")
	if m.Tools {
		b.WriteString(`{{ if .ToolCalls }}{{ range .ToolCalls }}<tool_call> {"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}} </tool_call>{{ end }}{{ end }}`)
	}
	b.WriteString("\n{{ end }}")
	for i, rule := range m.Rules {
		if _, ok := m.Answers[rule.Answer]; !ok {
			return "", fmt.Errorf("model %s, rule %d: %w: there is no answer %q", m.Name, i+1, errRule, rule.Answer)
		}
		b.WriteString(rule.template())
	}
	fmt.Fprintf(&b, `{{ if not $answer }}{{ $answer = %q }}{{ end }}{{ $answer }}`, controlToken(fallback))
	return b.String(), nil
}

func (m Model) fallback() (string, error) {
	if m.Default == "" && len(m.Answers) == 1 {
		for name := range m.Answers {
			return name, nil
		}
	}
	if _, ok := m.Answers[m.Default]; !ok {
		return "", fmt.Errorf("model %s: %w: Default is %q, which is no answer", m.Name, errRule, m.Default)
	}
	return m.Default, nil
}

func (r Rule) template() string {
	var b strings.Builder
	b.WriteString("{{ if not $answer }}{{ $match := true }}")
	if r.Role != "" {
		fmt.Fprintf(&b, "{{ if ne $role %q }}{{ $match = false }}{{ end }}", r.Role)
	}
	if r.Contains != "" {
		b.WriteString(containsTemplate("$last", r.Contains))
	}
	if r.System != "" {
		b.WriteString(containsTemplate("$system", r.System))
	}
	fmt.Fprintf(&b, "{{ if $match }}{{ $answer = %q }}{{ end }}{{ end }}", controlToken(r.Answer))
	return b.String()
}

// containsTemplate returns a template that clears $match if the variable doesn't contain
// part. Go templates have no such function, so it tries every position.
func containsTemplate(variable, part string) string {
	return fmt.Sprintf("{{ if $match }}{{ $match = false }}{{ range $i := len %[1]s }}"+
		"{{ $rest := slice %[1]s $i }}{{ if lt (len $rest) %[2]d }}{{ break }}{{ end }}"+
		"{{ if eq (slice $rest 0 %[2]d) %[3]s }}{{ $match = true }}{{ break }}{{ end }}{{ end }}{{ end }}",
		variable, len(part), strconv.Quote(part))
}
