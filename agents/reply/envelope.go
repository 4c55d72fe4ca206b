package reply

import (
	"regexp"
	"slices"
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
	last, depth := e.at, 0
	for count := 0; ; {
		if len(e.calls) > count {
			if count, last = len(e.calls), e.at; word == "" {
				return true
			}
		}
		switch c := e.sign(",;])}"); {
		case c == 0:
			if count > 0 {
				e.at = last
			}
			return true
		case strings.IndexByte(",;])}", c) >= 0:
			continue
		}
		m, st := markAt(e.s, e.at, nil)
		from := e.at
		switch {
		case st != yes || m.kind == markBetween && !m.control:
			if e.call() {
				continue
			}
			e.far, e.at = max(e.far, e.at), from
			if count > 0 {
				e.at = last
			}
			near := e.s[e.at:min(len(e.s), e.at+maxMark)] // where the closing mark may still stand
			return (count > 0 || e.none) && word != "" && !strings.Contains(near, "</"+word)
		case m.kind == markEnvelope && !m.close && m.attr == "":
			e.at = m.to
			depth++
		case m.kind == markEnvelope && m.close, m.kind == markCall && m.close:
			e.at = m.to
			if depth--; depth < 0 {
				e.closed = true
				return true
			}
		case m.kind == markCall, m.kind == markEnvelope:
			if e.at = m.to; !e.tagged(m) {
				return false
			}
		case m.kind == markThought && !m.close:
			end := strings.Index(e.s[m.to:], "</"+m.word)
			if end < 0 {
				e.far = len(e.s)
				return false
			}
			e.at = m.to + end
		case m.kind == markBetween, m.kind == markThought:
			e.at = m.to
		default:
			e.at = last
			return count > 0
		}
	}
}

// call reads what may stand in an envelope: JSON, tags that say the same, or a name with
// what follows it.
func (e *envelope) call() bool {
	var value any
	var ok bool
	switch {
	case e.has("```"):
		e.skipFence()
		return true
	case e.has("[") && e.listsNames():
		e.at++
		return true
	case e.has("<"):
		value, ok = e.tags()
	case e.has("{"), e.has("["):
		value, ok = e.value()
	default:
		return e.named()
	}
	if list, isList := value.([]any); isList && len(list) == 0 {
		e.none = true
		return ok
	}
	found := callsIn(value, false, func(name string) bool { _, known := e.tools.find(name); return known })
	e.calls = append(e.calls, found...)
	return ok && found != nil
}

// skipFence passes over the sign of a code fence and its language.
func (e *envelope) skipFence() {
	e.at += len(e.s[e.at:]) - len(strings.TrimLeft(e.s[e.at:], "`"))
	e.at += len(e.s[e.at:]) - len(strings.TrimLeftFunc(e.s[e.at:], isWord))
}

// listsNames reports whether a list begins with a name: [NAME(…)].
func (e *envelope) listsNames() bool {
	rest := strings.TrimLeft(e.s[e.at+1:min(len(e.s), e.at+maxMark)], " \t\r\n")
	r, _ := utf8.DecodeRuneInString(rest)
	return rest != "" && isWord(r) && strings.IndexByte("0123456789", rest[0]) < 0
}

// name reads a tool's name, also as call:NAME and functions.NAME:0.
func (e *envelope) name() string {
	e.blanks()
	found := toolName.FindStringSubmatch(e.s[e.at:min(len(e.s), e.at+maxMark)])
	e.at += len(found[0])
	return found[1]
}

var toolName = regexp.MustCompile("^`?(?:call:)?([\\pL\\pN_./-]*(?::\\d+)?)`?")

// named reads a name and what follows it: an object, arguments in parentheses, tags, or a
// colon and text.
func (e *envelope) named() bool {
	name := e.name()
	for name != "" {
		e.blanks()
		m, st := markAt(e.s, e.at, nil)
		var value any
		ok := true
		switch {
		case name == "print" && e.has("("):
			e.at++
			name = e.name()
			continue
		case st == yes && m.kind == markBetween && !m.close && (m.control || m.word == "tool_sep"):
			e.at = m.to
			if m.word == "call_id" {
				e.name()
			} else if name == "function" {
				if name = e.name(); name == "" {
					return true // tags follow
				}
			}
			continue
		case e.has("```"):
			e.skipFence()
			continue
		case e.has("Action Input:"):
			e.at += len("Action Input:")
			if e.blanks(); !e.has("{") && !e.has("```") {
				value = e.directive(name)
				break
			}
			continue
		case e.has("{"), e.has("[") && st != yes:
			value, ok = e.value()
		case e.has("("):
			named, list, closed := e.members(')')
			if value, ok = named, closed && (len(named) == 0 || len(list) == 0); len(list) > 0 {
				value = list
			}
		case e.has("<") && st != yes:
			value, ok = e.tags()
		case e.has(":"):
			e.at++
			value = e.directive(name)
		default:
			_, known := e.tools.find(name)
			if !known || e.at < len(e.s) && (st != yes || !m.close) {
				return false
			}
		}
		e.calls = append(e.calls, call{name, value})
		return ok
	}
	return false
}

