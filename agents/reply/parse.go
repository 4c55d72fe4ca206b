package reply

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxCalls is the maximum number of calls of one reply that run.
	MaxCalls = 5
	maxBare  = 20_000    // bytes of a call outside an envelope
	maxVain  = 2_000_000 // bytes read in vain, after which a reply has no more calls
)

// item is something else than text in a reply, before it is decided what it is.
type item struct {
	from, to int
	kind     itemKind
	calls    []written
	before   ending // how the text before ends
	open     bool   // what follows may belong to it or not: its argument has no end of its own
	line     int    // where the first line of that ends
	begun    bool   // a task has begun on it
	why      string // why it is text, although it looks like a call
}

type itemKind int

const (
	itemThought itemKind = iota
	itemMark
	itemEnvelope // calls in an envelope
	itemBare     // calls without one
	itemFence    // calls in a code fence
	itemResult   // a made-up result, which ends everything
	itemShown    // text after all
)

// written is a call with the tool that it means.
type written struct {
	Call
	tool  Tool
	known bool
}

// reading is the reading of one whole reply, from its first byte to its last.
type reading struct {
	*scanner
	tools  *resolver
	quoted []Quoted
	items  []item

	noted    int    // up to where the text is taken note of
	hasText  bool   // there is text outside thoughts and marks
	lastText int    // where the last such text ends
	called   bool   // there is a call
	calledTo int    // where the last one ends
	over     bool   // a made-up result has ended everything
	ending   ending // how the last text before noted ends

	began    bool   // the reply began with a thought
	turns    int    // ends of thoughts that came without a beginning
	thinking bool   // in a thought that never ends, only calls in marks count
	text     int    // opening marks of thoughts that are text; so are as many closing ones
	around   bool   // a mark around the answer was opened
	endless  bool   // no closing mark of a thought follows
	inner    bool   // in a code fence, where only calls without an envelope count
	misfit   string // why a line that begins with a tool's name is no call
	vain     int
}

// Parse returns the parts of a whole reply, which ended for reason: "stop", or "" if the
// server gave none. A reply that ended otherwise has no calls that run, because its last
// one may be incomplete. Parse is pure and takes time linear in the length of the reply.
func Parse(whole, reason string, m Marks, tools []Tool, quoted []Quoted) []Part {
	r := &reading{scanner: newScanner(m, tools, quoted), tools: newResolver(tools), quoted: quoted}
	r.s, r.whole = whole, true
	r.pair()
	r.read()
	return r.parts(reason)
}

// read finds the items.
func (r *reading) read() {
	for {
		t, st := r.next()
		if st == no {
			return
		}
		if r.vain > maxVain && (t.kind != tokenMark || t.mark.kind == markEnvelope || t.mark.kind == markCall || t.mark.kind == markHeader) {
			r.skip(t)
			continue
		}
		switch t.kind {
		case tokenMark:
			r.mark(t)
		case tokenFence:
			r.readFence(t)
		case tokenAction:
			if r.thinking || r.inner {
				r.skip(t)
				continue
			}
			t.mark = mark{from: t.from, to: t.to, kind: markEnvelope}
			r.envelope(t)
		case tokenResult:
			if !r.called || r.thinking || !r.rest(t.from, itemResult) {
				r.skip(t)
			}
		default:
			switch {
			case r.thinking:
				r.skip(t)
			case t.isLine():
				r.directive(t)
			default:
				r.bare(t)
			}
		}
	}
}

// pairs are what models write around a thought at the beginning of a reply, in words. They
// count only if the thought is closed.
var pairs = []struct {
	open  string
	close []string
}{
	{"Thought:", []string{"\nAction:", "\nFinal Answer:"}},
	{"<unused94>thought", []string{"<unused95>"}},
	{"Here is my thought process:", []string{"Here is my response:"}},
	{"analysis", []string{"assistantfinal", "assistantcommentary"}},
}

