package reply

import (
	"maps"
	"slices"
	"strings"
)

// envelope reads the inside of an envelope: calls in the forms that their first signs say.
// It remembers a tool's name and tags until what follows makes a call of them.
type envelope struct {
	values
	tools  *resolver
	names  map[string]bool // if set, only these names count, and JSON with nothing else than a call
	lines  bool            // a name and a colon begin a call
	lead   bool            // it has no mark of its own: only tools' names go on
	calls  []call
	closed bool // the closing mark was read
	none   bool // it holds an empty list
	far    int  // the farthest byte looked at
	depth  int  // of envelopes in the envelope
	lists  int  // brackets around calls that were opened

	name string // of the tool whose arguments follow
	tags map[string]any
	key  string // of the value that follows
}

// isTool reports whether a name counts as a tool's.
func (e *envelope) isTool(name string) bool {
	if e.names != nil {
		return e.names[name]
	}
	_, known := e.tools.find(name)
	return known
}

// flush makes a call of the name and its arguments, or of an object that has both.
func (e *envelope) flush(args any) bool {
	if args == nil && e.tags != nil {
		args = e.tags
	}
	name := e.name
	e.name, e.tags, e.key = "", nil, ""
	list, _ := args.([]any)
	switch {
	case name == "" && args == nil:
		return true
	case name == "" && list != nil && len(list) == 0:
		e.none = true
		return true
	case name == "":
		found := e.callsIn(args)
		e.calls = append(e.calls, found...)
		return found != nil
	case args == nil && !e.isTool(name), e.names != nil && !e.names[name]:
		return false
	}
	e.calls = append(e.calls, call{name, args})
	return true
}

// inside reads up to the closing mark of the envelope that a mark opens, or as far as there
// are calls if the family writes none. ok is false if there is something else before that.
func (e *envelope) inside(open mark) (ok bool) {
	if open.kind == markCall || open.kind == markEnvelope {
		e.name, e.tags = open.attr, open.args
	}
	last := e.at
	for ok = true; ok && open.args == nil && !e.closed; {
		if e.name == "" && e.tags == nil {
			last = e.at
		}
		signs := ",;)]}"
		if e.lead {
			signs += "*>" // **Action Input:**, and the next >>>
		}
		for e.skip(signs) {
		}
		if e.at == len(e.s) {
			break
		}
		e.far = max(e.far, e.at)
		ok = e.step(open)
	}
	if ok && e.flush(nil) {
		e.closed = e.closed || open.args != nil
		return true
	}
	// Behind calls something else may stand, unless the closing mark still follows.
	e.far, e.at = max(e.far, e.at), last
	for ; e.lists > 0 && e.at < len(e.s) && strings.IndexByte("]}", e.s[e.at]) >= 0; e.lists-- {
		e.at++
	}
	near := e.s[e.at:min(len(e.s), e.at+maxMark)]
	return (len(e.calls) > 0 || e.none) && (open.kind != markEnvelope || !strings.Contains(near, "</"+open.word))
}

