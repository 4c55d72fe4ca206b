package reply

import (
	"strings"
	"unicode/utf8"
)

// Shower passes on what is certainly text or thought while a reply arrives. What it returns
// as text is a prefix of the text of the parts, unless the end of a thought follows without
// its beginning, or marks that never close: then the parts replace what was shown.
type Shower struct {
	scanner
	shown   int // bytes of s that are done with
	stopped bool

	said     bool   // text was shown since the last thought without a beginning
	gap      bool   // text was shown since the last mark
	began    bool   // the reply began with a thought
	skipping bool   // blanks behind a mark aren't shown
	text     int    // opening marks of thoughts that are text
	last     byte   // the last byte of text that isn't blank
	thinking bool   // in a thought
	half     string // the beginning of a character
	opening  bool   // nothing has been decided yet
	total    int    // bytes of text shown
	turned   int    // those that have turned into thought
	turns    int    // how often
}

// maxWait is how many bytes are held before the Shower gives up to wait for more.
const maxWait = 4096

// lookBehind is how much of what was shown is kept to judge what follows, in bytes.
const lookBehind = 256

// NewShower returns a Shower for one reply. Its arguments are those of Parse.
func NewShower(m Marks, tools []Tool, quoted []Quoted) *Shower {
	return &Shower{scanner: *newScanner(m, tools, quoted), opening: true}
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
	if cut := s.shown - lookBehind; cut > lookBehind {
		s.s = s.s[cut:]
		s.at -= cut
		s.shown -= cut
	}
	piece = s.half + piece
	end := len(piece)
	for back := 1; back < utf8.UTFMax && back <= len(piece); back++ {
		if at := len(piece) - back; utf8.RuneStart(piece[at]) {
			if !utf8.FullRuneInString(piece[at:]) {
				end = at
			}
			break
		}
	}
	s.half = piece[end:]
	s.s += piece[:end]
	for s.advance(&text, &thought) {
	}
	if len(s.s)-s.shown > maxWait {
		s.stopped = true // whatever it is, looking at it again and again would take too long
	}
	return text, thought
}

// advance goes on to the next token and reports whether there may be another one.
func (s *Shower) advance(shown, thoughts *string) bool {
	if s.opening {
		start := strings.TrimLeft(s.s, " \t\r\n")
		for _, p := range pairs {
			if strings.HasPrefix(start, p.open) {
				s.stopped = true
				return false
			}
			if strings.HasPrefix(p.open, start) && len(s.s) < maxHeld {
				return false
			}
		}
		s.opening = false
	}
	for s.skipping {
		if s.at == len(s.s) {
			return false
		}
		if s.skipping = strings.IndexByte(" \t\r\n", s.s[s.at]) >= 0; s.skipping {
			s.at++
			s.shown = s.at
			continue
		}
		s.judge, s.fresh = true, true
	}
	if s.thinking {
		m, st := s.thoughtEnd()
		*thoughts += s.s[s.shown:s.at]
		if s.shown = s.at; st == yes {
			s.thinking = false
			s.swallow(m.to)
		}
		return st == yes
	}
	t, st := s.next()
	text := s.s[s.shown:max(s.shown, s.at)]
	if trimmed := strings.TrimSpace(text); trimmed != "" {
		s.said, s.gap = true, true
		s.last = trimmed[len(trimmed)-1]
	}
	*shown += text
	s.total += len(text)
	s.shown = max(s.shown, s.at)
	if st != yes {
		return false
	}
	switch t.kind {
	case tokenMark:
		st = s.mark(t.mark, t.hidden)
	case tokenFence:
		st = s.openFence(t)
	default:
		s.stopped = true
	}
	switch {
	case s.stopped || st == more:
		return false
	case st == no && t.kind == tokenMark:
		s.moveTo(t.to, false)
	case st == no:
		s.moveTo(t.from+1, false)
	}
	return true
}

// swallow leaves out a mark and the blanks behind it.
func (s *Shower) swallow(to int) {
	s.moveTo(to, true)
	s.shown, s.gap, s.skipping = to, false, true
}

// mark handles a mark as Parse does, as far as that is certain: no means that it is text,
// more that the text behind it decides. A turn, a header or what encloses an answer is left
// to Parse.
func (s *Shower) mark(m mark, hidden bool) status {
	rest := s.s[m.to:]
	behind := strings.TrimLeft(rest, " \t\r\n")
	switch m.kind {
	case markEnvelope, markCall:
		switch {
		case m.close || hidden && rest != "" && strings.IndexByte("\"'`*) ", rest[0]) >= 0:
			return no
		case behind == "" && len(rest) < maxHeld:
			return more
		}
		s.stopped = true
	case markThought:
		if m.close {
			return s.closesThought(m, rest)
		}
		if hidden || s.said && s.gap && !s.fresh && (!s.began || strings.IndexByte(".!?", s.last) < 0) {
			s.text++
			return no
		}
		s.began = s.began || !s.said
		s.thinking = true
		s.moveTo(m.to, true)
		s.shown, s.gap = m.to, false
		return yes
	case markEnd:
		if behind == "" {
			return more
		}
		_, st := markAt(behind, 0, s.literals)
		s.stopped = st == yes
		return st
	case markRole, markHeader, markAround:
		s.stopped = !m.close && (!s.gap || s.fresh && m.kind != markAround)
	}
	return no
}

// closesThought handles the end of a thought without its beginning.
func (s *Shower) closesThought(m mark, rest string) status {
	if s.text > 0 {
		s.text--
		return no
	}
	if after := strings.TrimLeft(rest, " \t\r"); after == "" {
		return more
	}
	r := reading{scanner: &s.scanner}
	if !r.closesHere(m) {
		return no
	}
	s.said, s.began, s.turned = false, true, s.total
	s.turns++
	s.swallow(m.to)
	return yes
}

// openFence begins a code fence, unless it may hold nothing but calls.
func (s *Shower) openFence(t token) status {
	info, _, _ := strings.Cut(t.info, " ")
	if namesEnvelope(info) || s.wild {
		s.stopped = true
		return no
	}
	inner := &scanner{s: s.s[t.to:], names: s.names, judge: true, fresh: true}
	found, st := inner.next()
	blank := strings.TrimSpace(inner.s[:inner.at]) == ""
	switch {
	case st == yes && blank && (found.kind == tokenName || found.kind == tokenValue):
		s.stopped = true
		return no
	case st != yes && blank && len(inner.s) < maxHeld:
		return more
	}
	s.fence = t.fence
	s.at, s.judge = t.to, true
	return yes
}