// pair reads a thought between such words.
func (r *reading) pair() {
	from := r.behindBlanks(0)
	for _, p := range pairs {
		if !strings.HasPrefix(r.s[from:], p.open) {
			continue
		}
		end := mark{from: len(r.s)}
		for _, word := range p.close {
			if at := strings.Index(r.s, word); at >= 0 && at < end.from {
				end = mark{from: at, to: at + len(word)}
				if word == "\nAction:" {
					end.to = at + 1 // it says what follows
				}
			}
		}
		if r.steps += len(r.s); end.from < len(r.s) {
			r.began = true
			r.addThought(item{from: from, to: from + len(p.open), kind: itemMark}, end)
		}
		return
	}
}

// add appends an item and goes on behind it; fresh says that a line begins there.
func (r *reading) add(i item, fresh bool) {
	r.note(i.from)
	r.noted = i.to
	if i.calls != nil {
		r.called, r.calledTo, r.ending = true, i.to, nothing
	}
	r.over = r.over || i.kind == itemResult
	r.items = append(r.items, i)
	r.moveTo(i.to, fresh)
}

// skip leaves a token as text.
func (r *reading) skip(t token) {
	to := max(t.to, t.from+1)
	if t.kind == tokenName || t.kind == tokenAction {
		to = t.from + 1
	}
	r.moveTo(to, false)
}

// note takes note of the text before an item.
func (r *reading) note(before int) {
	text := strings.TrimSpace(r.s[r.noted:max(r.noted, before)])
	if text != "" && !r.over {
		r.hasText, r.lastText = true, before
		r.ending = endingOf(r.s[r.noted:before])
	}
	r.noted = max(r.noted, before)
}

// said reports whether there is text or a call before, outside thoughts and marks.
func (r *reading) said(before int) bool {
	return r.hasText || r.called || strings.TrimSpace(r.s[r.noted:before]) != ""
}

// behindItem reports whether nothing but blanks stands between the last item and a place,
// or the reply's beginning and it.
func (r *reading) behindItem(at int) bool { return strings.TrimSpace(r.s[r.noted:at]) == "" }

// lineBegins reports whether only blanks stand between the beginning of a line and a place.
func (r *reading) lineBegins(at int) bool {
	before := strings.TrimRight(r.s[max(0, at-maxMark):at], " \t")
	return before == "" && at <= maxMark || strings.HasSuffix(before, "\n")
}

// lineEnd returns where the line ends at a place.
func (r *reading) lineEnd(at int) int {
	line, _, _ := strings.Cut(r.s[at:], "\n")
	return at + len(line)
}

// lineEnds reports whether only blanks stand between a place and the end of the line.
func (r *reading) lineEnds(at int) bool {
	after := strings.TrimLeft(r.s[at:min(len(r.s), at+maxMark)], " \t\r")
	return after == "" || after[0] == '\n'
}

// mark reads what a mark begins, or leaves it as text.
func (r *reading) mark(t token) {
	m := t.mark
	switch {
	case m.kind == markEnvelope && !m.close, m.kind == markCall && !m.close:
		r.envelope(t)
		return
	case r.thinking && m.kind != markEnd && m.kind != markHeader:
	case m.kind == markThought && m.close:
		if r.closesThought(m) {
			return
		}
	case m.kind == markThought:
		if !t.hidden && r.opensThought(m) {
			return
		}
		r.text++
	case m.kind == markEnvelope || m.kind == markCall: // a stray closing mark behind a call
		if n := len(r.items); n > 0 && r.items[n-1].calls != nil && r.behindItem(m.from) {
			r.add(item{from: m.from, to: m.to, kind: itemMark}, false)
			return
		}
	case m.kind == markEnd:
		line := r.s[max(0, m.from-maxHead):m.from]
		line = strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:])
		if line != "" && strings.Trim(line, "-*+•–0123456789.)") == "" || m.word == "/s" && strings.Contains(line, "<s>") {
			break // the item of a list, or text that is struck out
		}
		behind := r.behindBlanks(m.to)
		if _, st := markAt(r.s, behind, r.literals); st == yes || behind == len(r.s) {
			r.add(item{from: m.from, to: m.to, kind: itemMark}, false)
			return
		}
	case m.kind == markRole:
		if r.role(m) {
			return
		}
	case m.kind == markHeader:
		if r.header(m) {
			return
		}
	case m.kind == markAround:
		if m.close && r.around || !m.close && r.behindItem(m.from) {
			r.around = !m.close
			r.add(item{from: m.from, to: r.behindBlanks(m.to), kind: itemMark}, true)
			return
		}
	case m.kind == markResult && !m.close && r.called:
		if r.rest(m.from, itemResult) {
			return
		}
	}
	r.skip(t)
}

