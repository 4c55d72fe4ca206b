package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
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

// agentSettings are the checked settings from agent.json or a front matter.
type agentSettings struct {
	Agent        // without ID, Path, Texts and Err
	Pinned *bool // nil: not set
}

// apply sets a's fields. It copies slices and pointers, because a caller may change them.
func (s *agentSettings) apply(a *Agent) {
	set := s.Agent
	set.ID, set.Path, set.Pinned, set.AsShipped = a.ID, a.Path, a.Pinned, a.AsShipped
	set.Name, set.Slug = cmp.Or(s.Name, a.Name), cmp.Or(s.Slug, a.Slug)
	if s.Pinned != nil {
		set.Pinned = *s.Pinned
	}
	set.Tools, set.Warnings = slices.Clone(s.Tools), slices.Clone(s.Warnings)
	set.Temperature, set.Think = copied(s.Temperature), copied(s.Think)
	*a = set
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
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

// parseAgentJSON reads an agent.json. Errors name the line.
func parseAgentJSON(text string) (*agentSettings, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &keys); err != nil {
		return nil, jsonProblem(text, err)
	}
	if keys == nil {
		return nil, errors.New(`agent.json: want an object, such as {"name": "Coder"}`)
	}
	var raw rawSettings
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, jsonProblem(text, err)
	}
	names := make([]string, 0, len(keys))
	for key := range keys {
		names = append(names, key)
	}
	slices.Sort(names)
	return raw.check(keyWarnings(names, jsonKeys, false)), nil
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
		case shared && nearest(key, ours) == "":
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
	if near := nearest(word, known); near != "" {
		return fmt.Sprintf("%s: did you mean %s?", word, near)
	}
	return fmt.Sprintf("%s: unknown %s", word, kind)
}

// check turns the settings as written into valid ones. It corrects values out of range
// and adds a warning for each.
func (raw rawSettings) check(warnings []string) *agentSettings {
	s := &agentSettings{Agent: Agent{Enabled: true, MaxRounds: DefaultRounds, Role: RoleGeneral, Warnings: warnings}}
	s.Name, s.Model, s.Description = trimmed(raw.Name), trimmed(raw.Model), trimmed(raw.Description)
	if s.Name == "" {
		s.warn("name is missing: the id stands in for it")
	}
	s.Think, s.Pinned = raw.Think, raw.Pinned
	s.PromptTier = s.tier("prompt_tier", trimmed(raw.PromptTier))
	s.ToolsTier = s.tier("tools_tier", trimmed(raw.ToolsTier))
	s.setSlug(trimmed(raw.Slug))
	s.setRole(trimmed(raw.Role))
	if raw.Entry != nil {
		s.Entry = *raw.Entry
	}
	if raw.Enabled != nil {
		s.Enabled = *raw.Enabled
	}
	if raw.MaxRounds != nil {
		s.setRounds(*raw.MaxRounds)
	}
	if raw.Tools != nil {
		s.setTools(*raw.Tools)
	}
	if raw.Temperature != nil {
		s.setTemperature(*raw.Temperature)
	}
	return s
}

func (s *agentSettings) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

func trimmed(text *string) string {
	if text == nil {
		return ""
	}
	return strings.TrimSpace(*text)
}

// setSlug sets the slug as written, or one made from the name.
func (s *agentSettings) setSlug(written string) {
	s.Slug = slugify(written)
	if written == "" {
		s.Slug = slugify(s.Name)
		return
	}
	if s.Slug != strings.ToLower(written) {
		s.warn("slug %q: read as %q (letters, digits, - and _)", written, s.Slug)
	}
}

var notSlug = regexp.MustCompile(`[^\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}_-]+`)

// slugify turns a name into one lower-case word: "Machine Doctor" → machine-doctor.
func slugify(name string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

func (s *agentSettings) setRole(written string) {
	if written == "" {
		return
	}
	if role, ok := roleOf(written); ok {
		s.Role = role
		return
	}
	s.warn("model_role %s; general is used", unknownWord(written, "role", strings.Fields(roleNames)))
}

// tier returns a tier from an agent's file; "" leaves the choice to the model.
func (s *agentSettings) tier(key, written string) string {
	switch tier := strings.ToLower(written); tier {
	case "large", "middle", "plain":
		return tier
	case "", "auto":
	default:
		s.warn("%s %s: not used (large, middle, plain or auto)", key, written)
	}
	return ""
}

func (s *agentSettings) setRounds(n int) {
	s.MaxRounds = min(max(n, 1), maxRounds)
	if s.MaxRounds != n {
		s.warn("max_tool_iterations %d: %d is used (1 to %d)", n, s.MaxRounds, maxRounds)
	}
}

func (s *agentSettings) setTools(names []string) {
	s.Tools = make([]string, 0, len(names))
	var foreign []string
	for _, name := range names {
		tool := strings.ToUpper(strings.TrimSpace(name))
		switch {
		case tool == "" || slices.Contains(s.Tools, tool):
		case slices.Contains(KnownTools, tool) || strings.Contains(tool, "."): // a dot marks another program's tool
			s.Tools = append(s.Tools, tool)
		case nearest(tool, KnownTools) != "":
			s.warn("tools: %s", unknownWord(strings.TrimSpace(name), "tool", KnownTools))
		default:
			foreign = append(foreign, strings.TrimSpace(name))
		}
	}
	if len(foreign) > 0 {
		s.warn("%s: tools that are not known here", strings.Join(foreign, ", "))
	}
}

func (s *agentSettings) setTemperature(t float64) {
	if !(t >= 0 && t <= maxTemperature) {
		s.warn("temperature %g: not used (0 to %g)", t, maxTemperature)
		return
	}
	s.Temperature = &t
}