// step reads the next thing: a mark, a fence's sign, a value or arguments, a tag, or a name.
func (e *envelope) step(open mark) bool {
	m, st := markAt(e.s, e.at, nil)
	if m.kind == markToken {
		st = no
	}
	isCall := st == yes && (m.kind == markCall || m.kind == markEnvelope)
	rest := e.s[e.at+1 : min(len(e.s), e.at+maxMark)]
	switch next := e.s[e.at]; {
	case isCall:
		if !m.close && e.tags == nil && (e.name == open.attr || e.isTool(e.name)) {
			e.name = "" // the recipient, whose call follows
		}
		ok := e.flush(nil)
		switch e.at = m.to; {
		case m.close && m.kind == markEnvelope:
			e.depth--
		case m.kind == markEnvelope:
			e.depth++
		}
		if !m.close {
			e.name = m.attr
		}
		e.closed = ok && m.close && (e.depth < 0 || e.depth == 0 && m.kind == open.kind && open.kind == markCall)
		return ok
	case st == yes && m.kind == markThought && !m.close:
		closing := "</" + m.word + ">"
		end := strings.Index(e.s[m.to:], closing)
		if end < 0 {
			e.far = len(e.s)
		}
		e.at = m.to + end + len(closing)
		return end >= 0
	case st == yes && m.kind != markBetween:
		return false
	case st == yes && (m.control || m.word == "tool_sep"):
		if e.at = m.to; m.word == "call_id" {
			e.word()
		}
		return true
	case e.has("//") && e.name == "" && e.names == nil: // a comment
		line, _, _ := strings.Cut(e.s[e.at:], "\n")
		e.at += len(line)
		return true
	case e.has("```"):
		e.at += len(e.s[e.at:]) - len(strings.TrimLeft(e.s[e.at:], "`"))
		e.word()
		return true
	case e.name == "" && (next == '[' && listed().MatchString(rest) || next == '{' && strings.HasPrefix(strings.TrimLeft(rest, blanks), "{")):
		e.at++ // [NAME(…)], {{…}}
		e.lists++
		return true
	case next == '{', next == '[', next == '(' && e.name != "", next == '"' && e.name == "":
		value, ok := e.value()
		return ok && e.flush(decoded(value))
	case next == ':' || e.name != "" && e.has("Action Input:"):
		e.at += strings.IndexByte(e.s[e.at:], ':') + 1
		rest := strings.TrimLeft(e.s[e.at:min(len(e.s), e.at+maxMark)], blanks+"*")
		if e.names == nil && (e.name == "" || strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "<")) {
			return true
		}
		return e.isTool(e.name) && (e.names == nil || e.lines) && e.flush(e.line())
	case next == '<' && (e.names == nil || e.name != ""):
		return e.tag()
	}
	found := toolName().FindStringSubmatch(e.s[e.at:min(len(e.s), e.at+maxMark)])
	if found == nil {
		return false
	}
	e.at += len(found[0])
	switch name := found[1]; {
	case name == "print" && e.skip("("), name == "function" && e.names == nil, name == "json" && e.name != "":
		return true
	case e.lead && !e.isTool(name), e.name != "" && !e.flush(nil):
		return false
	default:
		e.name = name
		return true
	}
}

// toolName matches a tool's name, also as call:NAME and functions.NAME:0.
var toolName = pattern("^`?(?:call:)?([\\pL\\pN_./-]+(?::\\d+)?)`?")

// listed matches what stands behind the bracket of a list of names: [NAME(…)].
var listed = pattern(`^[\s[]*\pL`)

// line reads the text behind a colon, up to a line break or a mark; that of a long argument
// goes on to a mark.
func (e *envelope) line() string {
	tool, _ := e.tools.find(e.name)
	from := e.at
	for e.at < len(e.s) && (e.s[e.at] != '\n' || tool.Long && !isResult(e.s[e.at+1:])) {
		if m, st := markAt(e.s, e.at, nil); st == yes && m.kind != markBetween && m.kind != markToken && e.names == nil {
			break
		}
		e.at++
	}
	return strings.TrimSpace(e.s[from:e.at])
}

var tag = pattern(`^<(/?)([^\s=>/]+)([^>\n]*)>`)