// opensThought reads a thought that a mark opens.
func (r *reading) opensThought(m mark) bool {
	first := r.behindItem(m.from) && !r.said(m.from)
	if !first && !r.fresh && !r.behindItem(m.from) && (!r.began || r.sentence(m.from) != finished) {
		return false
	}
	if end, st := r.closing(m.to); st == yes {
		r.began = r.began || first
		r.addThought(item{from: m.from, to: m.to, kind: itemMark}, end)
		return true
	}
	r.endless = true
	rest := r.s[m.to:]
	letter, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
	if !first || strings.HasPrefix(rest, " ") && unicode.IsLower(letter) && !strings.Contains(rest, "\n") {
		return false
	}
	r.unclosed(item{from: m.from, to: m.to, kind: itemMark})
	return true
}

// addThought appends the opening mark, the thought and its closing mark, with the blanks
// behind it.
func (r *reading) addThought(open item, end mark) {
	r.add(open, true)
	r.add(item{from: open.to, to: end.from, kind: itemThought}, true)
	r.add(item{from: end.from, to: r.behindBlanks(end.to), kind: itemMark}, true)
}

func (r *reading) behindBlanks(at int) int {
	return len(r.s) - len(strings.TrimLeft(r.s[at:], " \t\r\n"))
}

// unclosed reads a thought that is never closed: all the rest is thought, but for the calls
// in marks that are the last thing in it.
func (r *reading) unclosed(open item) {
	r.add(open, true)
	first := len(r.items)
	said, lastText := r.hasText, r.lastText
	r.thinking = true
	r.read()
	end := len(r.s)
	keep := len(r.items)
	for keep > first && (r.items[keep-1].kind == itemEnvelope || r.items[keep-1].kind == itemMark) && strings.TrimSpace(r.s[r.items[keep-1].to:end]) == "" {
		keep--
		end = r.items[keep].from
	}
	last := append([]item{{from: open.to, to: end, kind: itemThought}}, r.items[keep:]...)
	r.items = append(r.items[:first], last...)
	r.noted = len(r.s)
	r.hasText, r.lastText = said, lastText
}

// closing finds the mark that ends a thought which begins here.
func (r *reading) closing(from int) (m mark, st status) {
	if r.endless {
		return m, no
	}
	at, judge := r.at, r.judge
	r.at, r.judge = from, true
	m, st = r.thoughtEnd()
	r.steps += r.at - from
	r.at, r.judge, r.fence = at, judge, ""
	return m, st
}

// closesThought takes a closing mark without an opening one: all before it is thought.
func (r *reading) closesThought(m mark) bool {
	if r.text > 0 {
		r.text--
		return false
	}
	if !r.closesHere(m) {
		return false
	}
	from := 0
	if len(r.items) > 0 && r.items[0].kind == itemMark && strings.TrimSpace(r.s[:r.items[0].from]) == "" {
		from = r.items[0].to
	}
	*r = reading{scanner: r.scanner, tools: r.tools, quoted: r.quoted, vain: r.vain, began: true, turns: r.turns + 1}
	if from > 0 {
		r.add(item{to: from, kind: itemMark}, true)
	}
	r.addThought(item{from: from, to: from, kind: itemMark}, m)
	return true
}

