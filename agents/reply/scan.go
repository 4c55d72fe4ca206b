package reply

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner walks over a reply and finds what may be more than text. It passes over what is
// shown and not meant: code fences, inline code, quotations, indented code, rows of tables.
// Parse and the Shower use it both, so that they don't disagree about what may be a call.
type scanner struct {
	s        string
	at       int
	whole    bool // the text doesn't grow any more
	literals []literal
	names    map[string]bool // of tools, as they are written outside envelopes
	asked    map[string]bool // words of marks that the person's message holds

	plain [256]bool // bytes that begin nothing

	judge    bool   // a line begins at at
	fresh    bool   // nothing but marks stands before on the line
	blank    bool   // the line before is blank, or there is none
	indented bool   // the line before is indented code
	passing  bool   // the rest of the line is passed over
	fence    string // the open fence; only the Shower walks in one
	shut     [2]int // fences of so many backquotes and tildes, or more, never close
	wild     bool   // inline code was too long to wait for: none counts until a blank line
	steps    int    // bytes looked at
}

type tokenKind int

const (
	tokenMark   tokenKind = iota
	tokenValue            // a value that begins like a call
	tokenName             // a tool's name with ( or {, or with a colon at the beginning of a line
	tokenFence            // a code fence
	tokenAction           // Action: of ReAct
	tokenResult           // a result that the model made up
)

// token is what the scanner found.
type token struct {
	kind     tokenKind
	from, to int // to: behind the mark, the name and its colon, the fence's first line, the word and its colon
	mark     mark
	name     string // of the tool
	info     string // of the fence
	fence    string // its backquotes or tildes
	stars    int    // asterisks before the name: **NAME:**
	hidden   bool   // an envelope that is only written about
}

// isLine reports whether the token is a name with a colon.
func (t token) isLine() bool { return t.kind == tokenName && t.to > t.from+t.stars+len(t.name) }

const (
	maxHeld = 120     // bytes that are held because of what may still be a mark or inline code
	maxCode = 100_000 // bytes of inline code
	maxHead = 400     // bytes of a value that are read to see whether it is a call
)

