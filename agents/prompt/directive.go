package prompt

import (
	"regexp"
	"slices"
	"strings"

	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
)

// MaxDirectives is how many directives of one reply are run.
const MaxDirectives = 5

// Directive is a tool call written as text: a line in column one, outside a code
// fence, with a tool's exact upper-case name and a colon.
type Directive struct {
	Name string
	Arg  string // what follows the colon, trimmed; of AGENT and SKILL all lines up to the next directive
}

// runsOn reports whether the directive's argument goes on over following lines.
func runsOn(name string) bool { return name == registry.ToolAgent || name == registry.ToolSkill }

// ParseDirectives finds the directives of a whole reply, in order, and gives the
// text without them. It does not cut their number.
func ParseDirectives(reply string) (directives []Directive, prose string) {
	var s Scanner
	prose = s.Write(reply)
	prose += s.Finish()
	return s.Found, prose
}

// Scanner splits a streamed reply into prose, given back as soon as it
// is certain, and directives, which collect in found. However the stream is cut
// into pieces, the outcome is the same. The zero value is ready.
type Scanner struct {
	Found []Directive
	Held  strings.Builder // the directives' own text, as written

	line   strings.Builder // the current line so far
	state  lineState
	shown  int // bytes of the current line given back
	fence  fence
	taking bool // the argument of the last directive goes on
}

// lineState is what is known of the current line.
type lineState int

const (
	lineOpen      lineState = iota // may still become a directive
	lineProse                      // is none: the line goes out as it comes
	lineArgument                   // belongs to the last directive's argument
	lineDirective                  // is one
)

// Write takes the next piece and gives the prose that is certain by now.
func (s *Scanner) Write(piece string) string {
	var out strings.Builder
	for piece != "" {
		part, rest, ended := strings.Cut(piece, "\n")
		piece = rest
		s.line.WriteString(part)
		s.classify(&out)
		if ended {
			s.line.WriteByte('\n')
			s.endLine(&out)
		}
	}
	return out.String()
}

// Finish ends the last line and gives what is left of the prose.
func (s *Scanner) Finish() string {
	var out strings.Builder
	if s.line.Len() > 0 {
		s.endLine(&out)
	}
	for i := range s.Found {
		s.Found[i].Arg = strings.TrimSpace(s.Found[i].Arg)
	}
	s.taking = false
	return out.String()
}

// classify decides what it can about the line so far and gives back its prose.
func (s *Scanner) classify(out *strings.Builder) {
	line := s.line.String()
	if s.state == lineOpen {
		switch name := DirectiveName(line); {
		case s.fence.open():
			s.state = s.otherLine()
		case name != "":
			s.state = lineDirective
		case !mayBeDirective(line):
			s.state = s.otherLine()
		}
	}
	if s.state == lineProse {
		out.WriteString(line[s.shown:])
		s.shown = len(line)
	}
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
	if s.state == lineOpen {
		s.state = s.otherLine()
	}
	switch s.state {
	case lineDirective:
		name := DirectiveName(line)
		s.Found = append(s.Found, Directive{Name: name, Arg: line[len(name)+1:]})
		s.taking = runsOn(name)
		s.Held.WriteString(line)
	case lineArgument:
		last := &s.Found[len(s.Found)-1]
		last.Arg += line
		s.Held.WriteString(line)
	default:
		out.WriteString(line[s.shown:])
	}
	if s.state != lineDirective {
		s.fence.line(line)
	}
	s.line.Reset()
	s.state, s.shown = lineOpen, 0
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

// QuotedLines are the lines of quoted text that have a directive's form. A model
// that repeats a page or a specialist's answer repeats them, too: then they are the
// stranger's and not its own, and are never run.
type QuotedLines map[string]bool

// Add takes in a quoted text.
func (q QuotedLines) Add(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name := DirectiveName(line); name != "" {
			q[tools.Call{Name: name, Arg: line[len(name)+1:]}.Key()] = true
		}
	}
}

// Hold reports whether a call by directive is one of the lines.
func (q QuotedLines) Hold(call tools.Call) bool {
	first, _, _ := strings.Cut(call.Arg, "\n")
	return !call.Native() && q[tools.Call{Name: call.Name, Arg: first}.Key()]
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

// fence follows code fences: three or more backticks or tildes, at any depth of
// indentation, closed by at least as many of the same.
type fence struct {
	mark  byte
	count int
}

func (f *fence) open() bool { return f.count > 0 }

// line follows one whole line.
func (f *fence) line(line string) {
	line = strings.TrimSpace(line)
	mark, count := fenceMark(line)
	rest := line[count:]
	switch {
	case count < 3:
	case f.open():
		if mark == f.mark && count >= f.count && rest == "" {
			*f = fence{}
		}
	case mark == '~' || !strings.Contains(rest, "`"):
		*f = fence{mark: mark, count: count}
	}
}

// fenceMark gives the fence character a line begins with and how often.
func fenceMark(line string) (mark byte, count int) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return 0, 0
	}
	for count < len(line) && line[count] == line[0] {
		count++
	}
	return line[0], count
}

// NearMiss matches a line that looks like a directive and is none: a list sign, a
// quotation sign, emphasis, indentation, another case, a wide colon, a hyphen or
// a space for the underscore.
var NearMiss = regexp.MustCompile("(?i)^[\\s>*_`#+•–—\\-]*(?:\\d+[.)]\\s*)?[\\s*_`\\[(\"']*" +
	"(?:AGENT|SKILL|MEMORY[_ -](?:APPEND|REPLACE|REMOVE|SEARCH)|SYSTEM[_ -]STATS|FETCH[_ -]URL)" +
	"[\\s*_`\\])\"']*[:：]")

// OnlyNearMisses reports whether a reply holds nothing but lines that look like
// directives and are none (fences and what follows in them included). Such a
// reply was surely meant as a call; it is never run.
func OnlyNearMisses(reply string) bool {
	var f fence
	found := false
	for line := range strings.Lines(reply) {
		wasOpen := f.open()
		f.line(line)
		switch {
		case strings.TrimSpace(line) == "", f.open() != wasOpen:
		case NearMiss.MatchString(line):
			found = true
		case wasOpen && found: // the rest of a fenced call
		default:
			return false
		}
	}
	return found
}
