package reply

import (
	"strings"
	"unicode/utf8"
)

// scanner finds the marks of a reply, one after the other. It passes over what is shown and
// not meant: inline code, quotations, indented code, rows of tables, and code fences once
// the reader says so.
type scanner struct {
	s        string
	at       int
	whole    bool // the text doesn't grow any more
	literals []literal
	names    map[string]bool // of tools, as they are written outside envelopes
	asked    map[string]bool // words of marks that the person's message holds
	plain    *[256]bool      // bytes that begin nothing

	begin    bool   // a line begins at at
	fresh    bool   // nothing but marks stands before on the line
	blank    bool   // the line before is blank, or there is none
	indented bool   // the line before is indented code
	passing  bool   // the rest of the line is passed over
	fence    string // the open fence
	thinking bool   // in a thought, where only its end counts
	shut     [2]int // fences of so many backquotes and tildes, or more, never close
	steps    int    // bytes looked at
	vain     int    // bytes that were read in vain
}

const (
	maxHeld = 120     // bytes that are held because of what may still be a mark
	maxCode = 100_000 // bytes of inline code
	maxHead = 240     // bytes of a value that are read to see whether it is a call
	minVain = 10      // bytes that a look at a value counts as, at least
	maxNear = 400     // bytes around a mark in which quotation marks may enclose it
)

// foreignName is the name of the directive for the tools of other programs.
const foreignName = "MCP"

func newScanner(m Marks, tools []Tool, quoted []Quoted) scanner {
	s := scanner{literals: m.literal, names: map[string]bool{}, asked: map[string]bool{}, plain: &[256]bool{}, begin: true, fresh: true, blank: true}
	for _, t := range tools {
		if t.For == "" && strings.ToUpper(t.Name) == t.Name {
			s.names[t.Name] = true
		}
		if strings.Contains(t.Name, ".") {
			s.names[foreignName] = true
		}
	}
	begins := "\n`<[{◁"
	for name := range s.names {
		begins += name[:1]
	}
	for _, l := range m.literal {
		begins += l.text[:1]
	}
	for b := range s.plain {
		s.plain[b] = strings.IndexByte(begins, byte(b)) < 0
	}
	for _, q := range quoted {
		for at := 0; q.Own && at < len(q.Text); at++ {
			if m, st := markAt(q.Text, at, s.literals); st == yes {
				s.asked[m.word] = true
			}
		}
	}
	return s
}

// moveTo goes on at a place; fresh says that it counts as the beginning of a line.
func (s *scanner) moveTo(at int, fresh bool) {
	s.at = at
	s.begin = fresh || at > 0 && at <= len(s.s) && s.s[at-1] == '\n'
	s.fresh, s.blank, s.indented = s.begin, false, false
}

// next finds the next mark and stays before it. With no, the rest is text. With more, the
// text from at on isn't certain yet.
func (s *scanner) next() (m mark, st status) {
	for st == no && s.at < len(s.s) {
		from := s.at
		switch {
		case s.passing:
			line, _, ended := strings.Cut(s.s[s.at:], "\n")
			if s.at += len(line); ended {
				s.at++
				s.passing, s.begin, s.fresh = false, true, true
			}
		case s.begin:
			m, st = s.line()
		default:
			m, st = s.inLine()
		}
		s.steps += s.at - from + 1
	}
	return m, st
}

// line judges the line that begins here, and passes over it if it is code, a quotation or a
// row of a table.
func (s *scanner) line() (mark, status) {
	window := s.s[s.at:min(len(s.s), s.at+maxMark)]
	line, _, known := strings.Cut(window, "\n")
	known = known || s.whole || len(window) == maxMark
	trimmed := strings.TrimLeft(line, blanks)
	at := s.at + len(line) - len(trimmed)
	inner := trimmed // what a list's item holds
	if s.fence == "" {
		inner = withoutSigns(trimmed)
	}
	sign, count := fenceSigns(inner)
	info := strings.TrimSpace(inner[count:])
	deep := at-s.at+3*strings.Count(line[:len(line)-len(trimmed)], "\t") >= 4
	code := deep && !s.thinking && (s.blank || s.indented)
	isFence := count >= 3 && (sign == '~' || !strings.Contains(info, "`"))
	if !known && (info == "" || isFence && len(line) < maxHeld) {
		return mark{}, more // how deep is it, which fence?
	}
	switch {
	case s.fence != "":
		if info == "" && count >= len(s.fence) && sign == s.fence[0] {
			s.fence = ""
		}
		s.passing = true
	case trimmed == "", code:
		s.passing = true
	case isFence:
		to := s.at + len(line)
		if end := strings.IndexByte(s.s[to:], '\n'); end >= 0 {
			to += end + 1
		} else {
			to = len(s.s)
		}
		language, _, _ := strings.Cut(strings.ToLower(info), " ")
		return mark{kind: markFence, from: at + len(trimmed) - len(inner), to: to, word: inner[:count], attr: language}, yes
	default:
		if m, st := s.lead(trimmed, at, known); st != no && !s.thinking && !deep {
			return m, st
		}
		if s.passing = !s.thinking && (strings.HasPrefix(inner, ">") || trimmed[0] == '|'); !s.passing {
			s.at, s.begin, s.fresh = at, false, true
		}
	}
	s.blank, s.indented = trimmed == "", code && trimmed != ""
	return mark{}, no
}