func newScanner(m Marks, tools []Tool, quoted []Quoted) *scanner {
	s := &scanner{literals: m.literal, names: map[string]bool{}, asked: map[string]bool{}, judge: true, fresh: true, blank: true}
	for _, t := range tools {
		if t.For == "" && strings.ToUpper(t.Name) == t.Name {
			s.names[t.Name] = true
		}
		if strings.Contains(t.Name, ".") {
			s.names[foreignName] = true
		}
	}
	for b := range s.plain {
		s.plain[b] = strings.IndexByte("\n`<[{*"+"◁"[:1], byte(b)) < 0
	}
	for name := range s.names {
		s.plain[name[0]] = false
	}
	for _, l := range m.literal {
		s.plain[l.text[0]] = false
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

// foreignName is the name of the directive for the tools of other programs.
const foreignName = "MCP"

// moveTo goes on behind a token; fresh says that the text there counts as the beginning of
// a line.
func (s *scanner) moveTo(at int, fresh bool) {
	s.at = at
	s.judge = fresh || at > 0 && at <= len(s.s) && s.s[at-1] == '\n'
	s.fresh = s.judge
}

// next finds the next token and stops there. With no, the rest is text. With more, the text
// from at on isn't certain yet.
func (s *scanner) next() (token, status) {
	for s.at < len(s.s) {
		if s.judge || s.fence != "" || s.passing {
			t, st := s.line()
			if st != no {
				return t, st
			}
			continue
		}
		from := s.at
		t, st := s.inLine()
		s.steps += s.at - from + 1
		if st != no {
			return t, st
		}
	}
	return token{}, no
}

// line judges the line that begins here, and passes over it if it is code, a quotation or a
// row of a table. Afterwards either judge is false, or at has moved on.
func (s *scanner) line() (token, status) {
	window := s.s[s.at:min(len(s.s), s.at+maxMark)]
	line, _, ended := strings.Cut(window, "\n")
	length := len(line)
	if ended {
		length++
	}
	ended = ended || s.whole || len(window) == maxMark
	s.steps += length
	if s.passing {
		s.at += length
		s.passing = !strings.HasSuffix(window[:length], "\n")
		s.judge, s.fresh = true, true
		return token{}, no
	}
	trimmed := strings.TrimLeft(line, " \t\r")
	width := len(line) - len(trimmed) + 3*strings.Count(line[:len(line)-len(trimmed)], "\t")
	if s.fence != "" {
		closes := strings.TrimRight(trimmed, " \t\r")
		if only := strings.Trim(closes, s.fence[:1]) == ""; only && !ended {
			return token{}, more
		} else if only && len(closes) >= len(s.fence) {
			s.fence = ""
		}
		s.blank, s.passing = false, true
		return token{}, no
	}
	mark, count := fenceMark(trimmed)
	info := trimmed[count:]
	switch {
	case trimmed == "" && !ended:
		return token{}, more
	case trimmed == "":
		s.at, s.judge, s.fresh, s.blank, s.indented, s.wild = s.at+length, true, true, true, false, false
		return token{}, no
	case width >= 4 && (s.blank || s.indented):
		s.blank, s.indented, s.passing = false, true, true
		return token{}, no
	case (trimmed[0] == '>' || trimmed[0] == '|') && !s.wild:
		s.blank, s.indented, s.passing = false, false, true
		return token{}, no
	case count > 0 && count < 3 && info == "" && !ended:
		return token{}, more
	case count >= 3 && (mark == '~' || !strings.Contains(info, "`")):
		if !ended && len(line) < maxHeld {
			return token{}, more
		}
		next := len(s.s)
		if end := strings.IndexByte(s.s[s.at:], '\n'); end >= 0 {
			next = s.at + end + 1
		}
		return token{kind: tokenFence, from: s.at, to: next, info: strings.ToLower(strings.TrimSpace(info)), fence: trimmed[:count]}, yes
	}
	s.judge, s.fresh, s.blank, s.indented = false, true, false, false
	at := s.at + len(line) - len(trimmed)
	const action = "Action:"
	if strings.HasPrefix(trimmed, action) {
		s.at = at
		return token{kind: tokenAction, from: at, to: at + len(action)}, yes
	}
	if !ended && strings.HasPrefix(action, trimmed) {
		s.judge = true
		return token{}, more
	}
	if s.whole && isResult(trimmed) {
		return token{kind: tokenResult, from: s.at, to: at}, yes
	}
	return token{}, no
}

// isResult reports whether a line begins like the result of a tool. Models go on with one
// that they make up.
func isResult(line string) bool {
	line = strings.ToLower(strings.TrimLeft(line[:min(len(line), maxMark)], "*_#[( "))
	line = strings.TrimPrefix(line, "tool ")
	for _, word := range []string{"observation", "results", "result", "output", "response"} {
		if rest, ok := strings.CutPrefix(line, word); ok {
			rest = strings.TrimLeft(rest, "*_ ")
			return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "of ") || strings.HasPrefix(rest, "from ")
		}
	}
	return false
}

// fenceMark returns the fence character at the beginning of a line and its number.
func fenceMark(line string) (mark byte, count int) {
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
		if mark, count := fenceMark(trimmed); mark == fence[0] && count >= len(fence) && count == len(trimmed) {
			s.steps += at - from
			return at, min(at+len(line)+1, len(s.s)), true
		}
		at += len(line) + 1
	}
	s.steps += len(s.s) - from
	*shut = len(fence)
	return len(s.s), len(s.s), false
}

