package reply

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxCalls is the maximum number of calls of one reply that run.
	MaxCalls   = 5
	maxBare    = 20_000    // bytes of a call outside an envelope
	maxVain    = 2_000_000 // bytes read in vain, after which a reply has no more calls
	maxWrapped = 4         // objects around the arguments of a call
	maxTaken   = 100       // groups of calls that are looked at
)

// item is a mark or what marks enclose, before it is decided what it is.
type item struct {
	from, to int
	kind     itemKind
	calls    []written
	before   ending // what the text before says of it
	quoted   bool   // something is open before it: a quotation, a bracket, somebody else's turn
	weak     bool   // a form that is as often a list or a heading
	open     bool   // its argument has no end of its own: what follows may belong to it
	line     int    // where the first line of that ends
	begun    bool   // a task has begun on it
	why      string // why it is text, although it looks like a call
	tool     string // the tool that why is about
}

type itemKind int

const (
	itemMark itemKind = iota
	itemThought
	itemEnvelope // calls in an envelope
	itemBare     // calls without one
	itemLine     // a line NAME: argument
	itemFence    // calls in a code fence
	itemOver     // a turn or a result that the model made up, which ends the reply
	itemShown    // text after all
)

// written is a call with the tool that it means.
type written struct {
	Call
	tool  Tool
	known bool
}

// reading folds the marks of one reply into items. Parse does so with the whole reply; the
// Shower with a reply that grows, up to what only its end decides.
type reading struct {
	scanner
	tools  *resolver
	quoted []Quoted
	items  []item

	said   bool   // there is text or a call before the last item
	called int    // where the last call ends
	front  string // the text before the last mark, since the last call
	seen   int    // where that mark ends
	swept  bool   // the blanks behind the last item belong to it
	tale   bool   // a turn or a result is written about: what looks like a call belongs to it
	over   int    // where a made-up result or turn begins, which ends everything; -1 if none does
	result bool   // it is a result

	arg    string   // the name of the directive whose argument goes on; "" if none does
	argAt  int      // where the argument begins
	limit  int      // where it ends at the latest
	opened mark     // the mark of the open thought
	saved  *reading // the state before it
	first  bool     // it is the first thing in the reply
	header bool     // it is a header's: only the end of a message closes it

	began    bool // the reply began with a thought
	endless  bool // no thought that begins from here on is closed
	unclosed int  // the number of items up to the opening mark of a thought that is never closed; 0 if there is none
	text     int  // opening marks of thoughts that are text; so are as many closing ones
	turns    int  // ends of thoughts that came without a beginning
	around   bool // a mark around the answer was opened
	stopped  bool // only the end of the reply decides

	unfit *written                                 // a line that begins with a tool's name, but is no call
	named map[string]struct{ written, named bool } // whether the person's message has a name
	stems map[string]bool                          // the beginnings of its words
}

func newReading(m Marks, tools []Tool, quoted []Quoted) *reading {
	return &reading{scanner: newScanner(m, tools, quoted), tools: newResolver(tools), quoted: quoted, over: -1, named: map[string]struct{ written, named bool }{}}
}

// Parse returns the parts of a whole reply, which ended for reason: "stop", or "" if the
// server gave none. A reply that ended otherwise has no calls that run, because its last
// one may be incomplete. Parse is pure and takes time linear in the length of the reply.
func Parse(whole, reason string, m Marks, tools []Tool, quoted []Quoted) []Part {
	r := newReading(m, tools, quoted)
	r.s, r.whole = whole, true
	r.read()
	return r.parts(reason)
}

// pair matches a thought between words at the beginning of a reply. They count only if the
// thought is closed.
var pair = pattern(`^(?s)\s*(?:Thought:|<unused94>thought|Here is my thought process:|analysis)(.*?)(?:\n(?:Action:|Final Answer:)|<unused95>|Here is my response:|assistant(?:final|commentary))`)

// read folds in all marks that are certain.
func (r *reading) read() {
	if r.whole {
		if at := pair().FindStringSubmatchIndex(r.s); at != nil {
			r.began = true
			r.add(item{to: at[2]}, true)
			r.endThought(at[2], mark{from: at[3], to: at[0] + len(strings.TrimSuffix(r.s[:at[1]], "Action:"))})
		}
	}
	for !r.stopped {
		if r.swept {
			rest := strings.TrimLeft(r.s[r.at:], blanks)
			to := len(r.s) - len(rest)
			if n := len(r.items); n > 0 {
				r.items[n-1].to = to
			}
			r.moveTo(to, true)
			if r.swept = rest == ""; r.swept {
				return
			}
		}
		m, st := r.next()
		if st == no {
			m.from = len(r.s)
		}
		if r.arg != "" && (m.from >= r.limit || r.endsArg(m)) {
			r.closeArg(min(m.from, r.limit))
			continue
		}
		switch {
		case st == no && r.thinking && r.whole:
			r.neverCloses()
		case st != yes || !r.fold(m):
			return
		}
	}
}

