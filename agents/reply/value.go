package reply

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// object is a JSON object with its keys in order.
type object []field

type field struct {
	key   string
	value any
}

func (o object) get(key string) (any, bool) {
	for _, f := range o {
		if f.key == key {
			return f.value, true
		}
	}
	return nil, false
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
}

func (p *values) blanks() {
	for p.at < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.at]) >= 0 {
		p.at++
	}
}

func (p *values) has(prefix string) bool { return strings.HasPrefix(p.s[p.at:], prefix) }

// wide are the signs that a keyboard for Chinese writes in JSON.
var wide = strings.NewReplacer("：", ":", "，", ",")

// sign returns the next sign, and skips it if it is one of those wanted.
func (p *values) sign(wanted string) byte {
	p.blanks()
	if p.at >= len(p.s) {
		return 0
	}
	c, size := p.s[p.at], 1
	if p.has("：") || p.has("，") {
		size = len("：")
		c = wide.Replace(p.s[p.at : p.at+size])[0]
	}
	if strings.IndexByte(wanted, c) >= 0 {
		p.at += size
	}
	return c
}

// ended reports whether a value that isn't closed ends here all the same.
func (p *values) ended() bool {
	return p.loose && (p.at >= len(p.s) || p.s[p.at] == '<' && !p.has(`<|"|>`) && !p.has("<escape>") || p.has("[/") || p.has("```"))
}

func (p *values) value() (any, bool) {
	if p.depth++; p.depth > maxDepth {
		return nil, false
	}
	defer func() { p.depth-- }()
	p.blanks()
	if p.at >= len(p.s) {
		return nil, false
	}
	switch p.s[p.at] {
	case '{':
		p.at++
		o := object{}
		for {
			switch p.sign("},") {
			case '}':
				return o, true
			case ',':
				continue
			}
			if p.ended() {
				return o, true
			}
			key, ok := p.text()
			if !ok {
				key, ok = p.bare()
			}
			if !ok || p.sign(":=") != ':' && p.s[p.at-1] != '=' {
				return nil, false
			}
			value, ok := p.value()
			if !ok {
				return nil, false
			}
			o = append(o, field{key, value})
			if c := p.sign(""); c != ',' && c != '}' && !p.ended() {
				return nil, false
			}
		}
	case '[':
		p.at++
		list := []any{}
		for {
			switch p.sign("],") {
			case ']':
				return list, true
			case ',':
				continue
			}
			if p.ended() {
				return list, true
			}
			value, ok := p.value()
			if !ok {
				return nil, false
			}
			list = append(list, value)
			if c := p.sign(""); c != ',' && c != ']' && !p.ended() {
				return nil, false
			}
		}
	}
	if text, ok := p.text(); ok {
		return text, true
	}
	word, ok := p.bare()
	switch {
	case !ok:
		return nil, false
	case word == "true" || word == "True":
		return true, true
	case word == "false" || word == "False":
		return false, true
	case word == "null" || word == "None":
		return nil, true
	case json.Valid([]byte(word)):
		return json.Number(word), true
	}
	return word, true
}

// bare reads a word without quotation marks: a key, a number, true, None.
func (p *values) bare() (string, bool) {
	p.blanks()
	from := p.at
	for p.at < len(p.s) {
		r, size := utf8.DecodeRuneInString(p.s[p.at:])
		if !isWord(r) && strings.IndexRune("+-.$", r) < 0 {
			break
		}
		p.at += size
	}
	return p.s[from:p.at], p.at > from
}

// quotes are the marks around a string: the opening and the closing one.
var quotes = [][2]string{{`"""`, `"""`}, {`'''`, `'''`}, {`"`, `"`}, {`'`, `'`}, {"“", "”"}, {`<|"|>`, `<|"|>`}, {"<escape>", "<escape>"}}

// text reads a string.
func (p *values) text() (string, bool) {
	p.blanks()
	for _, q := range quotes {
		if !p.has(q[0]) {
			continue
		}
		if strings.HasPrefix(p.s[p.at:], `""`) && !p.has(`"""`) || strings.HasPrefix(p.s[p.at:], `''`) && !p.has(`'''`) {
			p.at += 2
			return "", true
		}
		from := p.at + len(q[0])
		if q[0][0] == '<' { // has no escapes
			end := strings.Index(p.s[from:], q[1])
			if end < 0 {
				return "", false
			}
			p.at = from + end + len(q[1])
			return p.s[from : from+end], true
		}
		for i := from; i < len(p.s); i++ {
			if p.s[i] == '\\' {
				i++
				continue
			}
			if p.s[i] == q[1][0] && strings.HasPrefix(p.s[i:], q[1]) || q[0] == "“" && p.s[i] == '"' {
				p.at = i + len(q[1])
				if p.s[i] == '"' && q[0] == "“" {
					p.at = i + 1
				}
				return unescape(p.s[from:i]), true
			}
		}
		return "", false
	}
	return "", false
}

// unescape decodes the escapes of JSON. An invalid one stays as it is.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte(`"'\/bfnrt`, s[i]); at >= 0 {
			b.WriteByte("\"'\\/\b\f\n\r\t"[at])
			continue
		}
		if r, ok := hexRune(s[i:]); ok {
			i += len("u1234") - 1
			if utf16.IsSurrogate(r) {
				second, ok := hexRune(strings.TrimPrefix(s[i+1:], `\`))
				if pair := utf16.DecodeRune(r, second); ok && pair != utf8.RuneError {
					i += len(`\u1234`)
					b.WriteRune(pair)
				} else {
					b.WriteString(s[i-len(`\u1234`)+1 : i+1]) // half a pair
				}
				continue
			}
			b.WriteRune(r)
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(s[i])
	}
	return b.String()
}

// hexRune reads the u1234 of an escape.
func hexRune(s string) (rune, bool) {
	if len(s) < len("u1234") || s[0] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:len("u1234")], 16, 32)
	return rune(n), err == nil
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
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			inner := callsIn(one, strict, isTool)
			if inner == nil {
				return nil
			}
			calls = append(calls, inner...)
		}
		return calls
	case object:
		return v.calls(strict, isTool)
	}
	return nil
}

func (o object) calls(strict bool, isTool func(string) bool) (calls []call) {
	var name string
	var args any
	var named, given bool
	rest := object{}
	tools := 0
	for _, f := range o {
		text, isText := f.value.(string)
		_, isObject := f.value.(object)
		switch {
		case isKey(wrapKeys, f.key) || isObject && strings.EqualFold(f.key, "function"):
			if calls = callsIn(f.value, strict, isTool); calls == nil {
				return nil
			}
			for _, other := range o {
				if other.key != f.key && !isKey(metaKeys, other.key) && strict {
					return nil
				}
			}
			return calls
		case isText && !named && isKey(nameKeys, f.key):
			name, named = text, true
		case !given && isKey(argsKeys, f.key):
			args, given = f.value, true
		case isKey(metaKeys, f.key):
		default:
			if isTool(f.key) && (isObject || isText) {
				calls = append(calls, call{f.key, f.value})
				tools++
			}
			rest = append(rest, f)
		}
	}
	switch {
	case !named && !given && tools > 0 && tools == len(rest):
		return calls
	case !named, strict && (!given || len(rest) > 0):
		return nil
	case given:
		if _, described := o.get("description"); described {
			return nil // a list of tools, not of calls
		}
		return []call{{name, args}}
	}
	return []call{{name, rest}}
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