// thoughtEnd moves to the mark that ends the thought at which the scanner stands: the first
// closing one of any word, unless it is quoted or in a code fence that closes.
func (s *scanner) thoughtEnd() (m mark, st status) {
	for ; s.at < len(s.s); s.at++ {
		if s.judge {
			line, _, ended := strings.Cut(s.s[s.at:], "\n")
			trimmed := strings.TrimSpace(line)
			sign, count := fenceMark(trimmed)
			switch {
			case !ended && !s.whole && count == len(trimmed):
				return m, more
			case s.fence == "" && count >= 3 && ended:
				if _, _, closed := s.fenceEnd(s.at+len(line)+1, trimmed[:count]); closed || !s.whole {
					s.fence = trimmed[:count]
				}
			case s.fence != "" && count >= len(s.fence) && sign == s.fence[0] && count == len(trimmed):
				s.fence = ""
			}
			s.judge = false
		}
		m, st = markAt(s.s, s.at, s.literals)
		if st == more && !s.whole {
			return m, more
		}
		if word := m.word; st == yes && s.fence == "" && m.kind == markThought && m.close {
			m.word = "" // what was asked doesn't matter here
			if hidden := s.hidden(m); hidden == more && !s.whole {
				return m, more
			} else if m.word = word; hidden != yes {
				return m, yes
			}
		}
		s.judge = s.s[s.at] == '\n'
	}
	return m, no
}

// inLine goes on to the next token of the line, to its end, or to where the text isn't
// certain.
func (s *scanner) inLine() (token, status) {
	for s.at < len(s.s) {
		i := s.at
		if c := s.s[i]; s.plain[c] {
			s.fresh = s.fresh && (c == ' ' || c == '\t' || c == '\r')
			s.at++
			continue
		}
		switch c := s.s[i]; {
		case c == '\n':
			s.at, s.judge, s.fresh, s.blank, s.indented = i+1, true, true, false, false
			return token{}, no
		case c == '`':
			if st := s.code(); st == more {
				return token{}, more
			}
			s.fresh = false
			continue
		case c < utf8.RuneSelf && isWord(rune(c)) && i > 0 && s.s[i-1] < utf8.RuneSelf && isWord(rune(s.s[i-1])): // in a word
			s.at++
			continue
		case c < utf8.RuneSelf && isWord(rune(c)), c == '*' && s.fresh:
			if t, st := s.word(); st != no {
				return t, st
			}
			s.fresh = false
			continue
		}
		m, st := markAt(s.s, i, s.literals)
		hidden := no
		if st == yes && m.kind != markBetween {
			hidden = s.hidden(m)
		}
		switch {
		case (st == more || hidden == more) && !s.whole:
			return token{}, more
		case st == yes && hidden == yes && (m.close || m.kind != markEnvelope && m.kind != markCall && m.kind != markThought):
			s.at, s.fresh = m.to, false
			continue
		case st == yes && m.kind != markBetween:
			return token{kind: tokenMark, from: i, to: m.to, mark: m, hidden: hidden == yes}, yes
		case s.s[i] == '{' || s.s[i] == '[':
			switch s.head(i) {
			case yes:
				return token{kind: tokenValue, from: i, to: i}, yes
			case more:
				return token{}, more
			}
		}
		if strings.IndexByte(" \t\r", s.s[i]) < 0 {
			s.fresh = false
		}
		s.at++
	}
	return token{}, no
}

// code passes over inline code, which ends at as many backquotes before a blank line.
// Without its end, the backquotes are text.
func (s *scanner) code() status {
	_, count := fenceMark(s.s[s.at:])
	from := s.at + count
	text := s.s[from:min(len(s.s), from+maxCode)]
	at, closed := 0, false
	for !s.wild && !closed && at < len(text) {
		next := strings.IndexByte(text[at:], '`')
		if next < 0 {
			at = len(text)
			break
		}
		_, n := fenceMark(text[at+next:])
		at += next + n
		closed = n == count && (s.whole || from+at < len(s.s))
	}
	s.steps += at
	blank := blankLine.MatchString(text[:at])
	switch {
	case closed && !blank:
		s.at = from + at
		return no
	case !s.whole && !s.wild && !blank:
		if len(text) < maxHeld {
			return more
		}
		s.wild = true
	}
	s.at = from
	return no
}