// add appends an item and goes on behind it; fresh says that a line begins there.
func (r *reading) add(i item, fresh bool) {
	r.said = r.said || strings.TrimSpace(r.s[r.done():i.from]) != ""
	if i.calls != nil {
		r.said, r.called, r.front, r.seen = true, i.to, "", i.to
	}
	if i.to > i.from {
		r.items = append(r.items, i)
	}
	r.moveTo(i.to, fresh)
}

// done returns where the last item ends.
func (r *reading) done() int {
	if n := len(r.items); n > 0 {
		return r.items[n-1].to
	}
	return 0
}

// skip leaves a mark as text. A text with marks of a template is about conversations: what
// looks like a call behind them belongs to one.
func (r *reading) skip(m mark) bool {
	about := (m.control || m.kind == markRole) && m.kind >= markEnd && m.kind <= markToken && !r.thinking && r.arg == ""
	r.tale = r.tale || about && (m.kind == markEnd || r.said || m.to-r.done() > maxMark || !echo().MatchString(r.s[r.done():m.to]))
	r.moveTo(max(m.to, m.from+1), false)
	r.begin = false
	return true
}

// stop stops the Shower: only the end of the reply decides.
func (r *reading) stop() bool {
	r.stopped = !r.whole
	return r.stopped
}

// isFirst reports whether nothing was said before a place.
func (r *reading) isFirst(at int) bool { return !r.said && r.behindItem(at) }

// behindItem reports whether nothing but blanks stands between the last item and a place,
// or the reply's beginning and it.
func (r *reading) behindItem(at int) bool { return strings.TrimSpace(r.s[r.done():at]) == "" }

// lineEnds reports whether only blanks stand between a place and the end of the line.
func (r *reading) lineEnds(at int) bool {
	after := strings.TrimLeft(r.s[at:min(len(r.s), at+maxMark)], " \t\r")
	return after == "" || after[0] == '\n'
}

// lineBegins reports whether only blanks stand between the beginning of a line and a place.
func (r *reading) lineBegins(at int) bool {
	before := strings.TrimRight(r.s[max(0, at-maxMark):at], " \t")
	return before == "" && at <= maxMark || strings.HasSuffix(before, "\n")
}

// fold takes in the next mark, or leaves it as text. It returns false if what follows, which
// isn't there yet, decides, or the end of the reply.
func (r *reading) fold(m mark) bool {
	front := r.inFront(m.from)
	if m.kind < markLead && !r.thinking {
		r.front, r.seen = front, m.to
	}
	isCall := !m.close && (m.kind == markEnvelope || m.kind == markCall)
	switch {
	case r.thinking:
		return r.inThought(m)
	case m.kind == markFence:
		return r.onFence(m, front)
	case m.kind == markThought && r.unclosed == 0:
		return r.onThought(m, front)
	case r.over >= 0, r.arg != "", r.vain > maxVain && m.kind >= markLead || r.vain > maxVain && (isCall || m.kind == markHeader),
		r.unclosed > 0 && !isCall && m.kind != markEnd && m.kind != markHeader:
	case isCall:
		return r.envelope(m, front)
	case m.kind == markEnvelope || m.kind == markCall: // a stray closing mark behind a call
		if n := len(r.items); n > 0 && r.items[n-1].calls != nil && r.behindItem(m.from) {
			r.add(item{from: m.from, to: m.to}, false)
			return true
		}
	case m.kind == markEnd:
		return r.onEnd(m)
	case m.kind == markToken:
	case m.kind == markRole:
		return r.onRole(m, front)
	case m.kind == markHeader:
		return r.onHeader(m, front)
	case m.kind == markAround:
		if m.close && r.around || !m.close && r.behindItem(m.from) {
			r.around = !m.close
			r.add(item{from: m.from, to: m.to}, true)
			r.swept = true
			return true
		}
	case m.kind == markResult:
		switch bracketed := strings.IndexByte("<[", r.s[m.from]) >= 0; {
		case !m.close && r.called > 0:
			r.over, r.result = m.from, true
		case !m.close && bracketed:
			r.tale = true
		}
	case r.stop():
		return false
	case m.kind == markLine:
		tool, _ := r.tools.find(m.attr)
		line, _, _ := strings.Cut(r.s[m.to:], "\n")
		i := item{from: m.from, to: m.to, kind: itemLine, before: r.standing(m.from, front), open: tool.Long, line: m.to + len(line), begun: len(strings.Fields(line)) > 1}
		i.weak = strings.TrimRight(strings.Trim(r.s[m.from:m.to], "*"), ":：") != m.attr
		if r.arg, r.argAt, r.limit = m.attr, m.to, i.line; i.open && i.begun {
			r.limit = len(r.s)
		}
		r.add(i, false)
		r.begin = false
		r.opened = m
		return true
	default:
		return r.bare(m, front)
	}
	return r.skip(m)
}

