package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mac-stats/sessionmem/excerpt"
)

// Limits and defaults of an agent's settings.
const (
	DefaultRounds  = 15
	maxRounds      = 200
	maxTemperature = 2.0
	RoleGeneral    = "general"
)

// Tools that involve other agents: a sub-call never has them.
const (
	ToolAgent     = "AGENT"
	ToolSkill     = "SKILL"
	ToolFindAgent = "FIND_AGENT"
	ToolFindSkill = "FIND_SKILL"
)

// KnownTools are the tools an agent may list.
var KnownTools = []string{
	ToolAgent, ToolSkill, ToolFindAgent, ToolFindSkill, "MEMORY_APPEND", "MEMORY_REPLACE", "MEMORY_REMOVE", "MEMORY_SEARCH", "SYSTEM_STATS", "FETCH_URL", "RUN_CMD", "MCP",
}

// jsonKeys are the keys of agent.json, and frontKeys those of a single-file agent.
const (
	jsonKeys  = "name slug model model_role orchestrator enabled description max_tool_iterations tools temperature think prompt_tier tools_tier pinned"
	frontKeys = jsonKeys + " role maxturns"
)

// roleNames are the names of roles that roleOf accepts.
const roleNames = "general expensive code small cheap vision thinking reasoning"

// roleOf maps a name of a role to ours; it also accepts the Rust app's names.
func roleOf(name string) (role string, ok bool) {
	switch name = strings.ToLower(name); name {
	case RoleGeneral, "code", "small", "vision", "thinking":
		return name, true
	case "expensive":
		return RoleGeneral, true
	case "cheap":
		return "small", true
	case "reasoning":
		return "thinking", true
	}
	return "", false
}

// rawSettings are the settings as written, unchecked; nil means absent.
type rawSettings struct {
	Name        *string     `json:"name"`
	Slug        *string     `json:"slug"`
	Model       *string     `json:"model"`
	Role        *string     `json:"model_role"`
	Entry       *bool       `json:"orchestrator"`
	Enabled     *bool       `json:"enabled"`
	Description *string     `json:"description"`
	MaxRounds   *int        `json:"max_tool_iterations"`
	Tools       *stringList `json:"tools"`
	Temperature *float64    `json:"temperature"`
	Think       *bool       `json:"think"`
	PromptTier  *string     `json:"prompt_tier"`
	ToolsTier   *string     `json:"tools_tier"`
	Pinned      *bool       `json:"pinned"`
}

// stringList is a list of strings, or one string with commas.
type stringList []string

// UnmarshalJSON accepts ["A", "B"] and "A, B".
func (l *stringList) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*l = splitList(one)
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return errors.New(`tools: want a list of names, such as ["SYSTEM_STATS"]`)
	}
	*l = many
	return nil
}

func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// parseAgentJSON sets what an agent.json says. Errors name the line.
func parseAgentJSON(text string, a *Agent) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &keys); err != nil {
		return jsonProblem(text, err)
	}
	if keys == nil {
		return errors.New(`agent.json: want an object, such as {"name": "Coder"}`)
	}
	var raw rawSettings
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return jsonProblem(text, err)
	}
	a.Warnings = keyWarnings(slices.Sorted(maps.Keys(keys)), jsonKeys, false)
	raw.apply(a)
	return nil
}

// jsonProblem turns an error of encoding/json into plain words with its line.
func jsonProblem(text string, err error) error {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("agent.json line %d: %s", lineAt(text, e.Offset), strings.TrimPrefix(e.Error(), "json: "))
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := e.Field
		if field == "" {
			return fmt.Errorf(`agent.json line %d: want an object, such as {"name": "Coder"}, found a %s`, lineAt(text, e.Offset), e.Value)
		}
		return fmt.Errorf("agent.json line %d: %s is a %s, want %s", lineAt(text, e.Offset), field, e.Value, jsonKind(e))
	}
	return fmt.Errorf("agent.json: %w", err)
}

func jsonKind(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "bool":
		return "true or false"
	case "int":
		return "a whole number"
	case "float64":
		return "a number"
	default:
		return "a text in quotes"
	}
}

// lineAt returns the 1-based line of a byte offset.
func lineAt(text string, offset int64) int {
	end := min(max(int(offset)-1, 0), len(text))
	return 1 + bytes.Count([]byte(text[:end]), []byte("\n"))
}