// tag reads a tag with an argument: <key>value</key>, <parameter=key>value</parameter>, or
// <arg_key>key</arg_key><arg_value>value</arg_value>. A tag around tags is passed over; it
// may have the tool's name.
func (e *envelope) tag() bool {
	found := tag().FindStringSubmatch(e.s[e.at:min(len(e.s), e.at+maxMark)])
	if found == nil {
		return false
	}
	word := found[2][strings.LastIndexAny(found[2], ":|｜")+1:]
	from := e.at + len(found[0])
	inside := strings.TrimLeft(e.s[from:min(len(e.s), from+maxMark)], blanks)
	around := strings.HasPrefix(inside, "<") && !strings.HasPrefix(inside, "</")
	switch isName := found[3] == "" && e.isTool(word); {
	case e.name == "" && e.tags == nil && (found[1] != "" || inside != "" && strings.IndexByte("{[", inside[0]) >= 0), // <json>
		(found[1] != "" || around) && (isName || keyLists()[foldKey(word)] == argsKeys):
		if isName && found[1] == "" {
			e.name = word
		}
		e.at = from
		return true
	}
	text, ok := e.content(found[2], from)
	if !ok || found[1] != "" {
		return false
	}
	if name := nameAttr().FindStringSubmatch(found[3]); name != nil {
		word = name[1]
	} else if found[3] != "" {
		return false
	}
	if e.tags == nil {
		e.tags = map[string]any{}
	}
	switch {
	case strings.Contains(found[2], "arg_key"):
		e.key = strings.TrimSpace(text)
		return true
	case strings.Contains(found[2], "arg_value"):
		word = e.key
	}
	e.tags[word] = text
	return word != ""
}

// content reads the content of a tag. It ends at the first closing tag behind which markup
// follows; without one, at a line that begins the next tag of its kind, or where the call
// ends. It loses one line break at each end.
func (e *envelope) content(tag string, from int) (string, bool) {
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
			after := strings.TrimLeft(e.s[at+len(closing):min(len(e.s), at+len(closing)+maxMark)], blanks)
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

// callsIn returns the calls in a value; nil if it has anything else. A call has a name;
// outside an envelope, also arguments and nothing else.
func (e *envelope) callsIn(value any) (calls []call) {
	list, _ := value.([]any)
	for _, one := range list {
		inner := e.callsIn(one)
		if inner == nil {
			return nil
		}
		calls = append(calls, inner...)
	}
	given, ok := value.(map[string]any)
	if !ok {
		return calls
	}
	if len(given) == 1 {
		for name, args := range given {
			if e.isTool(name) {
				return []call{{name, args}}
			}
			if inner := e.callsIn(args); e.names == nil && e.areTools(inner) {
				return inner // {"command": {…}}
			}
		}
	}
	o := maps.Clone(given)
	maps.DeleteFunc(o, func(_ string, one any) bool { return one == nil })
	for meta := true; meta; _, meta = pop(o, metaKeys) {
	}
	wrapped, _ := pop(o, wrapKeys)
	args, hasArgs := pop(o, argsKeys)
	name, _ := pop(o, nameKeys)
	if _, isText := name.(string); name != nil && !isText {
		wrapped = name // {"function": {…}}
	}
	text, _ := name.(string)
	_, described := o["description"] // a list of tools
	tool, known := e.tools.find(text)
	for key, one := range o {
		if held := declared(decoded(one), tool.Params, 0); held != nil && !hasArgs && len(o) == 1 && known && !slices.Contains(tool.Params, key) {
			args, hasArgs, o = held, true, nil
		}
	}
	strict := e.names != nil
	switch {
	case wrapped != nil && (!strict || len(o) == 0):
		return e.callsIn(wrapped)
	case strict && known && !hasArgs && declaresAll(o, tool.Params):
		args = o // beside the name
	case text == "", described && hasArgs, strict && (!hasArgs || len(o) > 0):
		return nil
	case !hasArgs:
		args = o
	}
	if !strict && !known {
		if inner := e.callsIn(decoded(args)); e.areTools(inner) {
			return inner // a call of several at once
		}
	}
	return []call{{strings.TrimSpace(text), args}}
}

// declaresAll reports whether an object has arguments, and all are parameters.
func declaresAll(o map[string]any, params []string) bool {
	for key := range o {
		if !slices.Contains(params, key) {
			return false
		}
	}
	return len(o) > 0
}

// areTools reports whether there are calls, all of tools.
func (e *envelope) areTools(calls []call) bool {
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c call) bool { return !e.isTool(c.name) })
}
