package reply

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// object is a JSON object with its keys in order.
type object []field

type field struct {
	key   string
	value any
}

// plain returns a value in the types of Call.Args.
func plain(value any) any {
	switch v := value.(type) {
	case object:
		m := make(map[string]any, len(v))
		for _, f := range v {
			m[f.key] = plain(f.value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, one := range v {
			list[i] = plain(one)
		}
		return list
	}
	return value
}

// maxDepth limits the nesting of values.
const maxDepth = 100

// values reads values as models write them: JSON, with the single quotes, bare keys, None,
// trailing commas and raw line breaks of Python and of smaller models.
type values struct {
	s     string
	at    int
	loose bool // missing brackets at the end are closed
	depth int
	short bool // the text ended within a value
	// judge, if set, sees the keys of the outer objects; with false, reading ends.
	judge func(key string) bool
}

func (p *values) blanks() {
	for p.at < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.at]) >= 0 {
		p.at++
	}
}

func (p *values) has(prefix string) bool { return strings.HasPrefix(p.s[p.at:], prefix) }

// sign returns the next sign, and skips it if it is one of those wanted.
func (p *values) sign(wanted string) byte {
	p.blanks()
	if p.at >= len(p.s) {
		return 0
	}
	c, size := p.s[p.at], 1
	if p.has("：") || p.has("，") { // of a keyboard for Chinese
		c, size = map[string]byte{"：": ':', "，": ','}[p.s[p.at:p.at+len("：")]], len("：")
	}
	if strings.IndexByte(wanted, c) >= 0 {
		p.at += size
	}
	return c
}

// ended reports whether a value that isn't closed ends here all the same.
func (p *values) ended() bool {
	p.short = p.short || p.at >= len(p.s)
	return p.loose && (p.at >= len(p.s) || p.s[p.at] == '<' && !p.has(`<|"|>`) && !p.has("<escape>") || p.has("[/") || p.has("```"))
}

func (p *values) value() (any, bool) {
	p.blanks()
	if p.at >= len(p.s) {
		p.short = true
		return nil, false
	}
	switch p.s[p.at] {
	case '{':
		o, _, ok := p.members('}')
		return o, ok
	case '[':
		_, list, ok := p.members(']')
		return list, ok
	}
	if text, ok := p.text(); ok {
		return text, true
	}
	word, ok := p.bare()
	if constant, isConstant := constants[word]; isConstant {
		return constant, true
	}
	if json.Valid([]byte(word)) {
		return json.Number(word), true
	}
	return word, ok
}

var constants = map[string]any{"true": true, "True": true, "false": false, "False": false, "null": nil, "None": nil}

// members reads what brackets enclose: keys with values in braces, values in square
// brackets, both in parentheses.
func (p *values) members(end byte) (named object, list []any, ok bool) {
	if p.depth++; p.depth > maxDepth {
		return nil, nil, false
	}
	defer func() { p.depth-- }()
	named, list = object{}, []any{}
	for p.at++; ; {
		switch p.sign(",;" + string(end)) {
		case end:
			return named, list, true
		case ',', ';':
			continue
		}
		if p.ended() {
			return named, list, true
		}
		from := p.at
		key, isKey := "", false
		if end != ']' {
			if key, isKey = p.text(); !isKey {
				key, isKey = p.bare()
			}
			if c := p.sign(":="); !isKey || c != ':' && c != '=' {
				if p.short = p.short || c == 0; end == '}' {
					return nil, nil, false
				}
				p.at, isKey = from, false
			}
			if isKey && p.judge != nil && p.depth <= 2 && !p.judge(key) {
				return nil, nil, false
			}
		}
		value, ok := p.value()
		if !ok {
			return nil, nil, false
		}
		if isKey {
			named = append(named, field{key, value})
		} else {
			list = append(list, value)
		}
		if c := p.sign(""); c != ',' && c != end && !p.ended() {
			return nil, nil, false
		}
	}
}

