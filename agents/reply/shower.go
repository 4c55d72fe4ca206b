package reply

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Shower passes on what is certainly text or thought while a reply arrives. What it returns
// as text is a prefix of the text of the parts, unless the end of a thought follows without
// its beginning, or marks that never close: then the parts replace what was shown.
type Shower struct {
	reading
	all    strings.Builder
	shown  int // bytes of the reply that are passed on or left out
	total  int // bytes of text passed on
	turned int // those that have turned into thought
	begun  bool
}

// maxWait is how many bytes are held before the Shower gives up to wait for more.
const maxWait = 4096

// NewShower returns a Shower for one reply. Its arguments are those of Parse.
func NewShower(m Marks, tools []Tool, quoted []Quoted) *Shower {
	return &Shower{reading: *newReading(m, tools, quoted)}
}

// Stopped reports whether the Shower waits for the end of the reply, because what came
// last may be a call. It shows nothing more.
func (s *Shower) Stopped() bool { return s.stopped }

// Write processes the next piece and returns the text and the thought that may be shown
// now.
func (s *Shower) Write(piece string) (text, thought string) {
	if s.stopped {
		return "", ""
	}
	s.all.WriteString(piece)
	s.s = s.all.String()
	for back := 1; back < utf8.UTFMax && back <= len(s.s); back++ {
		if at := len(s.s) - back; utf8.RuneStart(s.s[at]) {
			if !utf8.FullRuneInString(s.s[at:]) {
				s.s = s.s[:at]
			}
			break
		}
	}
	if !s.begun {
		if s.begun = s.begins(strings.TrimLeft(s.s, blanks)); !s.begun || s.stopped {
			return "", ""
		}
	}
	turns := s.turns
	s.read()
	if s.turns > turns {
		s.turned = s.total
	}
	pass := func(to int, kind itemKind) {
		from := s.shown
		if s.shown = max(from, to); kind == itemThought {
			thought += s.s[from:s.shown]
		} else if kind == itemShown {
			text += s.s[from:s.shown]
		}
	}
	n := len(s.items)
	for n > 0 && s.items[n-1].to > s.shown {
		n--
	}
	for _, i := range s.items[n:] {
		pass(i.from, itemShown)
		pass(i.to, i.kind)
	}
	kind := itemShown
	if s.thinking {
		kind = itemThought
	}
	pass(s.at, kind)
	if s.total += len(text); len(s.s)-s.at > maxWait {
		s.stopped = true // whatever it is, looking at it again and again would take too long
	}
	return text, thought
}

// begins reports whether the beginning of the reply is there. Words around a thought, which
// count only if they are closed, stop the Shower, and so does markup with a tool's name.
func (s *Shower) begins(start string) bool {
	for _, words := range []string{"Thought:", "<unused94>thought", "Here is my thought process:", "analysis"} {
		if strings.HasPrefix(start, words) {
			s.stopped = true
		} else if strings.HasPrefix(words, start) && len(s.s) < maxHeld {
			return false
		}
	}
	line, _, ended := strings.Cut(start[:min(len(start), maxHeld)], "\n")
	if m, st := markAt(start, 0, s.literals); st == yes && m.kind == markThought {
		return true
	}
	if first, size := utf8.DecodeRuneInString(start); size == len(start) && size > 0 || beginsMarkup(start) && strings.ContainsRune("<>]✿◁$@=&", first) {
		if s.stopped = slices.ContainsFunc(s.tools.tools, func(t Tool) bool { return t.For == "" && mentions(line, t.Name) }); !ended && len(line) < maxHeld {
			return s.stopped
		}
	}
	return true
}