// withoutSigns returns a line without the signs of lists that it begins with.
func withoutSigns(line string) string {
	for {
		sign := strings.TrimLeft(line, "0123456789")
		numbered := len(sign) < len(line)
		if len(sign) < 2 || sign[1] != ' ' && sign[1] != '\t' || strings.IndexByte(".)", sign[0]) >= 0 != numbered || !numbered && strings.IndexByte("-*+", sign[0]) < 0 {
			return line
		}
		line = strings.TrimLeft(sign[1:], " \t")
	}
}

// named matches a tool's name and a colon at a line's beginning, with the marks of a list,
// of emphasis or of code that models put around it, and what may become that.
var (
	named     = pattern("^(?:(?:[-*+•]|#+|\\d+[.)])[ \t]+)?(\\*\\*|`|\\[|)(\\w+)(?:\\*\\*|`)?[ \t]?[:：]")
	mayBeName = pattern("^(?:(?:[-*+•]|#+|\\d+[.)]?)[ \t]*)?(?:\\*\\*?|`|\\[|)(\\w*)(?:\\*\\*?|`)?[ \t]?$")
)

// lead finds what only counts at the beginning of a line.
func (s *scanner) lead(line string, at int, known bool) (mark, status) {
	m := mark{kind: markLead, from: at, to: at, fresh: true}
	bold := strings.TrimPrefix(line, "**")
	word := strings.ToLower(bold[:min(len(bold), maxMark/2)])
	for _, lead := range leads {
		switch {
		case lead == ">>>" && word != ">>>" && strings.HasPrefix(word, lead) && !isWord(rune(word[len(lead)])): // a quotation
		case strings.HasPrefix(word, lead):
			m.to = max(m.to, at+len(line)-len(bold)+len(lead))
			if strings.HasPrefix(bold[len(lead):], "**") {
				m.to += len("**")
			}
		case !known && strings.HasPrefix(lead, word):
			return m, more
		}
	}
	if m.to > at {
		return m, yes
	}
	if name := strings.TrimLeft(line, "-*+•#.)`[0123456789 \t"); name == "" || !s.plain[name[0]] {
		if found := named().FindStringSubmatch(line); found != nil && s.names[found[2]] {
			m.kind, m.to, m.word, m.attr = markLine, at+len(found[0]), found[1], found[2]
			return m, yes
		} else if found := mayBeName().FindStringSubmatch(line); !known && found != nil && s.mayName(found[1]) {
			return m, more
		}
	}
	if s.whole && isResult(line) {
		m.kind = markResult
		return m, yes
	}
	return m, no
}

// mayName reports whether a tool's name begins with a word.
func (s *scanner) mayName(word string) bool {
	for name := range s.names {
		if strings.HasPrefix(name, word) {
			return true
		}
	}
	return false
}

// isResult reports whether a line begins like the result of a tool. Models go on with one
// that they make up.
func isResult(line string) bool {
	line = strings.TrimLeft(line[:min(len(line), maxMark)], "*_#[( ")
	return line != "" && strings.IndexByte("torTOR", line[0]) >= 0 && result().MatchString(strings.ToLower(line))
}

var result = pattern(`^(?:tool )?(?:observation|results?|output|response)[*_ ]*(?::| of | from )`)

// fenceSigns returns the fence character at the beginning of a line and its number.
func fenceSigns(line string) (sign byte, count int) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return 0, 0
	}
	for count < len(line) && line[count] == line[0] {
		count++
	}
	return line[0], count
}

