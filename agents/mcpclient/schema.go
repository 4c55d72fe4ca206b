package mcpclient

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"mac-stats/agents/ollama"
	"mac-stats/sessionmem/excerpt"
)

// clean returns a stranger's text in a form that is safe for models and people: one line
// without invisible characters and template tokens, of at most that many characters.
func clean(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return excerpt.Shorten(strings.Join(strings.Fields(ollama.Harmless(text)), " "), most)
}

// cleanSchema cleans the texts in a schema. It omits properties with names that no call
// could use.
func cleanSchema(value any, depth int) any {
	switch v := value.(type) {
	case string:
		return clean(v, maxAbout)
	case []any:
		out := make([]any, 0, len(v))
		for _, one := range v {
			out = append(out, cleanSchema(one, depth+1))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, one := range v {
			if depth < 12 && name == clean(name, 64) {
				out[name] = cleanSchema(one, depth+1)
			}
		}
		return out
	}
	return value
}

// inlined replaces each "$ref" to a part of the schema with that part, so that models see
// what an argument is. A schema that would grow too large, or that refers to itself, is
// returned unchanged.
func inlined(schema json.RawMessage) json.RawMessage {
	var root any
	if !bytes.Contains(schema, []byte(`"$ref"`)) || json.Unmarshal(schema, &root) != nil {
		return schema
	}
	parts := 0
	var put func(value any, depth int) any
	put = func(value any, depth int) any {
		if parts++; depth > 32 {
			parts = maxSchema // it refers to itself
		}
		if parts > maxSchema/4 {
			return nil
		}
		switch v := value.(type) {
		case []any:
			out := make([]any, 0, len(v))
			for _, one := range v {
				out = append(out, put(one, depth+1))
			}
			return out
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				if to, ok := at(root, ref).(map[string]any); ok {
					own := maps.Clone(to)
					maps.Copy(own, v) // such as its own description
					if own["$ref"] = to["$ref"]; own["$ref"] == nil {
						delete(own, "$ref")
					}
					return put(own, depth+1)
				}
			}
			out := map[string]any{}
			for name, one := range v {
				if depth > 0 || name != "$defs" && name != "definitions" {
					out[name] = put(one, depth+1)
				}
			}
			return out
		}
		return value
	}
	out, err := json.Marshal(put(root, 0))
	if err != nil || parts > maxSchema/4 || len(out) > maxSchema {
		return schema
	}
	return out
}

// at returns the part of a schema to which a reference such as #/$defs/path leads.
func at(root any, ref string) any {
	way, ok := strings.CutPrefix(ref, "#/")
	for name := range strings.SplitSeq(way, "/") {
		part, _ := root.(map[string]any)
		root = part[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	if !ok {
		return nil
	}
	return root
}

// maxSteps is the most parts of a schema that are looked at for one argument: a part may refer
// to itself, and more often than once.
const maxSteps = 2000

// allows reports whether a part of a schema allows a value, by the kind of the value and the
// values that it lists. Other rules are the server's to check, and so is what takes more steps.
func allows(root, schema, value any, depth int, steps *int) bool {
	s, ok := schema.(map[string]any)
	if *steps--; !ok || depth > 16 || *steps < 0 {
		return true
	}
	each := func(key string) (list []any) { list, _ = s[key].([]any); return list }
	inner := func(one any) bool { return allows(root, one, value, depth+1, steps) }
	same := func(one any) bool { return reflect.DeepEqual(one, value) }
	if ref, ok := s["$ref"].(string); ok && !inner(at(root, ref)) {
		return false
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list := each(key); list != nil && !slices.ContainsFunc(list, inner) {
			return false
		}
	}
	if slices.ContainsFunc(each("allOf"), func(one any) bool { return !inner(one) }) {
		return false
	}
	if list := each("enum"); list != nil && !slices.ContainsFunc(list, same) || s["const"] != nil && !same(s["const"]) {
		return false
	}
	kinds := each("type")
	if kind, ok := s["type"].(string); ok {
		kinds = []any{kind}
	}
	return len(kinds) == 0 || slices.ContainsFunc(kinds, func(kind any) bool {
		switch v := value.(type) {
		case nil:
			return kind == "null" || s["nullable"] == true
		case string:
			return kind == "string"
		case bool:
			return kind == "boolean"
		case []any:
			return kind == "array"
		case map[string]any:
			return kind == "object"
		case json.Number:
			n, err := v.Float64()
			return kind == "number" || kind == "integer" && err == nil && n == math.Trunc(n)
		}
		return true // no JSON decoder gives others
	})
}