// inFront returns the text before a place, since the last call, without thoughts and marks: all
// of it, or the end.
func (r *reading) inFront(at int) string {
	text := r.s[min(at, max(r.seen, r.done())):at]
	switch {
	case strings.TrimSpace(text) == "":
		return r.front
	case r.front == "":
		return text
	}
	return r.front[max(0, len(r.front)-maxBefore):] + text[max(0, len(text)-maxBefore):]
}

// ending is how the text before a call ends, and so whether the model makes the call.
type ending int

const (
	nothing  ending = iota // there is none
	finished               // with the model's own sentence
	colon
	shown // with anything else: a title, a name, the middle of a sentence, a sign, another's words
)

// What a line begins with that is a sentence: a word, perhaps as the item of a list or behind a
// quotation; and with a name or a key, and what stands behind that. A remark's word names nobody.
var (
	sentence  = pattern(`^ {0,3}(?:[-*+•] +|\d+[.)]? +)?[*_¡¿\p{So}\p{Sk}\p{M}\x{200d} ]*(["„“«»‹›‚]?)[*_\p{Sk} ]*\pL[\pL\pM'’ ,，、\p{Pd}"”“«»‹›‘]`)
	label     = pattern(`^[^\pL]{0,24}(\pL(?:[^:>：|→\n.!?]|:\pN|\.\PZ|\. ?\p{Lu}){0,40}?\.?)(?:[:>|→][*_]*(?:[ \t]+|$)|：)[*_]*(.?)`)
	fenceLine = pattern("^\\s*(?:```|~~~)")
	remark    = pattern(`^(?i:note|nb|ps|hint|tip|warning|caution|important|hinweis|notiz|achtung|wichtig|remarque|attention|nota|aviso|attenzione|opmerking|let op|uwaga|obs|примечание|внимание|注|注意|备注)[*_ ]*$`)
)

// maxBefore is how much of the text before a call is read to see whether that announces it.
const maxBefore = 1000

// standing returns how the text before a call ends. A model makes a call behind nothing or
// behind its own sentences: each line since the last call is one, none names who speaks, and
// none but the last introduces anything except code. A header that the template asked for is
// nothing.
func (r *reading) standing(at int, front string) ending {
	text := strings.TrimRight(front[max(0, len(front)-maxBefore):], blanks)
	r.steps += len(text)
	if text == "" || !r.said && at-r.done() < maxMark && echo().MatchString(r.s[r.done():at]) {
		return nothing
	}
	end := finished
	if endingOf(text) == colon {
		end = colon
	}
	inCode, below := false, ""
	for from := len(text); from > 0; {
		to := from
		from = max(0, strings.LastIndexByte(text[:to], '\n'))
		one := strings.TrimRight(strings.TrimPrefix(text[from:to], "\n"), blanks)
		isFence := fenceLine().MatchString(one)
		named := label().FindStringSubmatch(one)
		switch {
		case one == "" || from == 0 && len(front) > maxBefore: // the beginning of the cut line isn't known
			continue
		case named != nil && named[2] != "" && !remark().MatchString(named[1]), below == "" && (isFence || isResult(one)):
			return shown
		case isFence:
			inCode = !inCode
		case inCode:
		case strings.HasPrefix(one, "    "), !isSentence(one, below != "" || r.lineBegins(at)), below != "" && !fenceLine().MatchString(below) && endingOf(one) == colon:
			return shown
		}
		below = one
	}
	return end
}

// spaced is how many letters a line of Thai or Lao has that is more than a title.
const spaced = 16