// bare reads a word without quotation marks: a key, a number, true, None.
func (p *values) bare() (string, bool) {
	p.blanks()
	rest := p.s[p.at:]
	word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, func(r rune) bool { return isWord(r) || strings.ContainsRune("+-.$", r) }))]
	p.at += len(word)
	return word, word != ""
}

// text reads a string. Only those in quotation marks have escapes.
func (p *values) text() (string, bool) {
	p.blanks()
	for _, quote := range []string{`"`, `'`, `<|"|>`, "<escape>"} {
		if !p.has(quote) {
			continue
		}
		from := p.at + len(quote)
		for p.at = from; p.at < len(p.s); p.at++ {
			switch {
			case len(quote) == 1 && p.s[p.at] == '\\':
				p.at++
			case p.has(quote):
				text := p.s[from:p.at]
				if p.at += len(quote); len(quote) == 1 {
					text = unescape(text)
				}
				return text, true
			}
		}
		p.at, p.short = len(p.s), true
	}
	return "", false
}

var escape = regexp.MustCompile(`(?s)\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.`)

// unescape decodes the escapes of JSON and \'. An invalid one stays as it is.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return escape.ReplaceAllStringFunc(s, func(escaped string) string {
		var text string
		if err := json.Unmarshal([]byte(`"`+escaped+`"`), &text); escaped == `\'` {
			return "'"
		} else if err != nil || text == "\uFFFD" { // half a pair
			return escaped
		}
		return text
	})
}

// call is a call as it was written, before its tool is found.
type call struct {
	name string
	args any // object, []any, a string, or nil for none
}

// Keys of a call as JSON.
const (
	nameKeys = " name tool_name function tool action function_name recipient_name "
	argsKeys = " arguments parameters args input tool_input action_input params "
	metaKeys = " id type index tool_call_id call_id thought thoughts "
	wrapKeys = " tool_calls tool_call function_call function_calls calls tool_uses "
)

// keyLists returns the list of each key.
var keyLists = sync.OnceValue(func() map[string]string {
	lists := map[string]string{}
	for _, list := range []string{nameKeys, argsKeys, metaKeys, wrapKeys} {
		for _, key := range strings.Fields(list) {
			lists[key] = list
		}
	}
	return lists
})

func isKey(list, key string) bool { return keyLists()[strings.ToLower(key)] == list }

// callsIn returns the calls in a JSON value; nil if it has anything else. Outside an
// envelope (strict), a call has a name, arguments and nothing else.
func callsIn(value any, strict bool, isTool func(string) bool) (calls []call) {
	list, _ := value.([]any)
	for _, one := range list {
		inner := callsIn(one, strict, isTool)
		if inner == nil {
			return nil
		}
		calls = append(calls, inner...)
	}
	o, _ := value.(object)
	var name string
	var args any
	var named, given, described bool
	rest := object{}
	for _, f := range o {
		text, isText := f.value.(string)
		_, isObject := f.value.(object)
		switch list := keyLists()[strings.ToLower(f.key)]; {
		case list == wrapKeys || isObject && strings.EqualFold(f.key, "function"):
			if calls = callsIn(f.value, strict, isTool); calls == nil {
				return nil
			}
		case isText && !named && list == nameKeys:
			name, named = strings.TrimSpace(text), true
		case !given && list == argsKeys:
			args, given = f.value, true
		case list != metaKeys:
			rest = append(rest, f)
			described = described || f.key == "description"
		}
	}
	switch {
	case o == nil, calls != nil && (!strict || len(rest) == 0):
		return calls
	case !named && !given && len(rest) == 1 && len(o) == 1 && isTool(rest[0].key):
		return []call{{rest[0].key, rest[0].value}}
	case !named, strict && (!given || len(rest) > 0), given && described: // of tools, not of calls
		return nil
	case !given:
		args = rest
	}
	return []call{{name, args}}
}

// decoded returns the value in a text that is JSON.
func decoded(text string) (any, bool) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil, false
	}
	p := values{s: text}
	value, ok := p.value()
	p.blanks()
	return value, ok && p.at == len(text)
}