// keyWarnings returns a warning for each key that isn't known, with the nearest known one.
// In a format that other programs read too, keys that resemble none are theirs.
func keyWarnings(keys []string, known string, shared bool) []string {
	var warnings, theirs []string
	ours := strings.Fields(known)
	for _, key := range keys {
		switch {
		case slices.Contains(ours, strings.ToLower(key)):
		case shared && excerpt.Nearest(key, ours) == "":
			theirs = append(theirs, key)
		default:
			warnings = append(warnings, unknownWord(key, "key", ours))
		}
	}
	if len(theirs) > 0 {
		warnings = append(warnings, strings.Join(theirs, ", ")+": keys that have no meaning here")
	}
	return warnings
}

func unknownWord(word, kind string, known []string) string {
	if near := excerpt.Nearest(word, known); near != "" {
		return fmt.Sprintf("%s: did you mean %s?", word, near)
	}
	return fmt.Sprintf("%s: unknown %s", word, kind)
}

// apply sets what is written, corrects values out of range, and adds a warning for each.
func (raw rawSettings) apply(a *Agent) {
	name := trimmed(raw.Name)
	if name == "" {
		a.warn("name is missing: the id stands in for it")
	}
	written := trimmed(raw.Slug)
	slug := slugify(cmp.Or(written, name))
	if written != "" && slug != strings.ToLower(written) {
		a.warn("slug %q: read as %q (letters, digits, - and _)", written, slug)
	}
	a.Name, a.Slug = cmp.Or(name, a.Name), cmp.Or(slug, a.Slug)
	a.Model, a.Description, a.Think = trimmed(raw.Model), trimmed(raw.Description), raw.Think
	a.PromptTier, a.ToolsTier = a.tier("prompt_tier", trimmed(raw.PromptTier)), a.tier("tools_tier", trimmed(raw.ToolsTier))
	if written := trimmed(raw.Role); written != "" {
		if role, ok := roleOf(written); ok {
			a.Role = role
		} else {
			a.warn("model_role %s; general is used", unknownWord(written, "role", strings.Fields(roleNames)))
		}
	}
	for to, value := range map[*bool]*bool{&a.Entry: raw.Entry, &a.Enabled: raw.Enabled, &a.Pinned: raw.Pinned} {
		if value != nil {
			*to = *value
		}
	}
	if raw.MaxRounds != nil {
		n := *raw.MaxRounds
		if a.MaxRounds = min(max(n, 1), maxRounds); a.MaxRounds != n {
			a.warn("max_tool_iterations %d: %d is used (1 to %d)", n, a.MaxRounds, maxRounds)
		}
	}
	if raw.Tools != nil {
		a.setTools(*raw.Tools)
	}
	if t := raw.Temperature; t != nil {
		if *t >= 0 && *t <= maxTemperature {
			a.Temperature = t
		} else {
			a.warn("temperature %g: not used (0 to %g)", *t, maxTemperature)
		}
	}
}

func (a *Agent) warn(format string, args ...any) {
	a.Warnings = append(a.Warnings, fmt.Sprintf(format, args...))
}

func trimmed(text *string) string {
	if text == nil {
		return ""
	}
	return strings.TrimSpace(*text)
}

var notSlug = regexp.MustCompile(`[^\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}_-]+`)

// slugify turns a name into one lower-case word: "Machine Doctor" → machine-doctor.
func slugify(name string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

// tier returns a tier from an agent's file; "" leaves the choice to the model.
func (a *Agent) tier(key, written string) string {
	switch tier := strings.ToLower(written); tier {
	case "large", "middle", "plain":
		return tier
	case "", "auto":
	default:
		a.warn("%s %s: not used (large, middle, plain or auto)", key, written)
	}
	return ""
}

func (a *Agent) setTools(names []string) {
	a.Tools = make([]string, 0, len(names))
	var foreign []string
	for _, name := range names {
		tool := strings.ToUpper(strings.TrimSpace(name))
		switch {
		case tool == "" || slices.Contains(a.Tools, tool):
		case slices.Contains(KnownTools, tool) || strings.Contains(tool, "."): // a dot marks another program's tool
			a.Tools = append(a.Tools, tool)
		case excerpt.Nearest(tool, KnownTools) != "":
			a.warn("tools: %s", unknownWord(strings.TrimSpace(name), "tool", KnownTools))
		default:
			foreign = append(foreign, strings.TrimSpace(name))
		}
	}
	if len(foreign) > 0 {
		a.warn("%s: tools that are not known here", strings.Join(foreign, ", "))
	}
}