// fenceEnd returns where the body of a fence and the fence end; closed is false if the text
// ends before. from is behind the fence's first line.
func (s *scanner) fenceEnd(from int, fence string) (body, end int, closed bool) {
	shut := &s.shut[strings.IndexByte("`~", fence[0])]
	if *shut > 0 && len(fence) >= *shut {
		return len(s.s), len(s.s), false
	}
	for at := from; at < len(s.s); {
		line, _, _ := strings.Cut(s.s[at:], "\n")
		trimmed := strings.TrimSpace(line)
		if sign, count := fenceSigns(trimmed); sign == fence[0] && count >= len(fence) && count == len(trimmed) {
			s.steps += at - from
			return at, min(at+len(line)+1, len(s.s)), true
		}
		at += len(line) + 1
	}
	s.steps += len(s.s) - from
	*shut = len(fence)
	return len(s.s), len(s.s), false
}

// inLine goes on to the next mark of the line, to its end, or to where the text isn't
// certain.
func (s *scanner) inLine() (mark, status) {
	for s.at < len(s.s) {
		c := s.s[s.at]
		if s.plain[c] {
			s.fresh = s.fresh && (c == ' ' || c == '\t' || c == '\r')
			s.at++
			continue
		}
		letter := c < utf8.RuneSelf && isWord(rune(c))
		switch {
		case c == '\n':
			s.at++
			s.begin, s.fresh = true, true
			return mark{}, no
		case letter && (s.thinking || s.at > 0 && isWord(rune(s.s[s.at-1]))): // in a word
			s.at++
			s.fresh = false
			continue
		case letter || c == '`' && !s.thinking:
			pass := s.code
			if letter {
				pass = s.word
			}
			if m, st := pass(); st != no {
				return m, st
			}
			s.fresh = false
			continue
		}
		m, st := markAt(s.s, s.at, s.literals)
		if found := nameTag().FindStringSubmatch(s.s[s.at:min(len(s.s), s.at+maxMark)]); st == no && found != nil && (s.names[found[1]] || strings.Contains(found[1], "_") && s.names[strings.ToUpper(found[1])]) {
			m, st = mark{kind: markCall, from: s.at, to: s.at + len(found[0]), word: found[1], attr: found[1]}, yes
			if found[2] != "" {
				m.setArgs(found[2])
			}
		}
		hidden := no
		if m.fresh = s.fresh; st == yes {
			hidden = s.hidden(m)
		}
		switch opens := m.kind == markRole || m.kind == markToken || !m.close && (m.kind == markEnvelope || m.kind == markCall || m.kind == markThought); {
		case !s.whole && (st == more || hidden == more):
			return mark{}, more
		case st == yes && m.kind != markBetween && (hidden != yes || opens):
			m.hidden = hidden == yes
			return m, yes
		case st == yes:
			s.at, s.fresh = m.to, false
			continue
		case !s.thinking && (c == '{' || c == '['):
			if st := s.head(); st != no {
				return mark{kind: markValue, from: s.at, to: s.at + 1}, st
			}
		}
		s.at++
		s.fresh = false
	}
	return mark{}, no
}

// nameTag matches a tag that is a tool's name, perhaps with its arguments.
var nameTag = pattern(`^<(\w+)((?:\s+[\w-]+=(?:"[^"<>]*"|'[^'<>]*'))*)\s*/?>`)

// code passes over inline code, which ends at as many backquotes before a blank line.
// Without its end, the backquotes are text.
func (s *scanner) code() (mark, status) {
	_, count := fenceSigns(s.s[s.at:])
	from := s.at + count
	text, ended := s.s[from:min(len(s.s), from+maxCode)], false
	for at := 0; !ended; {
		next := strings.IndexByte(text[at:], '`')
		if next < 0 {
			s.steps += len(text)
			ended = strings.Contains(text[at:], "\n\n")
			break
		}
		_, n := fenceSigns(text[at+next:])
		if ended = strings.Contains(text[at:at+next], "\n\n"); !ended && n == count && (s.whole || from+at+next+n < len(s.s)) {
			s.at = from + at + next + n
			return mark{}, no
		}
		at += next + n
	}
	if !s.whole && !ended && len(text) < maxCode {
		return mark{}, more
	}
	s.at = from
	return mark{}, no
}

