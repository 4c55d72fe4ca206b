package reply

import (
	"regexp"
	"strings"
	"sync"
)

// markKind is what a mark of a chat template stands for.
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
	markResult            // encloses the result of a tool
	markBetween           // separates a name from its arguments
)

// words are the words of marks, without what says that they open or close. The world has
// more spellings than a list can hold; the words are few. A word with "!" is a mark only in
// control brackets, such as <|…|>, because as a plain <…> it means something in HTML.
var words = map[markKind]string{
	markThought:  "think thinking thought thoughts reasoning reflection scratchpad inner_monologue",
	markEnvelope: "tool_call tool_calls toolcall toolcalls function_call function_calls functioncall tool_use tool tools tool_code action !python !python_tag !plugin",
	markCall:     "function invoke",
	markEnd:      "!im_end !endoftext !end_of_text !eot_id !eom_id !eot !end !return !call !end_of_turn_token !end_of_sentence end_of_turn /s eos",
	markRole:     "!im_start !start_header_id !user !assistant !system !observation !inst start_of_turn",
	markHeader:   "!start !channel",
	markAround:   "!text !solution !response !final_response answer response",
	markResult:   "tool_output tool_outputs tool_response tool_responses tool_result tool_results",
	markBetween:  "!sep tool_sep !tool_call_argument !args !call_id !constrain !message name tool_name arguments parameters",
}

// mark is a mark in a text.
type mark struct {
	from, to int
	kind     markKind
	word     string
	attr     string // of <function=NAME> or <invoke name="NAME">: the name
	args     object // of <tool_call name="NAME" key="value"/>: the attributes
	close    bool
	control  bool // not a plain <…>
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

// fullMark and partMark match a mark and its beginning: brackets, a slash, a namespace
// between wide bars, the word, attributes.
var (
	fullMark = regexp.MustCompile(`^(<[|｜]?|\[|◁)(/?)(?:(｜?[\w▁:-]*｜))??([\w▁:-]+)([ =][^<>\n]*?)?(/?)([|｜]?>|\]|▷)`)
	partMark = regexp.MustCompile(`^(<[|｜]?|\[|◁)(/?)(?:(｜?[\w▁:-]*｜))?([\w▁:-]*)([ =][^<>\n]*)?[|｜]?$`)
	affixes  = regexp.MustCompile(`^(?:(?:start|begin|(end))_(?:of_)?)?(.+?)(?:_section)?(?:_(?:start|begin|prefix|(end|suffix)))?(?:_section)?$`)
	family   = regexp.MustCompile(`_(tool_calls?|think)$`)
	nameAttr = regexp.MustCompile(`(?:^|\s)(?:name|tool|function)?=\s*["']?([^"'\s>]+)`)
	attrs    = regexp.MustCompile(`\s([\w-]+)=(?:"([^"]*)"|'([^']*)')`)
)

// markAt returns the mark that begins at a place.
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
	begins := strings.HasPrefix(rest, "<") || strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "◁")
	if !begins || len(rest) > 1 && strings.IndexByte("<[{}]>()\"' \t\n", rest[1]) >= 0 {
		return m, st
	}
	found, result := fullMark.FindStringSubmatch(rest), yes
	if found == nil {
		if found, result = partMark.FindStringSubmatch(rest), more; found == nil || len(rest) == maxMark {
			return m, st
		}
		found = append(found, "", "")
	}
	open, end := found[1], found[7]
	m = mark{from: at, to: at + len(found[0]), close: found[2] != "", control: open != "<" || found[3] != ""}
	if len(end) > 1 && open == "<" && end[0] != "▷"[0] { // Gemma opens with <|x> and closes with <x|>
		m.close, m.control = true, true
	}
	m.classify(found[4])
	call := m.kind == markCall || m.kind == markEnvelope
	if m.attr = found[5]; m.attr != "" {
		if m.close || !call {
			return m, st
		}
		if found[6] != "" {
			m.args = object{}
			for _, pair := range attrs.FindAllStringSubmatch(m.attr, -1) {
				m.args = append(m.args, field{pair[1], pair[2] + pair[3]})
			}
		}
		m.attr = attribute(m.attr)
	}
	switch {
	case open == "[" && (found[4] == "" && found[2] == "" && result == yes || strings.ToUpper(found[4]) != found[4] || found[5] != ""):
		return m, st
	case result == more:
		return m, more
	case (open == "[") != (end == "]") || (open == "◁") != (end == "▷"), m.kind == markNone:
		return m, st
	case open == "[" && !call && m.kind != markThought && m.kind != markBetween && m.word != "inst":
		return m, st // [END] and [USER] are words of an answer
	}
	return m, yes
}

// attribute returns the name in `=NAME` or ` name="NAME" …`.
func attribute(text string) string {
	if found := nameAttr.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// classify looks a word up, first as it is, then without what says that the mark opens or
// closes.
func (m *mark) classify(raw string) {
	word := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(raw, "▁", "_"), "-", "_"))
	word = word[strings.LastIndexByte(word, ':')+1:]
	v := vocabulary()
	if _, ok := v["/"+word]; ok && m.close {
		word = "/" + word
	}
	if found := affixes.FindStringSubmatch(word); v[word].kind == markNone && found != nil {
		word = found[2]
		m.close = m.close || found[1]+found[3] != ""
		if known := family.FindStringSubmatch(word); known != nil {
			word = known[1]
		}
	}
	if entry := v[word]; m.control || !entry.control {
		m.kind, m.word = entry.kind, word
	}
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
	thinkingAction = regexp.MustCompile(`(\S*)\s*\{\{-?\s*\.(?:\w+\.)*Thinking\s*-?\}\}\s*([^\s{]*)`)
	answerAction   = regexp.MustCompile(`\{\{-?\s*\.(?:Content|Response)\s*-?\}\}\s*(?:\{\{-?\s*end\s*-?\}\}\s*)?([^\s{]+)`)
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
		if len(text) < 3 || len(text) > maxMark/2 || !strings.ContainsAny(text[:1], "<[◁]{|") && !strings.HasPrefix(text, "◁") {
			return
		}
		m.literal = append(m.literal, literal{text, kind, close})
	}
	if found := thinkingAction.FindStringSubmatch(template); found != nil {
		add(found[1], markThought, false)
		add(found[2], markThought, true)
	}
	if found := answerAction.FindAllStringSubmatch(template, -1); found != nil {
		add(found[len(found)-1][1], markEnd, false)
	}
	return m
}
