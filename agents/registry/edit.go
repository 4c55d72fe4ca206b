package registry

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// SettingsFile returns the path of the agent's settings: its agent.json, or the single
// file with its front matter.
func (a Agent) SettingsFile() string {
	if a.HasFolder() {
		return filepath.Join(a.Path, "agent.json")
	}
	return a.Path
}

// WithSetting returns the text of a settings file with one key changed or added; value
// is a string, a number or a bool. Everything else stays as written. It returns an error
// rather than a file with another meaning.
func WithSetting(file, text, key string, value any) (string, error) {
	literal, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("set %s: %w", key, err)
	}
	var out string
	if strings.HasSuffix(file, ".json") {
		out, err = withJSONKey(text, key, string(literal))
	} else {
		out, err = withFrontKey(text, key, string(literal))
	}
	if err != nil {
		return "", fmt.Errorf("set %s in %s: %w", key, filepath.Base(file), err)
	}
	return out, nil
}

// withJSONKey replaces the value of a key in the outermost object, or adds the key at
// its end.
func withJSONKey(text, key, literal string) (string, error) {
	if err := parseAgentJSON(text, &Agent{}); err != nil {
		return "", fmt.Errorf("put this right first: %w", err)
	}
	dec := json.NewDecoder(strings.NewReader(text))
	if _, err := dec.Token(); err != nil { // the opening brace
		return "", err
	}
	start, end, last := 0, 0, int(dec.InputOffset())
	empty := true
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return "", err
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return "", err
		}
		last, empty = int(dec.InputOffset()), false
		if s, ok := name.(string); ok && strings.EqualFold(s, key) {
			start, end = last-len(raw), last
		}
	}
	if end > 0 {
		return text[:start] + literal + text[end:], nil
	}
	member := `"` + key + `": ` + literal
	if empty {
		return text[:last] + "\n  " + member + "\n" + strings.TrimLeft(text[last:], " \t\n"), nil
	}
	between := ",\n  "
	if !strings.Contains(text[:last], "\n") {
		between = ", "
	}
	return text[:last] + between + member + text[last:], nil
}

// withFrontKey replaces a line of a front matter, or adds one at its end. It refuses a
// value that continues on the next line.
func withFrontKey(text, key, literal string) (string, error) {
	if front := parseFrontMatter(text); !front.Found || front.Err != nil {
		return "", cmp.Or(front.Err, errors.New("it has no front matter"))
	}
	names := regexp.QuoteMeta(key)
	if key == "model_role" {
		names += "|role" // other programs' name for it
	}
	line := regexp.MustCompile(`(?i)^(` + names + `)[ \t]*:`)
	lines := strings.Split(text, "\n")
	closing, at := -1, -1
	for i := 1; i < len(lines) && closing < 0; i++ {
		switch {
		case strings.TrimRight(lines[i], " \t") == "---":
			closing = i
		case line.MatchString(lines[i]):
			at = i
		}
	}
	switch {
	case closing < 0:
		return "", errors.New("its front matter does not end")
	case at < 0:
		lines = append(lines[:closing], append([]string{key + ": " + literal}, lines[closing:]...)...)
	case at+1 < closing && strings.HasPrefix(strings.TrimLeft(lines[at+1], "-"), " "):
		return "", errors.New("its value takes several lines; change it by hand")
	default:
		lines[at] = line.FindString(lines[at]) + " " + literal
	}
	out := strings.Join(lines, "\n")
	front := parseFrontMatter(out)
	if field, ok := front.field(key); front.Err != nil || !ok && key != "model_role" || ok && !field.decode(key, &rawSettings{}) {
		return "", errors.New("it is written in a way that can't be changed from here; change it by hand")
	}
	return out, nil
}