// word passes over a word, or finds the name of a tool before something that makes it a
// call.
func (s *scanner) word() (mark, status) {
	rest := s.s[s.at:]
	after := strings.TrimLeftFunc(rest, isWord)
	word := rest[:len(rest)-len(after)]
	m := mark{kind: markName, from: s.at, to: s.at + len(word), attr: word}
	after = after[:min(len(after), maxMark)]
	switch {
	case after == "" && !s.whole && s.mayName(word):
		return m, more
	case !s.names[word]:
	case strings.HasPrefix(after, "("), strings.HasPrefix(after, "{"):
		return m, yes
	case s.fresh:
		object := strings.TrimLeft(after, blanks)
		if !s.whole && len(after) < maxHeld && strings.HasPrefix("<arg_key>", object) {
			return m, more
		} else if strings.HasPrefix(object, "{") || strings.HasPrefix(object, "<arg_key>") {
			return m, yes
		}
	}
	s.at = m.to
	return m, no
}

// firstKey matches the first key of a value, with its value if that is short; listHead the
// beginning of a list of names and parentheses. valueHead matches what may become either.
var (
	firstKey  = pattern(`^[\s,\[{]*(?:"([\w-]+)"|'([\w-]+)'|([\w-]+))\s*[:=]\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\w.+-]+)?`)
	listHead  = pattern(`^[\s\[]*(\w+)\(`)
	valueHead = pattern(`^[\s,\[{]*(?:["']?[\w-]*["']?\s*(?:[:=]\s*["']?)?)?$`)
)

// head reports whether the value that begins here begins like a call: with an object whose
// keys are those of a call, or with a list of names and parentheses.
func (s *scanner) head() status {
	rest := s.s[s.at:min(len(s.s), s.at+maxHead)]
	s.vain += minVain
	short := no // what a value says of which only the beginning is there
	switch {
	case len(rest) == maxHead:
		short = yes
	case !s.whole:
		short = more
	}
	if s.vain > maxVain || strings.HasPrefix(rest, "[[[") || strings.HasPrefix(rest, "{{{") {
		return no
	}
	if last := rest[len(rest)-1]; short == more && isWord(rune(last)) {
		return more // nothing can be said before the word is over
	}
	if rest[0] == '[' {
		if list := listHead().FindStringSubmatch(rest); list != nil && s.names[list[1]] {
			return yes
		}
	}
	for tool := false; ; {
		found := firstKey().FindStringSubmatch(rest)
		if found == nil {
			if valueHead().MatchString(rest) {
				return short
			}
			break
		}
		s.steps += len(found[0])
		key := found[1] + found[2] + found[3]
		list := keyLists()[foldKey(key)]
		if list == wrapKeys || list == argsKeys || s.names[key] {
			return yes
		}
		s.vain += len(found[0])
		behind := rest[len(found[0]):]
		if list == "" {
			switch {
			case tool && behind == "" && short == more:
				return more
			case tool: // {"name": "NAME", "kwargs": {
				return yes
			case strings.HasSuffix(found[0], "null"):
				rest = behind
				continue
			}
			break
		}
		tool = tool || list == nameKeys && s.names[strings.Trim(found[0][strings.LastIndexAny(found[0], ":=")+1:], " \"'")]
		rest = behind
	}
	return no
}

// hidden reports whether a mark is only written about: behind an opening quotation mark,
// between asterisks or brackets, or because the person's message holds it.
func (s *scanner) hidden(m mark) status {
	before, after := s.s[max(0, m.from-8):m.from], s.s[m.to:min(len(s.s), m.to+maxHead)]
	last, size := utf8.DecodeLastRuneInString(before)
	before = before[:len(before)-size]
	word := strings.TrimLeft(after, " ")
	short := word == "" && len(after) < maxHeld && !s.whole
	switch tag := m.kind == markEnvelope && !m.close && !m.control && m.attr == ""; {
	case tag && short && after != "", short && after == "" && strings.ContainsRune("*([", last):
		return more
	case tag && len(word) < len(after) && (word == "" || word[0] >= 'a' && word[0] <= 'z') && !short, // a sentence about it
		s.asked[m.word] && (m.kind == markAround || strings.TrimSpace(s.s[:m.from]) != ""),
		strings.ContainsRune("`“„«‹「『‘", last),
		(last == '"' || last == '\'') && (before == "" || strings.IndexByte(" \t\r\n([{", before[len(before)-1]) >= 0),
		last == '*' && strings.HasPrefix(after, "*"), last == '(' && strings.HasPrefix(after, ")"), last == '[' && strings.HasPrefix(after, "]"):
		return yes
	}
	return no
}