// directive reads the text behind a colon, up to a line break or a mark; that of a long
// one goes on to a mark.
func (e *envelope) directive(name string) string {
	tool, _ := e.tools.find(name)
	from := e.at
	for e.at < len(e.s) && (e.s[e.at] != '\n' || tool.Long && !isResult(e.s[e.at+1:])) {
		if m, st := markAt(e.s, e.at, nil); st == yes && m.kind != markBetween {
			break
		}
		e.at++
	}
	return strings.TrimSpace(e.s[from:e.at])
}

// tagged reads what is in <function=NAME> or <invoke name="NAME">: JSON or a tag for each
// argument. Without a name, <invoke>, the tags say it.
func (e *envelope) tagged(m mark) bool {
	if e.blanks(); m.attr == "" {
		return e.call()
	}
	if m.args != nil {
		e.calls = append(e.calls, call{m.attr, slices.DeleteFunc(m.args, func(f field) bool { return isKey(nameKeys, f.key) })})
		return true
	}
	var value any
	var ok bool
	if e.has("{") {
		value, ok = e.value()
	} else {
		value, ok = e.tags()
	}
	_, isObject := value.(object)
	if e.blanks(); !ok || !isObject {
		return false
	}
	if m, st := markAt(e.s, e.at, nil); st == yes && m.close && (m.kind == markCall || m.word == "tool") {
		e.at = m.to
	} else if e.at != len(e.s) && (st != yes || m.kind != markCall && m.kind != markEnvelope && m.kind != markEnd) {
		return false
	}
	e.calls = append(e.calls, call{m.attr, value})
	return true
}

var tag = regexp.MustCompile(`^<([^\s=>/]+)([^>\n]*)>`)

// tags reads an object as tags: <key>value</key>, <parameter=key>value</parameter>, or
// <arg_key>key</arg_key><arg_value>value</arg_value>.
func (e *envelope) tags() (o object, ok bool) {
	o = object{}
	for {
		e.blanks()
		m, st := markAt(e.s, e.at, nil)
		found := tag.FindStringSubmatch(e.s[e.at:min(len(e.s), e.at+maxMark)])
		if found == nil || st == yes && m.kind != markBetween {
			return o, true
		}
		key, inside := found[1], strings.TrimLeft(e.s[e.at+len(found[0]):min(len(e.s), e.at+len(found[0])+maxMark)], " \t\r\n")
		if found[2] != "" {
			key = attribute(found[2])
		}
		var value any
		if isKey(argsKeys, key) && strings.HasPrefix(inside, "<") && !strings.HasPrefix(inside, "</") && e.depth < maxDepth {
			e.at += len(found[0])
			e.depth++
			value, _ = e.tags()
			e.depth--
			if e.has("</" + found[1] + ">") {
				e.at += len("</>") + len(found[1])
			}
		} else if value, ok = e.content(found[1], len(found[0])); !ok || key == "" {
			return nil, false
		}
		switch last := len(o) - 1; {
		case strings.HasSuffix(key, "arg_key"):
			key, value = strings.TrimSpace(value.(string)), nil
		case strings.HasSuffix(key, "arg_value"):
			if last < 0 {
				return nil, false
			}
			o[last].value = value
			continue
		}
		o = append(o, field{key, value})
	}
}

// content reads the content of a tag. It ends at the first closing tag behind which markup
// follows; without one, at a line that begins the next tag of its kind, or where the call
// ends. It loses one line break at each end.
func (e *envelope) content(tag string, length int) (string, bool) {
	from := e.at + length
	closing := "</" + tag + ">"
	for at := from; ; at++ {
		next := strings.IndexByte(e.s[at:], '<')
		if next < 0 {
			e.far = len(e.s)
			return "", false
		}
		at += next
		m, st := markAt(e.s, at, nil)
		switch {
		case strings.HasPrefix(e.s[at:], closing):
			after := strings.TrimLeft(e.s[at+len(closing):min(len(e.s), at+len(closing)+maxMark)], " \t\r\n")
			if after != "" && after[0] != '<' && after[0] != '[' {
				continue
			}
			e.at = at + len(closing)
		case strings.HasPrefix(e.s[at+1:], tag) && e.s[at-1] == '\n', st == yes && m.close && (m.kind == markCall || m.kind == markEnvelope):
			e.at = at
		default:
			continue
		}
		content := strings.TrimPrefix(strings.TrimPrefix(e.s[from:at], "\r"), "\n")
		content = strings.TrimSuffix(strings.TrimSuffix(content, "\n"), "\r")
		if data, ok := strings.CutPrefix(content, "<![CDATA["); ok {
			content = strings.TrimSuffix(data, "]]>")
		}
		return content, true
	}
}
