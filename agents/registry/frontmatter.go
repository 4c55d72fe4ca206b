package registry

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// frontMatter is the block between two lines of three dashes at the beginning of a markdown
// file, and the text below it. It is YAML; what isn't is read line by line, because many
// published files have an unquoted colon in their description.
type frontMatter struct {
	Found   bool // the file begins with one
	Err     error
	Fields  []frontField // in the order written
	Body    string       // the text below, trimmed; the whole text if there is no front matter
	Warning string       // why it was read line by line, or ""
	raw     string
}

// frontField is one key and its value: a text, a list of texts, nothing, or a
// mapping, which no key takes.
type frontField struct {
	Key  string // as written
	Line int    // in the file, 1-based
	Text string
	List []string // nil if it isn't a list
	Null bool
	Map  bool
}

// frontMatterLimit limits the search for the closing dashes, in bytes: a document may
// merely begin with a rule.
const frontMatterLimit = 64 << 10

var frontMatterEnd = regexp.MustCompile(`(?m)^---[ \t]*(?:\n|\z)`)

// parseFrontMatter splits normalised text (see NormalizeText). A front matter that isn't
// closed is Found with an Err.
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
	var doc yaml.Node
	err := yaml.Unmarshal([]byte("\n"+f.raw), &doc) // the blank line replaces the opening dashes: lines count from the file's start
	switch {
	case err != nil:
		f.Fields, f.Warning = plainFields(f.raw), "front matter near "+strings.TrimPrefix(err.Error(), "yaml: ")+": read as plain text"
	case len(doc.Content) == 0:
	case doc.Content[0].Kind != yaml.MappingNode:
		f.Fields, f.Warning = plainFields(f.raw), "front matter without lines of the form key, colon, value: read as plain text"
	default:
		for pair := range slices.Chunk(doc.Content[0].Content, 2) {
			f.Fields = append(f.Fields, newFrontField(pair[0], pair[1]))
		}
	}
	return f
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
		f.List = []string{}
		for _, item := range value.Content {
			f.List = append(f.List, item.Value)
		}
	default:
		f.Map = true
	}
	return f
}

// plainKey matches the beginning of a field. Its key begins with a small letter: prose goes
// on with lines such as "Examples:" and "Context: the user says so".
var plainKey = regexp.MustCompile(`^([a-z][A-Za-z0-9_-]*)[ \t]*:(?:[ \t]+(.*))?$`)

// plainFields reads a front matter line by line: a line that doesn't begin with a key goes
// on with the value above it.
func plainFields(raw string) []frontField {
	var fields []frontField
	number := 1
	for line := range strings.SplitSeq(raw, "\n") {
		number++
		if m := plainKey.FindStringSubmatch(line); m != nil {
			value := strings.Trim(m[2], " \t")
			if strings.Trim(value, "|>+-") == "" { // the value is below
				value = ""
			}
			if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
				value = value[1 : n-1]
			}
			fields = append(fields, frontField{Key: m[1], Line: number, Text: value})
			continue
		}
		line = strings.TrimSpace(line)
		if len(fields) == 0 || line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		last := &fields[len(fields)-1]
		if item, ok := strings.CutPrefix(line, "- "); ok && (last.Text == "" || last.List != nil) {
			last.List = append(last.List, strings.Trim(item, ` "'`))
			continue
		}
		last.Text = strings.TrimSpace(last.Text + " " + line)
	}
	return fields
}

var nameLine = regexp.MustCompile(`(?m)^name[ \t]*:`)

// hasName reports whether there is a name. If the front matter isn't closed, a line that
// looks like it counts.
func (f frontMatter) hasName() bool {
	if f.Err != nil {
		return nameLine.MatchString(f.raw)
	}
	_, ok := f.field("name")
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

// decode sets one key of raw from a field, in the form that the key takes; ok is false if
// there is none.
func (f frontField) decode(key string, raw *rawSettings) (ok bool) {
	var forms []string
	if f.List != nil {
		list, _ := json.Marshal(f.List) // strings
		forms = append(forms, string(list))
	} else {
		text, _ := json.Marshal(f.Text) // a string
		word := strings.ToLower(f.Text)
		switch word {
		case "yes", "on":
			word = "true"
		case "no", "off":
			word = "false"
		}
		forms = append(forms, string(text), word)
	}
	return !f.Map && slices.ContainsFunc(forms, func(value string) bool {
		set := *raw // a value of another kind would leave a zero
		if json.Unmarshal([]byte(`{"`+key+`": `+value+`}`), &set) != nil {
			return false
		}
		*raw = set
		return true
	})
}

// apply sets what the front matter of a single-file agent says. A value that has another form
// than its key takes isn't used, and named by a warning.
func (f frontMatter) apply(a *Agent) {
	var raw rawSettings
	if f.Warning != "" {
		a.warn("%s", f.Warning)
	}
	for _, field := range f.Fields {
		key := strings.ToLower(field.Key)
		switch key { // other programs' names
		case "role":
			key = "model_role"
		case "maxturns":
			key = "max_tool_iterations"
		}
		if !slices.Contains(strings.Fields(jsonKeys), key) || field.Null || field.decode(key, &raw) {
			continue
		}
		a.warn("%s in line %d: the value isn't understood", field.Key, field.Line)
		switch key { // what nobody understands gives no more than it would have
		case "tools":
			raw.Tools = &stringList{}
		case "enabled":
			raw.Enabled = new(bool)
		}
	}
	a.Warnings = append(a.Warnings, keyWarnings(f.keys(), frontKeys, true)...)
	raw.apply(a)
	switch strings.ToLower(a.Model) { // names that no Ollama server has
	case "inherit":
		a.Model = ""
	case "sonnet", "opus", "haiku":
		a.warn("model %s: not a local model; one is chosen by the role", a.Model)
		a.Model = ""
	}
}
