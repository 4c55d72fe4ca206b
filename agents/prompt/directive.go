package prompt

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"mac-stats/agents/registry"
)

// MaxDirectives is the maximum number of directives of one reply that run.
const MaxDirectives = 5

// Directive is a tool call written as text. In its exact form, it is a line outside a code
// fence that begins in column one with a tool's upper-case name and a colon.
type Directive struct {
	Name string
	Arg  string            // the text after the colon, trimmed; for AGENT and SKILL, all lines up to the next directive
	Args map[string]string // of a call written as JSON, as in Python or in tags; nil for a line
}

// runsOn reports whether the directive's argument continues on the next lines.
func runsOn(name string) bool { return name == registry.ToolAgent || name == registry.ToolSkill }

// Grammar tells a Scanner what to accept besides the exact form. Both fields are required.
type Grammar struct {
	// Fits reports whether a call makes sense: the tool is offered, the agent exists, the
	// address is one. Text that looks like a call but doesn't fit is prose.
	Fits func(Directive) bool
	// Agent reports whether name is an agent's, because models call agents like tools.
	Agent func(name string) bool
}

// Scanner splits a streamed reply into prose, which it returns as soon as it is certain,
// and calls, which it collects in Found. It doesn't return text after a call: the model
// wrote that before it knew the result, which it often makes up. The outcome doesn't
// depend on how the stream is split into pieces. The zero value is ready to use and
// accepts only the exact form.
type Scanner struct {
	Grammar *Grammar
	Found   []Directive
	Held    strings.Builder // the calls' own text, as written
	Behind  strings.Builder // the text after a call

	line   strings.Builder // the current line so far
	state  lineState
	shown  int // bytes of the current line returned so far
	fence  fence
	taking bool            // the argument of the last directive continues
	block  strings.Builder // lines that may be a call over several lines
	plain  bool            // the current line doesn't begin such a block
}

// lineState holds what the scanner knows about the current line.
type lineState int

const (
	lineOpen      lineState = iota // may still become a directive
	lineProse                      // isn't one: the line is returned as it arrives
	lineArgument                   // belongs to the last directive's argument
	lineDirective                  // is a directive
	lineBlock                      // belongs to a block
)

// Write processes the next piece and returns the prose that is certain now.
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

// Finish ends the last line and returns the rest of the prose.
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

// output appends prose to out, unless it is after a call.
func (s *Scanner) output(out *strings.Builder, text string) {
	if len(s.Found) > 0 {
		out = &s.Behind
	}
	out.WriteString(text)
}

// classify decides what it can about the line so far and outputs its prose.
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
		s.output(out, line[s.shown:])
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

// otherLine returns the state of a line that isn't a directive.
func (s *Scanner) otherLine() lineState {
	if s.taking {
		return lineArgument
	}
	return lineProse
}

// endLine processes a whole line, with its line feed except for the last one.
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
		s.output(out, line[s.shown:])
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
	// wideBlock is the size in bytes from which a block that names no tool is prose, and
	// widestBlock the size from which any block is.
	wideBlock   = 300
	widestBlock = 20_000
)

// endBlock decides about a block at the end of a line: the block is a call or may become
// one, or its first line is prose and the rest is scanned again.
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

// callsIn reads the calls of a block: in the forms of various models, or as lines in a
// fence.
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

// closedFence reports whether the whole text is one code block.
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

// adorned reads a line that is a directive apart from the text around it, if it fits.
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

// sentenceEnds are characters that end a sentence into which a model turns a call.
const sentenceEnds = ".。．!！;；,，"

var (
	// adornment matches what models put before a directive: blanks, list markers, headings,
	// emphasis, backquotes, a word.
	adornment = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^[ \\t\u00a0\u200b\ufeff]{0,3}(?:[*+•–—-][ \\t]+|\\d{1,2}[.)][ \\t]+|(?:\\d{1,2}|[一二三四五六七八九十]{1,2})[、．）][ \\t]*|[①-⑳][ \\t]*|#{1,6}[ \\t]+)?[*_`\\[【「]*(?:(?i:tool|call|action|工具|调用|调用工具|ツール|도구)[:：][ \\t]*)?[*_`\\[【「]*")
	})
	// adornedName matches the name after it: in capitals, or with its underscore in any
	// case.
	adornedName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^(AGENT|SKILL|(?i:MEMORY[_ -]APPEND|MEMORY[_ -]REPLACE|MEMORY[_ -]REMOVE|MEMORY[_ -]SEARCH|SYSTEM[_ -]STATS|FETCH[_ -]URL|RUN[_ -]CMD))[*_`\\]】」]*(?:[ \\t]+([\\w-]+))?[*_`\\]】」]*[ \\t]*(?:[:：]|[-=]>|→)[*_`]*")
	})
	// partOfAdorned matches the beginning of a line that may become one.
	partOfAdorned = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^[ \\t\u00a0\u200b\ufeff*+•–—#_`\\[\\d.):：【「一二三四五六七八九十①-⑳、．）-]*$")
	})
	// madeUp matches the beginning of a result that a model makes up.
	madeUp = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?i)^[\\s>*_`#\\[(-]*(?:results? (?:of|from)\\b|observation\\b|<?tool[ _](?:result|response|output)|(?:result|output|response|antwort|ergebnis|résultat|resultado|risultato)[*_`]*[ \\t]*[:：]|(?:response|answer|output) (?:from|of)\\b|\\[?end of (?:task|call))")
	})
)

// closers are the characters that may follow such a directive.
const closers = "*_`]】」"

// readAdorned reads such a line. Marks opened before the name must be closed at the end;
// otherwise the line is a sentence about the tool.
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

// directiveNames returns all names of directives, as agents may list them.
func directiveNames() []string { return registry.KnownTools }

// DirectiveName returns the name of the directive on the line, or "" if it has none.
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