// closesHere reports whether a closing mark stands where models write one: at a line's
// beginning or end, or glued to what is before it, if that ends or something begins.
func (r *reading) closesHere(m mark) bool {
	if r.lineBegins(m.from) || r.lineEnds(m.to) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(r.s[:m.from])
	after, _ := utf8.DecodeRuneInString(r.s[m.to:])
	return !unicode.IsSpace(before) && (strings.ContainsRune(sentenceEnds, before) || unicode.IsUpper(after) || unicode.IsSpace(after) || strings.ContainsRune("<[{◁", after))
}

// ending is how the text before a place ends.
type ending int

const (
	nothing  ending = iota // there is none
	finished               // with a sentence
	colon
	sign // with something else that is no letter
	open // in the middle of a sentence
)

const sentenceEnds = ".!?…。！？"

// sentence returns how the text before a place ends, without thoughts and marks.
func (r *reading) sentence(at int) ending {
	if text := r.s[r.noted:at]; strings.TrimSpace(text) != "" {
		return endingOf(text)
	}
	return r.ending
}

// endingOf returns how a text ends. Behind a blank line, a sentence without its end counts
// as a sign.
func endingOf(text string) ending {
	trimmed := strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '*' || r == '_' })
	last, _ := utf8.DecodeLastRuneInString(trimmed)
	switch {
	case trimmed == text && strings.ContainsRune("\"'`([{<>“„«‹「『‘", last):
		return open // quoted, or in brackets
	case strings.ContainsRune(sentenceEnds, last):
		return finished
	case last == ':' || last == '：':
		return colon
	case !unicode.IsLetter(last) && !unicode.IsDigit(last) && !strings.ContainsRune(",;，、", last), strings.Count(text[len(trimmed):], "\n") > 1:
		return sign
	}
	return open
}

// rest takes all the rest as one item, because the model made it up, unless it hides the
// end of a thought that had no beginning.
func (r *reading) rest(from int, kind itemKind) bool {
	for at := from; ; {
		end, st := r.closing(at)
		if st == no {
			r.add(item{from: from, to: len(r.s), kind: kind}, true)
			return true
		}
		if r.closesHere(end) && !r.opens(at, end.from) {
			return false
		}
		at = end.to
	}
}

// opens reports whether a thought begins in a range, on a line of its own.
func (r *reading) opens(from, to int) bool {
	for at := from; at < to; at++ {
		if m, st := markAt(r.s, at, r.literals); st == yes && m.kind == markThought && !m.close && r.lineBegins(at) {
			return true
		}
	}
	return false
}

var roleHeader = regexp.MustCompile(`^([a-z ]*)(?:<\|end_header_id\|>)?`)

// role reads the header of a turn. That of a user, after something was said, ends the
// reply: what follows is a turn that the model made up.
func (r *reading) role(m mark) bool {
	name, to := m.word, m.to
	if strings.HasPrefix(name, "start_") || name == "im_start" {
		found := roleHeader.FindStringSubmatch(r.s[to:min(len(r.s), to+maxMark)])
		name, to = strings.TrimSpace(found[1]), to+len(found[0])
	}
	alone := r.lineBegins(m.from) && r.lineEnds(to) && r.sentence(m.from) != colon
	if m.close || !alone && (!r.behindItem(m.from) || to == m.to && name != "assistant" && len(r.items) == 0) {
		return false
	}
	switch {
	case name == "assistant", name == "model", !r.said(m.from):
	case r.called && (name == "observation" || name == "tool"):
		return r.rest(m.from, itemResult)
	default:
		return r.rest(m.from, itemMark)
	}
	r.add(item{from: m.from, to: r.behindBlanks(to), kind: itemMark}, true)
	return true
}

