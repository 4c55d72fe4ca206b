package prompt

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"mac-stats/agents/registry"
)

// MaxDirectives is how many directives of one reply are run.
const MaxDirectives = 5

// Directive is a tool call written as text. Exactly, it is a line in column one, outside
// a code fence, with a tool's upper-case name and a colon.
type Directive struct {
	Name string
	Arg  string            // what follows the colon, trimmed; of AGENT and SKILL all lines up to the next directive
	Args map[string]string // of a call written as JSON, as in Python or in tags; nil of a line
}

// runsOn reports whether the directive's argument goes on over following lines.
func runsOn(name string) bool { return name == registry.ToolAgent || name == registry.ToolSkill }

// Grammar is what a Scanner understands beside the exact form. Both are required.
type Grammar struct {
	// Fits reports whether a call makes sense: the tool is offered, the agent is there,
	// the address is one. What looks like a call and doesn't fit is prose.
	Fits func(Directive) bool
	// Agent reports whether a name is an agent's: models call them as if they were tools.
	Agent func(name string) bool
}

// Scanner splits a streamed reply into prose, given back as soon as it is certain, and
// calls, which collect in Found. What stands behind a call is not given back: the model
// wrote it before it knew the result, and often makes one up. However the stream is cut
// into pieces, the outcome is the same. The zero value is ready and knows the exact form.
type Scanner struct {
	Grammar *Grammar
	Found   []Directive
	Held    strings.Builder // the calls' own text, as written
	Behind  strings.Builder // what stands behind a call

	line   strings.Builder // the current line so far
	state  lineState
	shown  int // bytes of the current line given back
	fence  fence
	taking bool            // the argument of the last directive goes on
	block  strings.Builder // lines that may be a call over several lines
	plain  bool            // the current line begins no such block
}

// lineState is what is known of the current line.
type lineState int

const (
	lineOpen      lineState = iota // may still become a directive
	lineProse                      // is none: the line goes out as it comes
	lineArgument                   // belongs to the last directive's argument
	lineDirective                  // is one
	lineBlock                      // belongs to a block
)

// Write takes the next piece and gives the prose that is certain by now.
func (s *Scanner) Write(piece string) string {
	var out strings.Builder
	s.write(&out, piece)
	return out.String()
}

func (s *Scanner) write(out *strings.Builder, piece string) {
	for piece != "" {
		part, rest, ended := strings.Cut(piece, "\n")
		piece = rest
		s.line.WriteString(part)
		s.classify(out)
		if ended {
			s.line.WriteByte('\n')
			s.endLine(out)
		}
	}
}

// Finish ends the last line and gives what is left of the prose.
func (s *Scanner) Finish() string {
	var out strings.Builder
	for s.line.Len() > 0 || s.block.Len() > 0 {
		if s.line.Len() > 0 {
			s.endLine(&out)
		}
		s.endBlock(&out, true)
	}
	for i := range s.Found {
		s.Found[i].Arg = strings.TrimSpace(s.Found[i].Arg)
	}
	s.taking = false
	return out.String()
}

// give gives back prose, unless it stands behind a call.
func (s *Scanner) give(out *strings.Builder, text string) {
	if len(s.Found) > 0 {
		out = &s.Behind
	}
	out.WriteString(text)
}

// classify decides what it can about the line so far and gives back its prose.
func (s *Scanner) classify(out *strings.Builder) {
	line := s.line.String()
	if s.state == lineOpen && s.block.Len() > 0 {
		s.state = lineBlock
	}
	if s.state == lineOpen && endsInRune(line) {
		switch name := DirectiveName(line); {
		case s.fence.open():
			s.state = s.otherLine()
		case name != "":
			s.state = lineDirective
		case !s.mayBeCall(line):
			s.state = s.otherLine()
		}
	}
	if s.state == lineProse {
		s.give(out, line[s.shown:])
		s.shown = len(line)
	}
}

// endsInRune reports whether a text ends with a whole character.
func endsInRune(text string) bool {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if tail := text[len(text)-back:]; utf8.RuneStart(tail[0]) {
			return utf8.FullRuneInString(tail)
		}
	}
	return true
}

// mayBeCall reports whether the beginning of a line can become a call.
func (s *Scanner) mayBeCall(line string) bool {
	if mayBeDirective(line) {
		return true
	}
	return s.Grammar != nil && (mayBeAdorned(line) || !s.plain && !s.taking && opensBlock(line, false))
}

