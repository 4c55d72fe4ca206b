package reply

import (
	"strings"
	"unicode/utf8"
)

// envelope reads the inside of an envelope: one call after the other, each in the form
// that its first sign says. It reads on until the envelope's closing mark, or as far as
// there are calls if the family writes none.
type envelope struct {
	values
	tools  *resolver
	calls  []call
	closed bool // the closing mark was read
	none   bool // it holds an empty list
	far    int  // the farthest byte looked at
}

// inside reads calls up to the closing mark of an envelope with this word; "" stands for
// one that is a call itself and for the body of a code fence. ok is false if there is
// something else than calls before that.
func (e *envelope) inside(word string) (ok bool) {
	last, count := e.at, 0
	for depth := 0; ; {
		if len(e.calls) > count {
			count, last = len(e.calls), e.at
		}
		if c := e.sign(",;])}"); c == 0 {
			if count > 0 {
				e.at = last
			}
			return true
		} else if strings.IndexByte(",;])}", c) >= 0 {
			continue
		}
		m, st := markAt(e.s, e.at, nil)
		switch {
		case st != yes || m.from != e.at:
			if e.has("```") {
				e.skipFence()
				continue
			}
			if e.has("<") && e.elements() {
				continue
			}
			from := e.at
			if !e.one() {
				e.far, e.at = max(e.far, e.at), from
				if len(e.calls) > 0 {
					e.at = last
				}
				near := e.s[e.at:min(len(e.s), e.at+maxMark)] // where the closing mark may still stand
				return (len(e.calls) > 0 || e.none) && word != "" && !strings.Contains(near, "</"+word)
			}
			if word == "" {
				return true
			}
		case m.kind == markEnvelope && !m.close && m.attr == "":
			e.at = m.to
			depth++
		case (m.kind == markEnvelope || m.kind == markCall) && m.close:
			e.at = m.to
			if depth--; depth < 0 {
				e.closed = true
				return true
			}
		case m.kind == markCall || m.kind == markEnvelope && m.attr != "":
			e.at = m.to
			if !e.tagged(m.attr) {
				return false
			}
			if word == "" {
				return true
			}
		case m.kind == markThought && !m.close:
			e.at = m.to
			for e.at < len(e.s) {
				next := strings.IndexAny(e.s[e.at:], "<[")
				if next < 0 {
					return false
				}
				e.at += next
				if m, st := markAt(e.s, e.at, nil); st == yes && m.kind == markThought && m.close {
					e.at = m.to
					break
				}
				e.at++
			}
		case m.kind == markBetween && m.control, m.kind == markThought:
			e.at = m.to
		case m.kind == markBetween && e.elements():
		default:
			e.at = last
			return len(e.calls) > 0
		}
	}
}

// skipFence passes over the sign of a code fence and its language.
func (e *envelope) skipFence() {
	_, count := fenceMark(e.s[e.at:])
	for e.at += count; e.at < len(e.s) && isWord(rune(e.s[e.at])) && e.s[e.at] < utf8.RuneSelf; e.at++ {
	}
}

// one reads one call that isn't in tags.
func (e *envelope) one() bool {
	c := e.s[e.at]
	if c == '[' && e.listsNames() {
		e.at++
		e.blanks()
		return e.named()
	}
	if c == '{' || c == '[' {
		value, ok := e.value()
		if !ok {
			return false
		}
		if list, isList := value.([]any); isList && len(list) == 0 {
			e.none = true
			return true
		}
		found := callsIn(value, false, func(name string) bool { _, ok := e.tools.find(name); return ok })
		e.calls = append(e.calls, found...)
		return found != nil
	}
	return e.named()
}

// listsNames reports whether a list begins with a name: [NAME(…)].
func (e *envelope) listsNames() bool {
	rest := strings.TrimLeft(e.s[e.at+1:min(len(e.s), e.at+maxMark)], " \t\r\n")
	r, _ := utf8.DecodeRuneInString(rest)
	return rest != "" && isWord(r) && strings.IndexByte("0123456789", rest[0]) < 0
}