// messageHeader is the header of a message. Gemma writes <|channel>thought and a line break.
var messageHeader = regexp.MustCompile(`^<\|\w+(?:\|>(.*?)<\|message\|>|>(.*))`)

// header reads the header of a message: <|channel|>analysis<|message|> begins a thought, a
// recipient a call, anything else an answer.
func (r *reading) header(m mark) bool {
	if m.close || !r.behindItem(m.from) && !r.lineBegins(m.from) {
		return false
	}
	found := messageHeader.FindStringSubmatch(r.s[m.from:min(len(r.s), m.from+maxMark)])
	if found == nil {
		return false
	}
	text, to := found[1]+found[2], m.from+len(found[0])
	open := item{from: m.from, to: to, kind: itemMark}
	if _, name, ok := strings.Cut(text, "to="); ok {
		name = toolName.FindString(name)
		r.envelope(token{mark: mark{from: m.from, to: to, kind: markCall, attr: name}})
		return true
	}
	if r.thinking {
		return false
	}
	if !strings.Contains(text, "analysis") && vocabulary()[strings.TrimSpace(text)].kind != markThought {
		r.add(item{from: m.from, to: r.behindBlanks(to), kind: itemMark}, true)
		return true
	}
	r.began = r.began || !r.said(m.from)
	for at := to; at < len(r.s); at++ {
		if r.s[at] != '<' {
			continue
		}
		if end, st := markAt(r.s, at, r.literals); st == yes && (end.kind == markEnd || end.kind == markHeader) {
			if end.kind == markHeader && !end.close {
				end.to = end.from // begins the next message
			}
			r.steps += at - to
			r.addThought(open, end)
			return true
		}
	}
	r.unclosed(open)
	return true
}

// envelope reads an envelope.
func (r *reading) envelope(t token) {
	m := t.mark
	e := envelope{values: values{s: r.s, at: m.to, loose: true}, tools: r.tools}
	var ok bool
	if m.kind == markCall || m.attr != "" {
		ok = e.tagged(m)
	} else {
		ok = e.inside(m.word)
	}
	if e.at = min(e.at, len(r.s)); t.kind == tokenAction { // Action: ```json
		if behind := r.behindBlanks(e.at); strings.HasPrefix(r.s[behind:], "```") {
			e.at = behind + len("```")
		}
		rest := strings.TrimLeft(r.s[e.at:], " \t\r")
		ok = ok && (rest == "" || strings.IndexByte("\n<[", rest[0]) >= 0)
	}
	end := e.at
	if !ok || len(e.calls) == 0 {
		r.vain += max(e.at, e.far) - m.from
	}
	r.steps += max(e.at, e.far) - m.from
	hidden := t.hidden || r.enclosed(m.from, end)
	_, named := r.tools.find(m.attr)
	switch {
	case ok && len(e.calls) > 0 && hidden:
		r.moveTo(end, false)
	case ok && len(e.calls) > 0:
		i := item{from: m.from, to: end, kind: itemEnvelope}
		if t.kind == tokenAction {
			i.open, i.line = true, r.lineEnd(end)
			if tool, _ := r.tools.find(e.calls[0].name); tool.Long {
				i.line = r.lineEnd(m.to)
			}
			if thought := strings.LastIndex(r.s[r.noted:m.from], "\nThought:"); thought > 0 {
				i.before = endingOf(r.s[r.noted : r.noted+thought]) // the thought belongs to the action
			}
		}
		r.take(i, e.calls)
	case ok && !hidden && (e.closed || e.none):
		r.add(item{from: m.from, to: end, kind: itemMark}, false) // empty
	case !ok && !hidden && (named || broken.MatchString(r.s[m.to:min(len(r.s), m.to+maxMark)])):
		r.unreadable(m, e.calls)
	default:
		r.skip(t)
	}
}

