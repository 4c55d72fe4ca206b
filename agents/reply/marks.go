package reply

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
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

// bracket describes a way to write a mark.
type bracket struct{ open, end string }

var brackets = []bracket{{"<|", "|>"}, {"<｜", "｜>"}, {"<", ">"}, {"[", "]"}, {"◁", "▷"}}

// markAt returns the mark that begins at a place.
func markAt(s string, at int, literals []literal) (mark, status) {
	rest := s[at:min(len(s), at+maxMark)]
	for _, l := range literals {
		if strings.HasPrefix(rest, l.text) {
			return mark{from: at, to: at + len(l.text), kind: l.kind, word: l.text, close: l.close, control: true}, yes
		}
	}
	result := no
	for _, l := range literals {
		if strings.HasPrefix(l.text, rest) {
			result = more
		}
	}
	for _, b := range brackets {
		if !strings.HasPrefix(rest, b.open) {
			if strings.HasPrefix(b.open, rest) {
				result = more
			}
			continue
		}
		m, st := bracketed(rest, b)
		m.from, m.to = m.from+at, m.to+at
		if st == yes {
			return m, yes
		}
		if st == more {
			result = more
		}
		if b.open != "<" {
			break
		}
	}
	return mark{}, result
}

// bracketed reads a mark at the beginning of a text.
func bracketed(s string, b bracket) (m mark, st status) {
	i := len(b.open)
	m.control = b.open != "<"
	if strings.HasPrefix(s[i:], "/") {
		m.close = true
		i++
	}
	wide := b.open == "<｜"
	if strings.HasPrefix(s[i:], "｜") { // </｜DSML｜invoke>
		i += len("｜")
		wide, m.control = true, true
	}
	begin := i
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && !utf8.FullRuneInString(s[i:]) {
			return m, more
		}
		if !(r == '_' || r == '▁' || r == '-' || r == ':' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') {
			break
		}
		i += size
	}
	raw := s[begin:i]
	if i == len(s) {
		return m, moreIf(s)
	}
	if b.open == "[" && (raw == "" || strings.ToUpper(raw) != raw) {
		return m, no
	}
	rest := s[i:]
	if after, ok := strings.CutPrefix(rest, "｜"); ok && wide && !strings.HasPrefix(after, ">") { // <｜DSML｜invoke name="x">: a namespace
		if after == "" {
			return m, moreIf(s)
		}
		inner, st := bracketed("<"+after, bracket{"<", ">"})
		inner.close, inner.control = inner.close || m.close, true
		inner.to += i + len("｜") - 1
		return inner, st
	}
	if raw == "" {
		return m, no
	}
	ends := []string{b.end}
	switch b.open {
	case "<":
		ends = []string{">", "|>", "｜>"}
	case "<|":
		ends = []string{"|>", ">"} // Gemma opens with <|x> and closes with <x|>
	case "<｜":
		ends = []string{"｜>", ">"}
	}
	for k, end := range ends {
		if strings.HasPrefix(rest, end) {
			if b.open == "<" && k > 0 {
				m.close, m.control = true, true
			}
			m.to = i + len(end)
			m.classify(raw)
			if b.open == "[" && (m.kind == markEnd || m.kind == markHeader || m.kind == markAround || m.kind == markRole && m.word != "inst") {
				return m, no // [END] and [USER] are words of an answer
			}
			return m, known(m)
		}
		if strings.HasPrefix(end, rest) {
			return m, moreIf(s)
		}
	}
	if b.open == "[" || m.close || rest[0] != '=' && rest[0] != ' ' {
		return m, no
	}
	if m.classify(raw); m.kind != markCall && m.kind != markEnvelope {
		return m, no
	}
	stop := strings.IndexAny(rest, "><\n")
	if stop < 0 {
		return m, moreIf(s)
	}
	if rest[stop] != '>' {
		return m, no
	}
	if m.attr = attribute(rest[:stop]); strings.Count(rest[:stop], "=") > 1 {
		return m, no // arguments as attributes aren't read
	}
	m.to = i + stop + 1
	return m, known(m)
}

func known(m mark) status {
	if m.kind == markNone {
		return no
	}
	return yes
}

// moreIf reports that a mark may go on, unless it is too long already.
func moreIf(s string) status {
	if len(s) >= maxMark {
		return no
	}
	return more
}

// attribute returns the name in `=NAME` or ` name="NAME" …`.
func attribute(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "="); ok {
		return strings.Trim(strings.TrimSpace(rest), `"'`)
	}
	for _, key := range []string{"name=", "tool=", "function="} {
		at := strings.Index(" "+text, " "+key)
		if at < 0 {
			continue
		}
		value := text[at+len(key):]
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			value, _, _ = strings.Cut(value[1:], value[:1])
			return value
		}
		value, _, _ = strings.Cut(value, " ")
		return value
	}
	return ""
}

// classify looks a word up, first as it is, then without what says that the mark opens or
// closes.
func (m *mark) classify(raw string) {
	word := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(raw, "▁", "_"), "-", "_"))
	if at := strings.LastIndexByte(word, ':'); at >= 0 {
		word = word[at+1:]
	}
	v := vocabulary()
	if _, ok := v["/"+word]; ok && m.close {
		word = "/" + word
	}
	if _, ok := v[word]; !ok {
		for _, prefix := range []string{"start_", "begin_", "end_"} {
			if rest, ok := strings.CutPrefix(word, prefix); ok {
				word = strings.TrimPrefix(rest, "of_")
				m.close = m.close || prefix == "end_"
				break
			}
		}
		for _, suffix := range []string{"_start", "_begin", "_prefix", "_end", "_suffix"} {
			if rest, ok := strings.CutSuffix(word, suffix); ok {
				word = rest
				m.close = m.close || suffix == "_end" || suffix == "_suffix"
				break
			}
		}
		word = strings.TrimSuffix(word, "_section")
		for _, known := range []string{"tool_call", "tool_calls", "think"} { // behind a family's name
			if strings.HasSuffix(word, "_"+known) {
				word = known
			}
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