var blankLine = regexp.MustCompile(`\n[ \t\r]*\n`)

// word passes over a word and the asterisks before it, or finds the name of a tool before
// something that makes it a call.
func (s *scanner) word() (token, status) {
	found := starred.FindStringSubmatch(s.s[s.at:])
	stars, word := len(found[1]), found[2]
	from, end := s.at, s.at+len(found[0])
	if end == len(s.s) && !s.whole {
		for name := range s.names {
			if strings.HasPrefix(name, word) {
				return token{}, more
			}
		}
	}
	if !s.names[word] {
		s.at = end
		return token{}, no
	}
	after := s.s[end:min(len(s.s), end+maxMark)]
	t := token{kind: tokenName, from: from, to: end, name: word, stars: stars}
	switch trimmed := strings.TrimLeft(after, "*"); {
	case after == "" && !s.whole, s.fresh && trimmed == "" && !s.whole:
		return token{}, more
	case stars == 0 && (strings.HasPrefix(after, "(") || strings.HasPrefix(after, "{")):
		return t, yes
	case s.fresh && (strings.HasPrefix(trimmed, ":") || strings.HasPrefix(trimmed, "：")):
		colon, _ := utf8.DecodeRuneInString(trimmed)
		t.to = end + len(after) - len(trimmed) + utf8.RuneLen(colon)
		return t, yes
	case s.fresh && stars == 0 && len(trimmed) == len(after):
		object := strings.TrimLeft(after, " \t\r\n")
		if object == "" && !s.whole {
			return token{}, more
		}
		if strings.HasPrefix(object, "{") {
			return t, yes
		}
	}
	s.at = end
	return token{}, no
}

var starred = regexp.MustCompile(`^(\**)(\w*)`)

// head reports whether the value that begins here begins like a call: with an object whose
// keys are those of a call, or with a list of names and parentheses.
func (s *scanner) head(at int) (st status) {
	p := values{s: s.s[at:min(len(s.s), at+maxHead)]}
	p.judge = func(key string) bool {
		list := keyLists()[strings.ToLower(key)]
		if list == wrapKeys || list == argsKeys || s.names[key] {
			st = yes
		}
		return st == no && list != ""
	}
	if p.has("[") {
		rest := strings.TrimLeft(p.s[1:], " \t\r\n")
		word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, isWord))]
		switch after := rest[len(word):]; {
		case after == "":
			p.short = true
		case word != "" || after[0] != '{':
			if s.names[word] && after[0] == '(' {
				return yes
			}
			return no
		}
	}
	if !p.short {
		p.value()
	}
	s.steps += p.at + 1
	switch {
	case st == yes || !p.short || s.whole && len(p.s) < maxHead:
		return st
	case len(p.s) == maxHead:
		return yes
	}
	return more
}

// hidden reports whether a mark is only written about: behind an opening quotation mark,
// between asterisks or brackets, or because the person's message holds it.
func (s *scanner) hidden(m mark) status {
	before, after := s.s[:m.from], s.s[m.to:]
	if m.kind == markEnvelope && !m.close && !m.control && m.attr == "" {
		if word := strings.TrimLeft(after, " "); word != after {
			if word == "" && len(after) < maxHeld && !s.whole {
				return more
			}
			if word != "" && word[0] >= 'a' && word[0] <= 'z' {
				return yes
			}
		}
	}
	if s.asked[m.word] && (m.kind == markAround || strings.TrimSpace(before) != "") {
		return yes
	}
	last, size := utf8.DecodeLastRuneInString(before)
	switch last {
	case '`', '“', '„', '«', '‹', '「', '『', '‘':
		return yes
	case '"', '\'':
		outer, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
		if len(before) == size || unicode.IsSpace(outer) || strings.ContainsRune("([{", outer) {
			return yes
		}
	case '*', '(', '[':
		if after == "" {
			return more
		}
		if last == '*' && after[0] == '*' || last != '*' && (after[0] == ')' || after[0] == ']') {
			return yes
		}
	}
	return no
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