// otherLine is the state of a line that is no directive.
func (s *Scanner) otherLine() lineState {
	if s.taking {
		return lineArgument
	}
	return lineProse
}

// endLine takes a whole line (with its line feed, but for the last one).
func (s *Scanner) endLine(out *strings.Builder) {
	line := s.line.String()
	found := Directive{}
	if s.state == lineOpen {
		s.state = s.otherLine()
		if d, ok := s.adorned(line); ok {
			s.state, found = lineDirective, d
		} else if s.Grammar != nil && !s.plain && !s.taking && opensBlock(strings.TrimRight(line, "\r\n"), true) {
			s.state = lineBlock
		}
	}
	switch s.state {
	case lineDirective:
		if found.Name == "" {
			name := DirectiveName(line)
			found = Directive{Name: name, Arg: line[len(name)+1:]}
		}
		s.Found = append(s.Found, found)
		s.taking = runsOn(found.Name)
		s.Held.WriteString(line)
	case lineBlock:
		s.block.WriteString(line)
	case lineArgument:
		if madeUp().MatchString(line) {
			s.taking = false
			s.Behind.WriteString(line)
			break
		}
		last := &s.Found[len(s.Found)-1]
		last.Arg += line
		s.Held.WriteString(line)
	default:
		s.give(out, line[s.shown:])
	}
	if s.state != lineDirective && s.state != lineBlock {
		s.fence.line(line)
	}
	held := s.state == lineBlock
	s.line.Reset()
	s.state, s.shown, s.plain = lineOpen, 0, false
	if held {
		s.endBlock(out, false)
	}
}

const (
	// wideBlock is from how many bytes on a block is given up in which no tool is named,
	// and widestBlock from how many any is.
	wideBlock   = 300
	widestBlock = 20_000
)

// endBlock decides about a block at the end of a line: it is a call, it may become one,
// or its first line is prose and the rest is read again.
func (s *Scanner) endBlock(out *strings.Builder, final bool) {
	text := s.block.String()
	if text == "" {
		return
	}
	if calls := s.callsIn(text, final); len(calls) > 0 {
		s.block.Reset()
		s.Held.WriteString(text)
		s.Found = append(s.Found, calls...)
		return
	}
	if !final && len(text) < widestBlock && (len(text) < wideBlock || s.mentionsTool(text)) && !closedFence(text) {
		return
	}
	s.block.Reset()
	first, rest, ended := strings.Cut(text, "\n")
	if ended {
		first += "\n"
	}
	s.plain = true
	s.write(out, first)
	if !ended {
		s.endLine(out)
	}
	s.write(out, rest)
}

// callsIn reads the calls of a block: those of other models, or lines in a fence.
func (s *Scanner) callsIn(text string, final bool) []Directive {
	calls := writtenCalls(text, final, s.Grammar.Agent)
	if len(calls) == 0 && closedFence(text) {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		inner := Scanner{Grammar: &Grammar{Fits: s.Grammar.Fits, Agent: func(string) bool { return false }}}
		prose := inner.Write(strings.Join(lines[1:len(lines)-1], "\n")) + inner.Finish()
		if strings.TrimSpace(prose) == "" && inner.Behind.Len() == 0 {
			calls = inner.Found
		}
	}
	for _, call := range calls {
		if !s.Grammar.Fits(call) {
			return nil
		}
	}
	return calls
}

// closedFence reports whether a text is a code block from its first line to its last.
func closedFence(text string) bool {
	var f fence
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		f.line(line)
		if !f.open() {
			return i > 0 && i == len(lines)-1
		}
	}
	return false
}

