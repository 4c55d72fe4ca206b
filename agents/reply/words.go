package reply

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// markKind is what a mark stands for.
type markKind int

const (
	markNone     markKind = iota
	markThought           // encloses a thought
	markEnvelope          // encloses calls
	markCall              // is a call itself: <function=NAME>, <invoke name="NAME">
	markEnd               // ends a turn
	markRole              // begins a turn
	markHeader            // begins a header, up to <|message|>
	markAround            // encloses an answer
	markResult            // encloses the result of a tool; a line that begins like one
	markToken             // a special token of no known meaning, of whatever template
	markBetween           // separates a name from its arguments
	// These have no brackets.
	markLead  // words at a line's beginning that calls follow: Action:
	markLine  // a tool's name and a colon at a line's beginning
	markName  // a tool's name with ( or {
	markValue // a value that begins like a call
	markFence // the first line of a code fence
)

// words are the words of marks, without what says that they open or close. The world has
// more spellings than a list can hold; the words are few. A word with "!" is a mark only in
// control brackets, such as <|…|>, because as a plain <…> it means something in HTML.
var words = map[markKind]string{
	markThought:  "think thinking thought thoughts reasoning reflection scratchpad scratch_pad inner_monologue !inner",
	markEnvelope: "tool_call tool_calls toolcall toolcalls function_call function_calls functioncall tool_request tool_requests tool_use use_mcp_tool tool tools tool_code action !python !python_tag !plugin",
	markCall:     "function invoke",
	markEnd:      "!im_end !endoftext !end_of_text !eot_id !eom_id !eot !eom !end !end_message !stop !return !call !end_of_turn_token !end_of_sentence end_of_turn /s eos",
	markRole:     "!im_start !start_header_id !user !assistant !system !observation !inst start_of_turn",
	markHeader:   "!start !channel !from !recipient",
	markAround:   "!text !solution !response !final_response answer response",
	markResult:   "tool_output tool_outputs tool_response tool_responses tool_result tool_results",
	markBetween:  "!sep tool_sep !role_sep !tool_call_argument !tool_argument !tool_arguments tool_name !args !call_id !constrain !message name arguments parameters",
}

// leads are words at a line's beginning that calls follow, in lower case.
var leads = []string{"action:", "tool call:", "function call:", "function call<|role_sep|>", "✿function✿:", "functools", "commentary to=", "to=functions.", ">>>"}

// mark is something in a text that isn't text, or may be something else.
type mark struct {
	from, to int
	kind     markKind
	word     string         // of the table; the signs of a fence
	attr     string         // the name in <function=NAME>, or of markLine and markName; the language of a fence
	args     map[string]any // of <tool_call name="NAME" key="value"/>: the attributes
	close    bool
	control  bool // not a plain <…>
	fresh    bool // nothing but marks stands before it on its line
	hidden   bool // it is only written about
}

// maxMark is the maximum length of a mark, in bytes.
const maxMark = 160

// meaning is what a word means in a mark, and whether it needs control brackets.
type meaning struct {
	kind    markKind
	control bool
}

// vocabulary returns the meaning of each word.
var vocabulary = sync.OnceValue(func() map[string]meaning {
	v := map[string]meaning{}
	for kind, list := range words {
		for _, word := range strings.Fields(list) {
			bare := strings.TrimPrefix(word, "!")
			v[bare] = meaning{kind, bare != word}
		}
	}
	return v
})

// status is the result of looking for something in a text that may still grow.
type status int

const (
	no status = iota
	yes
	more // the text ends too early to know
)

// pattern compiles a regular expression on first use, as every start of the program would pay
// for it.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// affixes are what says in a word that its mark opens or closes, in the order in which they are
// cut off: tool_calls_section_begin has a section behind its begin.
const affixes = "section start begin end of prefix suffix section"

var (
	nameAttr = pattern(`(?:^|\s)(?:name|tool|function)?\s*=\s*["']?([^"'\s>]+)`)
	attrs    = pattern(`\s([\w-]+)=(?:"([^"]*)"|'([^']*)')`)
)

