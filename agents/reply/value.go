package reply

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// values reads values as models write them: JSON, with the single quotes, bare keys, None,
// trailing commas and raw line breaks of Python and of smaller models.
type values struct {
	s     string
	at    int
	loose bool // missing brackets at the end are closed
}

const blanks = " \t\r\n"

func (p *values) has(prefix string) bool { return strings.HasPrefix(p.s[p.at:], prefix) }

// skip passes over blanks, and then over one of some signs, if there is one.
func (p *values) skip(signs string) bool {
	for p.at < len(p.s) && (p.s[p.at] == ' ' || p.s[p.at] == '\n' || p.s[p.at] == '\t' || p.s[p.at] == '\r') {
		p.at++
	}
	if p.at == len(p.s) || strings.IndexByte(signs, p.s[p.at]) < 0 {
		return false
	}
	p.at++
	return true
}

// maxDepth limits the nesting of values.
const maxDepth = 100

// value reads a value, or arguments in parentheses. It writes them as JSON and decodes that.
func (p *values) value() (value any, ok bool) {
	var b []byte
	ends, closing := "", "" // of the open brackets: as they are written, and in JSON
	for b == nil || ends != "" {
		p.skip("")
		if p.at == len(p.s) || p.has("</") || p.has("<|") && !p.has(`<|"|>`) || p.has("<｜") || p.has("[/") || p.has("```") {
			if !p.loose || b == nil {
				return nil, false
			}
			b = append(bytes.TrimRight(b, ","), closing...)
			break
		}
		switch c := p.s[p.at]; {
		case strings.IndexByte("{[(", c) >= 0:
			end := "}])"[strings.IndexByte("{[(", c)]
			if p.at++; end == ')' {
				if c = '['; keyword().MatchString(p.s[p.at:min(len(p.s), p.at+maxMark)]) {
					c = '{'
				}
			}
			b = append(b, c)
			if ends, closing = string(end)+ends, string(c+2)+closing; len(ends) > maxDepth {
				p.at = len(p.s) // so that nothing goes as deep from the next bracket on
				return nil, false
			}
		case ends != "" && c == ends[0]:
			p.at++
			b = append(bytes.TrimRight(b, ","), closing[0])
			ends, closing = ends[1:], closing[1:]
		case ends != "" && p.skip(",;"):
			if strings.IndexByte(",{[", b[len(b)-1]) < 0 {
				b = append(b, ',')
			}
		case ends != "" && p.skip(":="):
			b = append(b, ':')
		default:
			text, isText := p.text()
			if !isText {
				text = p.word()
			}
			constant, isConstant := constants[text]
			switch {
			case text == "" && !isText:
				return nil, false
			case !isText && isConstant:
				b = append(b, constant...)
			case !isText && json.Valid([]byte(text)):
				b = append(b, text...)
			default:
				quoted, err := json.Marshal(text)
				if err != nil {
					return nil, false
				}
				b = append(b, quoted...)
			}
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber()
	err := decoder.Decode(&value)
	return value, err == nil
}

var (
	constants = map[string]string{"True": "true", "False": "false", "None": "null"}
	keyword   = pattern(`^\s*\w+\s*=`) // of a call in Python
)

// word reads a word without quotation marks: a key, a number, true, None.
func (p *values) word() string {
	from := p.at
	for i, r := range p.s[from:] {
		if p.at = from + i; !isWord(r) && !strings.ContainsRune("+-.$", r) {
			return p.s[from:p.at]
		}
	}
	p.at = len(p.s)
	return p.s[from:]
}

// text reads a string. Only those in quotation marks have escapes.
func (p *values) text() (string, bool) {
	for _, quote := range []string{`"`, `'`, `<|"|>`, "<escape>"} {
		if !p.has(quote) {
			continue
		}
		from := p.at + len(quote)
		for p.at = from; p.at < len(p.s); p.at++ {
			if len(quote) == 1 && p.s[p.at] == '\\' {
				p.at++
			} else if p.has(quote) {
				text := p.s[from:p.at]
				if p.at += len(quote); len(quote) == 1 {
					text = unescape(text)
				}
				return text, true
			}
		}
		p.at = len(p.s)
	}
	return "", false
}

var escape = pattern(`(?s)\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.`)

// unescape decodes the escapes of JSON and \'. An invalid one stays as it is.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return escape().ReplaceAllStringFunc(s, func(escaped string) string {
		var text string
		if err := json.Unmarshal([]byte(`"`+escaped+`"`), &text); escaped == `\'` {
			return "'"
		} else if err != nil || text == "\uFFFD" { // half a pair
			return escaped
		}
		return text
	})
}

// decoded returns a value, or the one in it if it is a text that is JSON, twice at most.
func decoded(value any) any {
	for range 2 {
		text, _ := value.(string)
		p := values{s: strings.TrimSpace(text)}
		if !p.has("{") && !p.has("[") && !p.has(`"{`) {
			break
		}
		inner, ok := p.value()
		if !ok || p.at < len(p.s) {
			break
		}
		value = inner
	}
	return value
}

// textOf returns a value as text: a string as it is, anything else as JSON.
func textOf(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	data, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(data)
}

// call is a call as it was written, before its tool is found.
type call struct {
	name string
	args any // map[string]any, []any, a string, or nil for none
}

// Keys of a call as JSON, in lower case and without "_".
const (
	nameKeys = "name toolname function tool action functionname recipientname"
	argsKeys = "arguments parameters args input toolinput actioninput params"
	wrapKeys = "toolcalls toolcall functioncall functioncalls calls tooluses"
	metaKeys = "id type index role toolcallid callid thought thoughts"
)

// keyLists returns the list of each key.
var keyLists = sync.OnceValue(func() map[string]string {
	lists := map[string]string{}
	for _, list := range []string{nameKeys, argsKeys, wrapKeys, metaKeys} {
		for _, key := range strings.Fields(list) {
			lists[key] = list
		}
	}
	return lists
})

// foldKey returns a key as the lists have it.
func foldKey(key string) string { return strings.ToLower(strings.ReplaceAll(key, "_", "")) }

// pop removes the first key of a list from an object and returns its value.
func pop(o map[string]any, list string) (value any, ok bool) {
	for _, one := range strings.Fields(list) {
		for key, value := range o {
			if foldKey(key) == one {
				delete(o, key)
				return value, true
			}
		}
	}
	return nil, false
}
