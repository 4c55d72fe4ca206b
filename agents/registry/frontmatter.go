package registry

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// frontMatter is the YAML block between two lines of three dashes at the beginning of a
// markdown file, and the text below it.
type frontMatter struct {
	Found  bool // the file begins with one
	Err    error
	Fields []frontField // in the order written
	Body   string       // the text below, trimmed; the whole text if there is no front matter
	raw    string
}

// frontField is one key and its value.
type frontField struct {
	Key    string // as written
	Line   int    // in the file, 1-based
	Text   string // a scalar's text
	List   []string
	IsList bool
	IsMap  bool
	Null   bool
}

// frontMatterLimit limits the search for the closing dashes, in bytes: a document may
// merely begin with a rule.
const frontMatterLimit = 64 << 10

var frontMatterEnd = regexp.MustCompile(`(?m)^---[ \t]*(?:\n|\z)`)

// parseFrontMatter splits normalised text (see NormalizeText). A front matter that isn't
// closed or isn't valid YAML is Found with an Err that names the line.
func parseFrontMatter(text string) frontMatter {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return frontMatter{Body: text}
	}
	end := frontMatterEnd.FindStringIndex(rest[:min(len(rest), frontMatterLimit)])
	if end == nil {
		return frontMatter{Found: true, raw: rest, Err: errors.New("the front matter is not closed: end it with a line ---")}
	}
	f := frontMatter{Found: true, raw: rest[:end[0]], Body: strings.TrimSpace(rest[end[1]:])}
	f.Fields, f.Err = parseYAMLFields(f.raw)
	return f
}

// parseYAMLFields reads a flat YAML mapping. Line numbers count from the file's start.
func parseYAMLFields(raw string) (fields []frontField, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte("\n"+raw), &doc); err != nil { // the blank line replaces the opening dashes
		return nil, fmt.Errorf("front matter: near %s", strings.TrimPrefix(err.Error(), "yaml: ")) // yaml names the line where the failed part began
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("front matter line %d: want lines of the form key: value", top.Line)
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		fields = append(fields, newFrontField(top.Content[i], top.Content[i+1]))
	}
	return fields, nil
}

func newFrontField(key, value *yaml.Node) frontField {
	if value.Kind == yaml.AliasNode && value.Alias != nil {
		value = value.Alias
	}
	f := frontField{Key: key.Value, Line: key.Line}
	switch value.Kind {
	case yaml.ScalarNode:
		f.Text, f.Null = value.Value, value.Tag == "!!null"
	case yaml.SequenceNode:
		f.IsList = true
		for _, item := range value.Content {
			f.List = append(f.List, item.Value)
		}
	default:
		f.IsMap = true
	}
	return f
}

var nameLine = regexp.MustCompile(`(?m)^name[ \t]*:`)

// hasKey reports whether the front matter has the key. If it can't be parsed, a line
// that looks like the name counts.
func (f frontMatter) hasKey(key string) bool {
	if f.Err != nil {
		return key == "name" && nameLine.MatchString(f.raw)
	}
	_, ok := f.field(key)
	return ok
}

// field finds a key, ignoring case.
func (f frontMatter) field(key string) (frontField, bool) {
	for _, field := range f.Fields {
		if strings.EqualFold(field.Key, key) {
			return field, true
		}
	}
	return frontField{}, false
}

// keys returns the keys as written.
func (f frontMatter) keys() []string {
	keys := make([]string, 0, len(f.Fields))
	for _, field := range f.Fields {
		keys = append(keys, field.Key)
	}
	return keys
}

// agentSettings reads the settings of a single-file agent.
func (f frontMatter) agentSettings() (*agentSettings, error) {
	var raw rawSettings
	for _, field := range f.Fields {
		if err := raw.setField(field); err != nil {
			return nil, fmt.Errorf("front matter line %d: %w", field.Line, err)
		}
	}
	s := raw.check(keyWarnings(f.keys(), frontKeys, foreignKeys))
	s.hostedModel()
	return s, nil
}

// hostedModel drops model names that other programs' agent files use and that no Ollama
// server has.
func (s *agentSettings) hostedModel() {
	switch strings.ToLower(s.Model) {
	case "inherit":
		s.Model = ""
	case "sonnet", "opus", "haiku":
		s.warn("model %s: not a local model; one is chosen by the role", s.Model)
		s.Model = ""
	}
}

// setField sets one key. keyWarnings reports the keys that have no meaning.
func (raw *rawSettings) setField(f frontField) error {
	switch strings.ToLower(f.Key) {
	case "name":
		return f.text(&raw.Name)
	case "slug":
		return f.text(&raw.Slug)
	case "model":
		return f.text(&raw.Model)
	case "model_role", "role":
		return f.text(&raw.Role)
	case "description":
		return f.text(&raw.Description)
	case "orchestrator":
		return f.boolean(&raw.Entry)
	case "enabled":
		return f.boolean(&raw.Enabled)
	case "max_tool_iterations", "maxturns":
		return f.whole(&raw.MaxRounds)
	case "prompt_tier":
		return f.text(&raw.PromptTier)
	case "tools_tier":
		return f.text(&raw.ToolsTier)
	case "think":
		return f.boolean(&raw.Think)
	case "pinned":
		return f.boolean(&raw.Pinned)
	case "temperature":
		return f.number(&raw.Temperature)
	case "tools":
		return f.names(&raw.Tools)
	}
	return nil
}

func (f frontField) text(to **string) error {
	return readScalar(f, to, "a text", func(text string) (string, error) { return text, nil })
}

func (f frontField) boolean(to **bool) error {
	return readScalar(f, to, "true or false", func(text string) (bool, error) { return strconv.ParseBool(strings.ToLower(text)) })
}

func (f frontField) whole(to **int) error {
	return readScalar(f, to, "a whole number", strconv.Atoi)
}

func (f frontField) number(to **float64) error {
	return readScalar(f, to, "a number", func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
}

// readScalar sets *to to the value of a field; null leaves it unset. The error says what the
// field must be.
func readScalar[T any](f frontField, to **T, want string, parse func(text string) (T, error)) error {
	if f.Null {
		return nil
	}
	v, err := parse(f.Text)
	if err != nil || f.IsList || f.IsMap {
		return fmt.Errorf("%s: want %s", f.Key, want)
	}
	*to = &v
	return nil
}

func (f frontField) names(to **stringList) error {
	if f.IsMap {
		return fmt.Errorf("%s: want a list of names", f.Key)
	}
	list := stringList(f.List)
	if !f.IsList {
		list = splitList(f.Text)
	}
	if list == nil {
		list = stringList{}
	}
	if !f.Null {
		*to = &list
	}
	return nil
}