// word reads a tool's name.
func (e *envelope) word() string {
	e.at += len(e.s[e.at:]) - len(strings.TrimPrefix(e.s[e.at:], "call:"))
	from := e.at
	for e.at < len(e.s) && e.at-from < maxMark {
		r, size := utf8.DecodeRuneInString(e.s[e.at:])
		if !isWord(r) && strings.IndexRune(".-/", r) < 0 {
			break
		}
		e.at += size
	}
	name := e.s[from:e.at]
	if name != "" && e.at+1 < len(e.s) && e.s[e.at] == ':' && e.s[e.at+1] >= '0' && e.s[e.at+1] <= '9' { // functions.NAME:0
		for e.at++; e.at < len(e.s) && e.s[e.at] >= '0' && e.s[e.at] <= '9'; e.at++ {
		}
	}
	return name
}

// named reads a name and what follows it: an object, arguments in parentheses, pairs of
// tags, or a colon and text.
func (e *envelope) named() bool {
	name := e.word()
	if name == "" {
		return false
	}
	if name == "print" && e.has("(") {
		e.at++
		return e.named()
	}
	for {
		e.blanks()
		m, st := markAt(e.s, e.at, nil)
		switch {
		case st == yes && m.kind == markBetween && !m.close && (m.control || m.word == "tool_sep"):
			e.at = m.to
			if m.word == "call_id" {
				e.blanks()
				e.word()
			}
			if m.word == "sep" || m.word == "tool_sep" {
				if strings.EqualFold(name, "function") {
					e.blanks()
					if name = e.word(); name == "" {
						return true // tags follow
					}
				}
			}
		case e.has("```"):
			e.skipFence()
		case e.has("{"), e.has("[") && st != yes:
			value, ok := e.value()
			if !ok {
				return false
			}
			e.calls = append(e.calls, call{name, value})
			return true
		case e.has("("):
			args, ok := e.parenthesis()
			e.calls = append(e.calls, call{name, args})
			return ok
		case e.has("<") && strings.HasSuffix(e.tagName(), "arg_key"):
			return e.pairs(name)
		case e.has(":"):
			e.at++
			e.calls = append(e.calls, call{name, e.directive(name)})
			return true
		default:
			_, known := e.tools.find(name)
			if known = known && (e.at == len(e.s) || st == yes && m.close); known {
				e.calls = append(e.calls, call{name, nil})
			}
			return known
		}
	}
}

// directive reads the text behind a colon, up to a line break or a mark; that of a long
// one goes on to a mark.
func (e *envelope) directive(name string) string {
	tool, _ := e.tools.find(name)
	from := e.at
	for e.at < len(e.s) && (e.s[e.at] != '\n' || tool.Long) {
		if m, st := markAt(e.s, e.at, nil); st == yes && m.kind != markBetween {
			break
		}
		e.at++
	}
	return strings.TrimSpace(e.s[from:e.at])
}

// parenthesis reads arguments as in Python.
func (e *envelope) parenthesis() (args any, ok bool) {
	e.at++
	named, list := object{}, []any{}
	for {
		switch e.sign("),") {
		case ')':
			switch {
			case len(named) == 0 && len(list) > 0:
				return list, true
			case len(list) > 0:
				return []any{named, list}, false
			}
			return named, true
		case ',':
			continue
		case 0:
			return nil, false
		}
		from := e.at
		if key, ok := e.bare(); ok && strings.IndexByte("=:", e.sign("=:")) >= 0 {
			value, ok := e.value()
			if !ok {
				return nil, false
			}
			named = append(named, field{key, value})
		} else {
			e.at = from
			value, ok := e.value()
			if !ok {
				return nil, false
			}
			list = append(list, value)
		}
		if c := e.sign(""); c != ',' && c != ')' {
			return nil, false
		}
	}
}

// tagName returns the name of the tag that begins here, as it is written: what its closing
// tag repeats.
func (e *envelope) tagName() string {
	if !e.has("<") {
		return ""
	}
	rest := e.s[e.at+1 : min(len(e.s), e.at+maxMark)]
	if end := strings.IndexAny(rest, " =>\n/"); end > 0 {
		return rest[:end]
	}
	return ""
}