// markAt returns the mark in brackets that begins at a place: <x>, [X], ◁x▷, <|x|>, <｜x｜>,
// with a slash, a family's name before a bar, and attributes.
func markAt(s string, at int, literals []literal) (m mark, st status) {
	rest := s[at:min(len(s), at+maxMark)]
	for _, l := range literals {
		switch {
		case strings.HasPrefix(rest, l.text):
			return mark{from: at, to: at + len(l.text), kind: l.kind, word: l.text, close: l.close, control: true}, yes
		case strings.HasPrefix(l.text, rest):
			st = more
		}
	}
	from, end := 1, ">"
	switch {
	case strings.HasPrefix(rest, "◁"):
		from, end = len("◁"), "▷"
	case strings.HasPrefix(rest, "[") && (len(rest) == 1 || rest[1] == '/' || rest[1] >= 'A' && rest[1] <= 'Z'):
		end = "]"
	case !strings.HasPrefix(rest, "<"):
		return m, st
	}
	body, _, whole := strings.Cut(rest[from:], end)
	inner := strings.TrimLeft(body, "|｜/")
	core := strings.TrimRight(inner, "|｜")
	opening, ending := body[:len(body)-len(inner)], inner[len(core):]
	core, single := strings.CutSuffix(core, "/")
	word, attributes := core, ""
	if i := strings.IndexAny(core, " ="); i >= 0 {
		word, attributes = core[:i], core[i:]
	}
	switch {
	case strings.ContainsFunc(word, func(r rune) bool { return (r >= utf8.RuneSelf || !isWord(r)) && !strings.ContainsRune("▁｜|:-", r) }),
		strings.ContainsAny(attributes, "<\n"), word == "" && attributes != "":
		return m, st
	case !whole && len(rest) < maxMark:
		return m, more
	case !whole || word == "":
		return m, st
	}
	family := strings.LastIndexAny(word, "|｜") // what stands before a bar is a family's name
	word = strings.TrimLeft(word[max(0, family):], "|｜")
	m.from, m.to, m.close = at, at+from+len(body)+len(end), strings.Contains(opening, "/")
	opening = strings.Trim(opening, "/")
	m.control = opening+ending != "" || family >= 0 || end != ">"
	m.close = m.close || ending != "" && opening == "" && end == ">" // Gemma opens with <|x> and closes with <x|>
	m.classify(word)
	isCall := m.kind == markCall || m.kind == markEnvelope
	if attributes != "" {
		if m.close || !isCall {
			return m, st
		}
		if single {
			m.setArgs(attributes)
			pop(m.args, nameKeys)
		}
		if name := nameAttr().FindStringSubmatch(attributes); name != nil {
			m.attr = name[1]
		}
	}
	// In square brackets, [END] and [USER] are words of an answer.
	if end == "]" && (strings.ToUpper(word) != word || attributes != "" || !isCall && m.kind != markThought && m.kind != markBetween && m.word != "inst") {
		m.kind = markNone
	}
	if m.kind == markNone {
		if (opening == "" || ending == "") && (end != "]" || !m.close) {
			return m, st
		}
		m.kind, m.word = markToken, word
	}
	return m, yes
}

// setArgs takes a mark's attributes as the arguments of its call.
func (m *mark) setArgs(attributes string) {
	m.args = map[string]any{}
	for _, pair := range attrs().FindAllStringSubmatch(attributes, -1) {
		m.args[pair[1]] = pair[2] + pair[3]
	}
}

// classify looks a word up: as it is, and each part of it beside a colon, the last one first,
// each whole, then without what says that the mark opens or closes.
func (m *mark) classify(raw string) {
	raw = strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(raw, "▁", "_"), "-", "_"))
	v := vocabulary()
	parts := []string{raw}
	if strings.Contains(raw, ":") {
		parts = append(strings.Split(raw, ":"), strings.ReplaceAll(raw, ":", "_"))
	}
	for _, word := range slices.Backward(parts) {
		closes := m.close
		if _, ok := v["/"+word]; ok && m.close {
			word = "/" + word
		}
		for _, affix := range strings.Fields(affixes) {
			if v[word].kind != markNone || !strings.Contains(word, "_") {
				break
			}
			cut := strings.TrimPrefix(strings.TrimSuffix(word, "_"+affix), affix+"_")
			closes = closes || cut != word && (affix == "end" || affix == "suffix")
			word = cut
		}
		for _, known := range []string{"tool_call", "tool_calls", "think"} {
			if strings.HasSuffix(word, "_"+known) {
				word = known // behind a family's name
			}
		}
		if entry := v[word]; entry.kind != markNone && (m.control || !entry.control) {
			m.kind, m.word, m.close = entry.kind, word, closes
			return
		}
	}
}

// namesEnvelope reports whether a fence's language is the name of an envelope: tool_code.
func namesEnvelope(language string) bool {
	entry := vocabulary()[language]
	return entry.kind == markEnvelope && !entry.control
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// literal is a mark of a template that is taken as it is.
type literal struct {
	text  string
	kind  markKind
	close bool
}

// Marks are the marks of one model's chat template. The zero value has none; the table of
// known words stands behind it.
type Marks struct {
	literal []literal
}

var (
	thinkingAction = pattern(`(\S*)\s*\{\{-?\s*\.(?:\w+\.)*Thinking\s*-?\}\}\s*([^\s{]*)`)
	answerAction   = pattern(`\{\{-?\s*\.(?:Content|Response)\s*-?\}\}\s*(?:\{\{-?\s*end\s*-?\}\}\s*)?([^\s{]+)`)
)

// MarksOf returns the marks of a chat template: what it writes around a thought and behind
// an answer. Only what can't be a word of an answer counts. The template is read, not run,
// because it is a stranger's program.
func MarksOf(template string) Marks {
	var m Marks
	add := func(text string, kind markKind, close bool) {
		if at := strings.LastIndex(text, "}}"); at >= 0 {
			text = text[at+len("}}"):]
		}
		if len(text) >= 3 && len(text) <= maxMark/2 && (strings.ContainsAny(text[:1], "<[]{|") || strings.HasPrefix(text, "◁")) {
			m.literal = append(m.literal, literal{text, kind, close})
		}
	}
	if found := thinkingAction().FindStringSubmatch(template); found != nil {
		add(found[1], markThought, false)
		add(found[2], markThought, true)
	}
	if found := answerAction().FindAllStringSubmatch(template, -1); found != nil {
		add(found[len(found)-1][1], markEnd, false)
	}
	return m
}