// isSentence reports whether a line ends as a sentence, and is more than a quotation. Thai and Lao
// have no sign for the end: there the end of a long line is one.
func isSentence(line string, whole bool) bool {
	found := sentence().FindStringSubmatch(line)
	if found == nil || found[1] != "" && opens(strings.TrimRightFunc(line, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })) {
		return false
	}
	letters := strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Thai, unicode.Lao) {
			return c
		}
		return -1
	}, line)
	return endingOf(line) != shown || whole && utf8.RuneCountInString(letters) >= spaced
}

// echo matches what may stand before a call at the beginning of a reply without being a sentence:
// the header of the assistant's turn, which the template asked for, and a keyword of the call.
var echo = pattern(`^\s*(?:<[|｜][^\s|｜]*[|｜]>(?:(?:assistant|model)<[|｜][^\s|｜]*[|｜]>)?|\]\S*\[|assistant|model|await)\s*$`)

// opens reports whether something opens in a text that doesn't close there: a quotation,
// brackets, an element or an environment. Which marks open a quotation, languages see
// differently. The bracket of a sad face opens nothing.
func opens(text string) bool {
	depth, quotes, low := 0, 0, 0
	for rest := text; rest != ""; {
		before := text[:len(text)-len(rest)]
		c, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		next, _ := utf8.DecodeRuneInString(rest)
		switch {
		case c == '"' || c == '„' || c != '‘' && c != '’' && unicode.In(c, unicode.Pi, unicode.Pf):
			quotes++
		case c == '‚':
			low++
		case c == '‘' || c == '’':
			low = max(0, low-1)
		case c == '(' && unicode.IsSpace(next) && sad().MatchString(before[max(0, len(before)-3):]):
		case unicode.Is(unicode.Ps, c), c == '<' && (isWord(next) || next == '!'), c == '\\' && strings.HasPrefix(rest, "begin"):
			depth++
		case unicode.Is(unicode.Pe, c), c == '<' && next == '/', c == '-' && strings.HasPrefix(rest, "->"), c == '\\' && strings.HasPrefix(rest, "end"):
			depth = max(0, depth-1)
		}
	}
	return depth > 0 || quotes%2 > 0 || low > 0
}

var sad = pattern(`(?:^|\s)[:;=][-']?$`)

// endingOf returns how a text ends, if nothing but that matters.
func endingOf(text string) ending {
	text = strings.TrimRightFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("*_\"')\u200d", r) || r > unicode.MaxASCII && r != '‘' && unicode.In(r, unicode.So, unicode.Sk, unicode.M, unicode.Pe, unicode.Pi, unicode.Pf)
	})
	last, _ := utf8.DecodeLastRuneInString(text)
	switch {
	case text == "":
		return nothing
	case last == ':' || last == '：':
		return colon
	case endsSentence(last):
		return finished
	}
	return shown
}

func endsSentence(r rune) bool {
	return r == '…' || r == '។' || unicode.Is(unicode.Sentence_Terminal, r)
}

// onThought takes in the mark of a thought outside one.
func (r *reading) onThought(m mark, front string) bool {
	switch {
	case m.close && r.text > 0:
		r.text--
	case m.close:
		if after := strings.TrimLeft(r.s[m.to:], " \t\r"); after == "" && !r.whole {
			return false
		}
		if !r.closesHere(m) {
			break
		}
		// All before is thought.
		head := 0
		if len(r.items) > 0 && r.items[0].kind == itemMark && strings.TrimSpace(r.s[:r.items[0].from]) == "" {
			head = r.items[0].to
		}
		*r = reading{scanner: r.scanner, tools: r.tools, quoted: r.quoted, began: true, endless: r.endless, turns: r.turns + 1, over: -1, named: r.named}
		r.add(item{to: head}, true)
		r.endThought(head, m)
		return true
	case m.hidden || r.endless || r.arg != "" || !m.fresh && !r.behindItem(m.from) && (!r.began || endingOf(front) != finished):
		r.text++
	default:
		r.openThought(m, false)
		return true
	}
	return r.skip(m)
}

// openThought begins a thought.
func (r *reading) openThought(m mark, header bool) {
	saved := *r
	saved.saved = nil
	first := r.isFirst(m.from)
	r.add(item{from: m.from, to: m.to}, true)
	r.opened, r.saved, r.first, r.header, r.thinking, r.began = m, &saved, first, header, true, r.began || first
}