// content reads the content of the tag that begins here. It ends at the first closing tag
// behind which markup follows; without one, at a line that begins the next tag of its kind,
// or where the call ends. It loses one line break at each end.
func (e *envelope) content(tag string) (string, bool) {
	end := strings.IndexByte(e.s[e.at:min(len(e.s), e.at+maxMark)], '>')
	if end < 0 {
		return "", false
	}
	from := e.at + end + 1
	closing := "</" + tag + ">"
	for at := from; ; at++ {
		next := strings.IndexByte(e.s[at:], '<')
		if next < 0 {
			e.far = len(e.s)
			return "", false
		}
		at += next
		if strings.HasPrefix(e.s[at:], closing) {
			after := e.s[at+len(closing) : min(len(e.s), at+len(closing)+maxMark)]
			if after = strings.TrimLeft(after, " \t\r\n"); after == "" || after[0] == '<' || after[0] == '[' {
				e.at = at + len(closing)
				return trimBreaks(e.s[from:at]), true
			}
			continue
		}
		m, st := markAt(e.s, at, nil)
		if strings.HasPrefix(e.s[at+1:], tag) && e.s[at-1] == '\n' || st == yes && m.close && (m.kind == markCall || m.kind == markEnvelope) {
			e.at = at
			return trimBreaks(e.s[from:at]), true
		}
	}
}

func trimBreaks(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n")
	return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
}

// pairs reads <arg_key>k</arg_key><arg_value>v</arg_value> and so on.
func (e *envelope) pairs(name string) bool {
	args := object{}
	for e.blanks(); e.has("<") && strings.HasSuffix(e.tagName(), "arg_key"); e.blanks() {
		key, ok := e.content(e.tagName())
		if e.blanks(); !ok || !e.has("<") || !strings.HasSuffix(e.tagName(), "arg_value") {
			return false
		}
		value, ok := e.content(e.tagName())
		if !ok {
			return false
		}
		args = append(args, field{strings.TrimSpace(key), value})
	}
	e.calls = append(e.calls, call{name, args})
	return true
}

// tagged reads what is in <function=NAME> or <invoke name="NAME">: JSON or a tag for each
// argument.
func (e *envelope) tagged(name string) bool {
	e.blanks()
	if name == "" { // <invoke><tool_name>NAME</tool_name>…
		return e.elements()
	}
	args := object{}
	for ; ; e.blanks() {
		m, st := markAt(e.s, e.at, nil)
		switch {
		case e.at >= len(e.s), st == yes && m.close && (m.kind == markCall || m.kind == markEnvelope), st == yes && m.kind == markCall:
			if st == yes && m.close && m.kind == markCall || st == yes && m.close && m.word == "tool" {
				e.at = m.to
			}
			e.calls = append(e.calls, call{name, args})
			return true
		case e.has("{") && len(args) == 0:
			value, ok := e.value()
			object, isObject := value.(object)
			if !ok || !isObject {
				return false
			}
			args = object
		case e.has("<") && !e.has("</"):
			tag := e.tagName()
			if tag == "" {
				return false
			}
			key := tag
			if base := strings.ReplaceAll(tag, "｜", ":"); strings.HasSuffix(base, "parameter") || base == "param" {
				stop := strings.IndexByte(e.s[e.at:], '>')
				if stop < 0 {
					return false
				}
				key = attribute(e.s[e.at+1+len(tag) : e.at+stop])
			} else if isKey(argsKeys, tag) { // <parameters><k>v</k></parameters>
				e.at += len(tag) + 2
				continue
			}
			value, ok := e.content(tag)
			if !ok || key == "" {
				return false
			}
			args = append(args, field{key, value})
		case e.has("</") && isKey(argsKeys, e.s[e.at+2:min(len(e.s), e.at+2+max(0, strings.IndexByte(e.s[e.at+2:min(len(e.s), e.at+40)], '>')))]):
			e.at += strings.IndexByte(e.s[e.at:], '>') + 1
		default:
			return false
		}
	}
}

// elements reads <name>NAME</name><arguments>…</arguments>.
func (e *envelope) elements() bool {
	from := e.at
	tag := e.tagName()
	if !isKey(nameKeys, tag) {
		return false
	}
	name, ok := e.content(tag)
	if ok {
		e.blanks()
		if tag := e.tagName(); isKey(argsKeys, tag) {
			inner := e.at + len(tag) + 2
			if rest := strings.TrimLeft(e.s[inner:], " \t\r\n"); strings.HasPrefix(rest, "{") {
				if text, ok := e.content(tag); ok {
					e.calls = append(e.calls, call{strings.TrimSpace(name), text})
					return true
				}
			}
		}
		if e.tagged(strings.TrimSpace(name)) {
			return true
		}
	}
	e.at = from
	return false
}