func (s *Scanner) mentionsTool(text string) bool {
	text = strings.ToUpper(text)
	for _, name := range directiveNames() {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// adorned reads a line that is a directive but for what stands around it, if it fits.
func (s *Scanner) adorned(line string) (Directive, bool) {
	if s.Grammar == nil {
		return Directive{}, false
	}
	d, ok := readAdorned(line)
	if ok && !s.Grammar.Fits(d) {
		d.Arg = strings.TrimRight(d.Arg, sentenceEnds)
	}
	return d, ok && s.Grammar.Fits(d)
}

// sentenceEnds are signs that end the sentence which a model makes of a call.
const sentenceEnds = ".。．!！;；,，"

var (
	// adornment is what models put before a directive: blanks, list signs, headings,
	// emphasis, code signs, a word.
	adornment = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^[ \\t\u00a0\u200b\ufeff]{0,3}(?:[*+•–—-][ \\t]+|\\d{1,2}[.)][ \\t]+|(?:\\d{1,2}|[一二三四五六七八九十]{1,2})[、．）][ \\t]*|[①-⑳][ \\t]*|#{1,6}[ \\t]+)?[*_`\\[【「]*(?:(?i:tool|call|action|工具|调用|调用工具|ツール|도구)[:：][ \\t]*)?[*_`\\[【「]*")
	})
	// adornedName is the name behind it: in capitals, or with its underscore in any case.
	adornedName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^(AGENT|SKILL|(?i:MEMORY[_ -]APPEND|MEMORY[_ -]REPLACE|MEMORY[_ -]REMOVE|MEMORY[_ -]SEARCH|SYSTEM[_ -]STATS|FETCH[_ -]URL|RUN[_ -]CMD))[*_`\\]】」]*(?:[ \\t]+([\\w-]+))?[*_`\\]】」]*[ \\t]*(?:[:：]|[-=]>|→)[*_`]*")
	})
	// partOfAdorned is what a line has to look like as long as it may become one.
	partOfAdorned = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^[ \\t\u00a0\u200b\ufeff*+•–—#_`\\[\\d.):：【「一二三四五六七八九十①-⑳、．）-]*$")
	})
	// madeUp is how a model begins a result that it makes up.
	madeUp = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?i)^[\\s>*_`#\\[(-]*(?:results? (?:of|from)\\b|observation\\b|<?tool[ _](?:result|response|output)|(?:result|output|response|antwort|ergebnis|résultat|resultado|risultato)[*_`]*[ \\t]*[:：]|(?:response|answer|output) (?:from|of)\\b|\\[?end of (?:task|call))")
	})
)

// closers are the signs that may stand behind such a directive.
const closers = "*_`]】」"

// readAdorned reads such a line. Signs that open in front of the name must close at the
// end: else the line is a sentence about it.
func readAdorned(line string) (Directive, bool) {
	line = strings.TrimRight(line, " \t\r\n")
	if inside := strings.TrimRight(line, sentenceEnds); strings.TrimRight(inside, closers) != inside {
		line = inside
	}
	rest := line[len(adornment().FindString(line)):]
	m := adornedName().FindStringSubmatch(rest)
	if m == nil {
		return Directive{}, false
	}
	d := Directive{Name: strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(m[1])), Arg: strings.TrimSpace(rest[len(m[0]):])}
	d.Arg = strings.TrimSpace(strings.TrimRight(d.Arg, closers))
	if m[2] != "" {
		if !runsOn(d.Name) {
			return Directive{}, false
		}
		d.Arg = m[2] + " " + d.Arg
	}
	for _, sign := range []string{"`", "**"} {
		if strings.Count(d.Arg, sign)%2 == 1 {
			return Directive{}, false
		}
	}
	return d, true
}

// mayBeAdorned reports whether the beginning of a line can become such a line.
func mayBeAdorned(line string) bool {
	if partOfAdorned().MatchString(line) {
		return len(line) < 24
	}
	rest := strings.ToUpper(line[len(adornment().FindString(line)):])
	rest = strings.NewReplacer(" ", "_", "-", "_").Replace(rest)
	for _, name := range append(directiveNames(), "TOOL:", "CALL:", "ACTION:", "工具：", "调用：", "调用工具：", "ツール：", "도구：") {
		if strings.HasPrefix(name, rest) || strings.HasPrefix(rest, name) {
			return true
		}
	}
	return false
}

// directiveNames are all names of directives, as agents may list them.
func directiveNames() []string { return registry.KnownTools }

// DirectiveName is the name of the directive that the line is, or "".
func DirectiveName(line string) string {
	name, _, found := strings.Cut(line, ":")
	if found && slices.Contains(directiveNames(), name) {
		return name
	}
	return ""
}

// mayBeDirective reports whether the beginning of a line can become a directive.
func mayBeDirective(line string) bool {
	for _, name := range directiveNames() {
		if strings.HasPrefix(name, line) {
			return true
		}
	}
	return false
}