// endThought appends a thought and the mark that ends it, with the blanks behind it.
func (r *reading) endThought(from int, end mark) {
	r.add(item{from: from, to: end.from, kind: itemThought}, true)
	r.add(item{from: end.from, to: end.to}, true)
	r.thinking, r.saved, r.fence, r.swept = false, nil, "", end.to > end.from
}

// inThought takes in a mark in a thought, of which only its end counts: the first closing
// mark of any word, or the end of a message.
func (r *reading) inThought(m mark) bool {
	closes := m.kind == markThought && m.close && !r.header
	switch {
	case m.kind == markFence:
		if _, _, closed := r.fenceEnd(m.to, m.word); closed || !r.whole {
			r.fence = m.word
		}
		r.moveTo(m.to, true)
		return true
	case r.header && m.kind == markEnd && m.word != "call", r.header && m.kind == markHeader && m.close:
		closes = true
	case r.header && m.kind == markHeader:
		found := messageHeader().FindString(r.s[m.from:min(len(r.s), m.from+maxMark)])
		if found == "" && !r.whole && len(r.s) < m.from+maxMark {
			return false
		}
		if closes = strings.Contains(found, "final"); closes {
			m.to = m.from
		}
	}
	if !closes {
		return r.skip(m)
	}
	r.endThought(r.done(), m)
	return true
}

// neverCloses goes back to the mark of a thought that has no end: all the rest is thought,
// but for the calls in marks that are the last thing in it; or the mark is text.
func (r *reading) neverCloses() {
	m, first, header, steps := r.opened, r.first, r.header, r.steps
	*r = *r.saved
	r.endless, r.steps = true, steps
	rest := r.s[m.to:]
	letter, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
	if !header && (!first || strings.HasPrefix(rest, " ") && unicode.IsLower(letter) && !strings.Contains(rest, "\n")) {
		r.text++
		r.skip(m)
		return
	}
	r.add(item{from: m.from, to: m.to}, true)
	r.unclosed = len(r.items)
}

// closesHere reports whether a closing mark stands where models write one: at a line's
// beginning or end, or glued to what is before it, if that ends or something begins.
func (r *reading) closesHere(m mark) bool {
	if r.lineBegins(m.from) || r.lineEnds(m.to) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(r.s[:m.from])
	after, _ := utf8.DecodeRuneInString(r.s[m.to:])
	return !unicode.IsSpace(before) && (endsSentence(before) || unicode.IsUpper(after) || unicode.IsSpace(after) || strings.ContainsRune("<[{◁", after))
}

// onEnd takes in an end mark, if nothing but marks follows.
func (r *reading) onEnd(m mark) bool {
	line := r.s[max(0, m.from-maxNear):m.from]
	line = strings.TrimSpace(line[strings.LastIndexByte(line, '\n')+1:])
	if line != "" && strings.Trim(line, "-*+•–0123456789.)") == "" || m.word == "/s" && strings.Contains(line, "<s>") {
		return r.skip(m) // the item of a list, or text that is struck out
	}
	behind := len(r.s) - len(strings.TrimLeft(r.s[m.to:], blanks))
	_, st := markAt(r.s, behind, r.literals)
	switch {
	case !r.whole && (st == more || behind == len(r.s)):
		return false
	case st != yes && behind < len(r.s):
		return r.skip(m)
	}
	r.add(item{from: m.from, to: m.to}, false)
	return true
}

var roleHeader = pattern(`^([a-z ]*)(?:<\|end_header_id\|>)?`)

// onRole takes in the header of a turn. That of a user, after something was said, ends the
// reply: what follows is a turn that the model made up.
func (r *reading) onRole(m mark, front string) bool {
	name, to := m.word, m.to
	if strings.HasPrefix(name, "start_") || name == "im_start" {
		found := roleHeader().FindStringSubmatch(r.s[to:min(len(r.s), to+maxMark)])
		name, to = strings.TrimSpace(found[1]), to+len(found[0])
	}
	if !r.whole && !strings.Contains(r.s[m.to:], "\n") && len(r.s)-m.to < maxHeld/2 {
		return false
	}
	alone := m.fresh && r.lineEnds(to) && endingOf(front) != colon
	isFirst := r.isFirst(m.from)
	switch {
	case m.close || m.hidden || !alone && (!r.behindItem(m.from) || to == m.to && name != "assistant" && len(r.items) == 0):
		r.seen = to
		return r.skip(m)
	case name == "assistant", name == "model", isFirst:
		r.add(item{from: m.from, to: to}, true)
		r.swept, r.seen, r.tale = isFirst, to, r.tale || name != "assistant" && name != "model" && name != ""
		return true
	}
	r.over = m.from
	return !r.stop() && r.skip(m)
}