// broken is the beginning of a call that can't be read.
var broken = regexp.MustCompile(`(?s)^\s*(?:[{[].{0,100}(?:name|arguments|function)["']?\s*:|<function=|<invoke )`)

// unreadable takes an envelope that can't be read as a call that doesn't run, up to its
// closing mark.
func (r *reading) unreadable(m mark, calls []call) {
	end := len(r.s)
	for at := m.to; at < len(r.s); at++ {
		if found, st := markAt(r.s, at, r.literals); st == yes && found.close && found.word == m.word {
			end = found.to
			break
		}
	}
	r.vain += end - m.to
	name := m.attr
	if len(calls) > 0 {
		name = calls[0].name
	}
	r.add(item{from: m.from, to: end, kind: itemEnvelope, before: r.sentence(m.from), calls: []written{{Call: Call{Name: name, Why: "the call can't be read: write it again in the exact form"}}}}, false)
}

// enclosed reports whether a range stands in a quotation, inline code or parentheses that
// began behind the last call.
func (r *reading) enclosed(from, to int) bool {
	before, after := r.s[max(r.calledTo, from-maxHead, 0):from], r.s[to:min(len(r.s), to+maxHead)]
	parens := 0
	var quote rune // that closes the open quotation
	for _, c := range before {
		switch closing := closings[c]; {
		case c == quote, quote == '”' && c == '“', quote == '“' && c == '”':
			quote = 0
		case quote != 0:
		case closing != 0:
			quote = closing
		case c == '(':
			parens++
		case c == ')':
			parens--
		}
	}
	return quote != 0 && strings.ContainsRune(after, quote) || parens > 0 && strings.Contains(after, ")")
}

// closings are the quotation marks by what opens them. German opens with what English
// closes with.
var closings = map[rune]rune{'"': '"', '`': '`', '“': '”', '„': '“', '«': '»', '‹': '›', '「': '」', '『': '』'}

// take appends an item with calls, each with its tool.
func (r *reading) take(i item, calls []call) {
	if i.before == nothing {
		i.before = r.sentence(i.from)
	}
	for _, c := range calls {
		tool, known := r.tools.find(c.name)
		agent := ""
		if tool.For != "" {
			agent = tool.Name
			tool, _ = r.tools.find(tool.For)
		}
		w := written{Call{Name: cmp.Or(tool.Name, c.name)}, tool, known}
		w.Args, w.Text = arguments(c.args, tool)
		switch {
		case agent == "":
		case w.Args == nil:
			w.Text = strings.TrimSpace(agent + " " + w.Text)
		case len(tool.Params) > 0:
			if _, given := w.Args[tool.Params[0]]; !given {
				w.Args[tool.Params[0]] = agent
			}
		}
		if !known {
			w.Why = fmt.Sprintf("there is no tool %.40s", w.Name)
		} else if tool.Fits != nil {
			if err := tool.Fits(w.Call); err != nil {
				w.Why = err.Error()
			}
		}
		i.calls = append(i.calls, w)
	}
	r.add(i, i.kind != itemEnvelope)
}

// arguments returns what a call's value says: named arguments, or text.
func arguments(value any, t Tool) (args map[string]any, text string) {
	for range 2 {
		if text, isText := value.(string); isText {
			if inner, ok := decoded(text); ok {
				value = inner
			}
		}
	}
	switch v := value.(type) {
	case nil:
		return map[string]any{}, ""
	case object:
		args = map[string]any{}
		for _, f := range v {
			if f.value != nil {
				args[f.key] = plain(f.value)
			}
		}
		return args, ""
	case []any:
		args = map[string]any{}
		for i, one := range v {
			if i < len(t.Params) && one != nil {
				args[t.Params[i]] = plain(one)
			}
		}
		if len(v) > len(t.Params) { // too many: its own text says more
			return nil, textOf(v)
		}
		return args, ""
	}
	return nil, textOf(value)
}