// messageHeader matches the header of a message. Gemma writes <|channel>thought and a line
// break. recipient matches the tool in it.
var (
	messageHeader = pattern(`^<\|\w+(?:\|>((?s:.*?)<\|(?:message|content)\|>)|>(.*))`)
	recipient     = pattern(`(?:\bto=|<\|recipient\|>\s*)([\pL\pN_./-]+)`)
)

// onHeader takes in the header of a message: <|channel|>analysis<|message|> begins a
// thought, a recipient a call, anything else an answer.
func (r *reading) onHeader(m mark, front string) bool {
	if m.close || !r.behindItem(m.from) && !m.fresh {
		return r.skip(m)
	}
	found := messageHeader().FindStringSubmatch(r.s[m.from:min(len(r.s), m.from+maxMark)])
	if !r.whole && len(r.s)-m.from < maxMark && (found == nil || found[1] == "" && !strings.Contains(r.s[m.from:], "\n")) {
		return false
	} else if found == nil {
		return r.skip(m)
	}
	m.to = m.from + len(found[0])
	r.seen = m.to
	to := recipient().FindStringSubmatch(found[0])
	text := strings.TrimSpace(found[2])
	switch {
	case to != nil && to[1] != "all":
		m.kind, m.attr = markCall, to[1]
		return r.envelope(m, front)
	case r.unclosed > 0:
		return r.skip(m)
	case strings.HasPrefix(found[1], "user") && !r.isFirst(m.from):
		r.over = m.from // a turn of the user that the model made up
		return !r.stop() && r.skip(m)
	case strings.Contains(found[1], "analysis") || vocabulary()[text].kind == markThought:
		r.openThought(m, true)
	default:
		r.add(item{from: m.from, to: m.to}, true)
		r.swept = true
	}
	return true
}

// broken is the beginning of a call that can't be read.
var broken = pattern(`(?s)^\s*(?:[{[].{0,100}(?:name|arguments|function)["']?\s*:|<function=|<invoke )`)

// envelope takes in an envelope.
func (r *reading) envelope(m mark, front string) bool {
	if after := r.s[m.to:]; !r.whole {
		switch {
		case m.hidden && after != "" && strings.IndexByte("\"'`*) ", after[0]) >= 0:
			return r.skip(m)
		case strings.TrimLeft(after, blanks) != "" || len(after) > maxHeld:
			r.stop()
		}
		return false
	}
	_, named := r.tools.find(m.attr)
	if name := r.s[m.from:m.to]; m.attr == "" {
		name = strings.TrimRight(name[strings.LastIndexByte(name, ':')+1:], ">")
		if _, named = r.tools.find(name); named { // <tool:NAME>
			m.attr = name
		}
	}
	e := envelope{values: values{s: r.s, at: m.to, loose: true}, tools: r.tools}
	ok := e.inside(m)
	e.at = min(e.at, len(r.s))
	isCall := ok && len(e.calls) > 0
	if r.steps += max(e.at, e.far) - m.from; !isCall {
		r.vain += max(e.at, e.far) - m.from
	}
	switch {
	case isCall:
		i := item{from: m.from, to: e.at, kind: itemEnvelope, before: r.standing(m.from, front)}
		i.quoted = m.hidden
		r.take(i, e.calls)
	case m.hidden:
		r.skip(m)
	case ok && (e.closed || e.none) && (m.fresh || r.behindItem(m.from)):
		r.add(item{from: m.from, to: e.at}, false) // empty
	case !ok && (named || broken().MatchString(r.s[m.to:min(len(r.s), m.to+maxMark)])):
		end := len(r.s) // of what can't be read
		for at := m.to; at < end; at++ {
			if found, st := markAt(r.s, at, r.literals); st == yes && found.close && found.word == m.word {
				end = found.to
			}
		}
		r.vain += end - m.to
		name := m.attr
		if len(e.calls) > 0 {
			name = e.calls[0].name
		}
		r.add(item{from: m.from, to: end, kind: itemEnvelope, before: endingOf(front), calls: []written{{Call: Call{Name: name, Why: "the call can't be read: write it again in the exact form"}}}}, false)
	default:
		r.skip(m)
	}
	return true
}

// bare takes in calls without an envelope: NAME(…), NAME{…}, a list of these, JSON, or any
// of them behind words like Action:. Whether they are meant is decided at the end, by what
// stands around them.
func (r *reading) bare(m mark, front string) bool {
	e := envelope{values: values{s: r.s[:min(len(r.s), m.from+maxBare)], at: m.from}, tools: r.tools, names: r.names}
	if m.kind == markLead {
		e.names, e.lead, e.at = nil, true, m.to
	}
	ok := e.inside(m) && len(e.calls) > 0
	for _, c := range e.calls {
		tool, _ := r.tools.find(c.name)
		ok = ok && (m.kind == markLead || tool.For == "") // {"name": "coder", …} may be anything
	}
	i := item{from: m.from, to: e.at, kind: itemBare}
	if m.kind == markLead && ok {
		for _, word := range []string{"\nThought:", "\n**Thought:"} {
			if thought := strings.LastIndex("\n"+front, word); thought >= 0 {
				front = front[:max(0, thought-1)] // the thought belongs to the action
			}
		}
		rest := strings.TrimLeft(r.s[e.at:], " \t\r`")
		ok = ok && (rest == "" || strings.IndexByte("\n<[", rest[0]) >= 0)
		line, _, _ := strings.Cut(r.s[e.at:], "\n")
		i.weak, i.open, i.line = true, true, e.at+len(line)
	}
	if r.steps += max(e.far, e.at) - m.from; !ok {
		r.vain += max(e.far, e.at) - m.from
		return r.skip(m)
	}
	i.before = r.standing(m.from, front)
	r.take(i, e.calls)
	return true
}

// onFence takes in a code fence that holds nothing but calls. Any other is shown.
func (r *reading) onFence(m mark, front string) bool {
	named := namesEnvelope(m.attr)
	body, end, closed := len(r.s), len(r.s), false
	switch {
	case r.arg != "" || r.unclosed > 0 || r.over >= 0 || r.vain > maxVain:
	case r.whole:
		body, end, closed = r.fenceEnd(m.to, m.word)
	case named:
		r.stop()
		return false
	default:
		inner := scanner{s: r.s[m.to:], names: r.names, plain: r.plain, begin: true, fresh: true}
		found, st := inner.next()
		blank := strings.TrimSpace(inner.s[:inner.at]) == ""
		if blank && (st == yes && found.kind != markFence || st != yes && len(inner.s) < maxHeld) {
			r.stopped = st == yes
			return false
		}
	}
	if closed {
		e := envelope{values: values{s: r.s[:body], at: m.to, loose: named}, tools: r.tools, names: r.names, lines: true}
		i := item{from: m.from, to: end, kind: itemFence}
		if named {
			e.names, i.kind = nil, itemEnvelope
		}
		if e.inside(m) && len(e.calls) > 0 && strings.Trim(r.s[min(e.at, body):body], blanks+",;)]}") == "" {
			i.before = r.standing(m.from, front)
			r.take(i, e.calls)
			return true
		}
		r.vain += body - m.to
		r.steps += body - m.to
	}
	r.moveTo(m.to, true)
	r.fence = m.word
	return true
}

// endsArg reports whether a mark ends the argument of a directive: another directive, a
// made-up result or turn, or the end of something at the line's end.
func (r *reading) endsArg(m mark) bool {
	switch m.kind {
	case markLine, markResult:
		return true
	case markRole, markToken:
		return m.fresh && !m.hidden
	case markThought:
		return m.close && r.text == 0 && (r.lineEnds(m.to) || r.closesHere(m))
	case markEnd:
		return r.lineEnds(m.to)
	case markEnvelope:
		return m.close && r.lineEnds(m.to)
	}
	return false
}

// closeArg ends the argument of a directive. A long one goes on over the next lines, if the
// task has begun on the line.
func (r *reading) closeArg(end int) {
	name, arg := r.arg, strings.TrimSpace(r.s[r.argAt:end])
	around := strings.Replace(r.opened.word, "[", "]", 1)
	if rest, ok := strings.CutPrefix(arg, around); ok { // **NAME:**
		arg = strings.TrimSpace(rest)
	} else { // **NAME: …**
		arg = strings.TrimSpace(strings.TrimSuffix(arg, around))
	}
	var value any = arg
	if name == foreignName {
		name, arg, _ = strings.Cut(arg, " ")
		value = decoded(strings.TrimSpace(arg))
	}
	n := len(r.items) - 1
	i := r.items[n]
	r.items = r.items[:n]
	i.to, r.arg, r.fence = end, "", ""
	r.take(i, []call{{name, value}})
}

// take appends an item with calls, each with its tool.
func (r *reading) take(i item, calls []call) {
	for _, c := range calls {
		w := written{Call: Call{Name: c.name}}
		if w.tool, w.known = r.tools.find(c.name); !w.known {
			w.Why = fmt.Sprintf("there is no tool %.40s", c.name)
		}
		agent := ""
		if w.tool.For != "" {
			agent = w.tool.Name
			w.tool, _ = r.tools.find(w.tool.For)
		}
		w.Name = cmp.Or(w.tool.Name, c.name)
		if w.Args, w.Text = arguments(c.args, w.tool.Params); agent != "" && w.Args == nil {
			w.Text = strings.TrimSpace(agent + " " + w.Text)
		} else if agent != "" && w.Args[w.tool.Params[0]] == nil {
			w.Args[w.tool.Params[0]] = agent
		}
		if w.tool.Fits != nil {
			if err := w.tool.Fits(w.Call); err != nil {
				w.Why = err.Error()
			}
		}
		if isForm(w.Call) {
			w.Why = "its arguments only say what belongs there: write the values"
		}
		i.calls = append(i.calls, w)
	}
	if i.quoted = i.quoted || r.tale || opens(r.s[r.done():i.from]); i.quoted {
		i.before = shown
	}
	r.vain += maxVain / maxTaken
	r.add(i, i.kind != itemEnvelope && !strings.HasPrefix(r.s[i.to:], "\n"))
}

// placeholder matches a text that stands for a value, or names its type.
var placeholder = pattern(`^\s*(?:string|integer|number|boolean|object|array|<[^<>]*>|\.\.\.|…)\s*$`)

// isForm reports whether a call has only descriptions of its arguments: a schema, or an
// example of the form.
func isForm(c Call) bool {
	if c.Args == nil {
		return placeholder().MatchString(c.Text)
	}
	_, isSchema := c.Args["properties"].(map[string]any)
	return isSchema && c.Args["type"] == "object" || isDescribed(c.Args)
}

func isDescribed(values map[string]any) bool {
	for _, value := range values {
		text, isText := value.(string)
		object, isObject := value.(map[string]any)
		_, typed := object["type"]
		if isText && !placeholder().MatchString(text) || isObject && !typed && !isDescribed(object) || !isText && !isObject {
			return false
		}
	}
	return len(values) > 0
}

// arguments returns what a call's value says: arguments with names, or text. Those of a list
// have the names of the parameters in their order.
func arguments(value any, params []string) (args map[string]any, text string) {
	value = decoded(value)
	if held := declared(value, params, 0); held != nil {
		value = held
	}
	list, isList := value.([]any)
	args, isObject := value.(map[string]any)
	if value != nil && !isObject && (!isList || len(list) > len(params)) {
		return nil, textOf(value)
	}
	named := map[string]any{}
	maps.Copy(named, args)
	for i, one := range list {
		named[params[i]] = one
	}
	maps.DeleteFunc(named, func(_ string, one any) bool { return one == nil })
	return named, ""
}

// declared returns the arguments of a tool in a value: the object that has one of its parameters,
// whatever it is wrapped in, or a list of pairs of a parameter's name and its value. Nil if there
// are none.
func declared(value any, params []string, depth int) map[string]any {
	var inner any
	switch v := value.(type) {
	case map[string]any:
		for name, one := range v {
			if slices.ContainsFunc(params, func(param string) bool { return strings.EqualFold(param, name) }) {
				return v
			}
			inner = one
		}
		if len(v) != 1 {
			return nil
		}
	case []any:
		pairs := map[string]any{}
		for _, one := range v {
			pair, _ := one.(map[string]any)
			name, content := "", any(nil)
			for _, value := range pair {
				if text, _ := value.(string); slices.Contains(params, text) {
					name += text // of two names none is one
				} else {
					content = value
				}
			}
			if len(pair) == 2 && slices.Contains(params, name) {
				pairs[name] = content
			}
		}
		if len(pairs) > 0 && len(pairs) == len(v) {
			return pairs
		}
		if len(v) != 1 {
			return nil
		}
		inner = v[0]
	}
	inner = decoded(inner)
	if _, isText := inner.(string); inner == nil || isText || depth == maxWrapped {
		return nil
	}
	return declared(inner, params, depth+1)
}
