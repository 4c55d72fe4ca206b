package forgotten

import (
	"crypto/sha256"
	"slices"

	"mac-stats/sessionmem/textfold"
)

// traceSums holds the traces of texts with a certain number of words.
type traceSums struct {
	tags [1 << 16 / 64]uint64 // a bit for each tag in use
	all  map[uint16][]traceSum
}

type traceSum struct {
	sum [sha256.Size / 2]byte
	of  *Forgetting
}

// windows holds the traces of texts, by number of words.
type windows map[int]*traceSums

// add adds a line. It returns false if the line is there already or isn't a trace.
func (s windows) add(l traceLine, g *Forgetting) bool {
	if len(l.Sum) != sha256.Size/2 || l.Words < 1 || l.Words > maxWindow {
		return false
	}
	w := s[l.Words]
	if w == nil {
		w = &traceSums{all: map[uint16][]traceSum{}}
		s[l.Words] = w
	}
	entry := traceSum{[sha256.Size / 2]byte(l.Sum), g}
	if slices.Contains(w.all[l.Tag], entry) {
		return false
	}
	w.tags[l.Tag/64] |= 1 << (l.Tag % 64)
	w.all[l.Tag] = append(w.all[l.Tag], entry)
	return true
}

// drop removes the sums that are common.
func (s windows) drop(common func(sum [sha256.Size / 2]byte) bool) {
	for _, set := range s {
		for tag, list := range set.all {
			set.all[tag] = slices.DeleteFunc(list, func(e traceSum) bool { return common(e.sum) })
		}
	}
}

// each calls do with every window of n words from word i on whose tag is in use.
func (s windows) each(w textfold.Words, do func(set *traceSums, tag uint16, i, n int)) {
	for n, set := range s {
		r := textfold.NewRolling(n)
		for i := range w.Words {
			if tag, full := r.Push(w.Words[i].Hash); full && set.tags[tag/64]&(1<<(tag%64)) != 0 {
				do(set, tag, i-n+1, n)
			}
		}
	}
}

// find returns the matches of the forgettings that count; nil means that all count.
func (s windows) find(w textfold.Words, counts func(*Forgetting) bool) []textfold.Mark {
	var marks []textfold.Mark
	s.each(w, func(set *traceSums, tag uint16, i, n int) {
		if set.holds(tag, w, i, n, counts) {
			marks = append(marks, w.Span(i, n))
		}
	})
	return textfold.JoinMarks(marks)
}

// holds compares a window whose tag is in use.
func (s *traceSums) holds(tag uint16, w textfold.Words, i, n int, counts func(*Forgetting) bool) bool {
	text := string(w.Window(i, n))
	var key string
	var sum [sha256.Size / 2]byte
	for _, entry := range s.all[tag] {
		if counts != nil && !counts(entry.of) {
			continue
		}
		if key != string(entry.of.key) {
			key, sum = string(entry.of.key), [sha256.Size / 2]byte(entry.of.sum(traceText, text))
		}
		if sum == entry.sum {
			return true
		}
	}
	return false
}

// marks holds the traces of everything but text, by kind and hash, with their forgettings.
type marks map[string][]*Forgetting

// add adds a line. It returns false if the line is there already.
func (m marks) add(l traceLine, g *Forgetting) bool {
	mark := l.Kind + "\x00" + string(l.Sum)
	if slices.Contains(m[mark], g) {
		return false
	}
	m[mark] = append(m[mark], g)
	if !g.kinds[l.Kind] { // don't write: others may be reading a forgetting that is complete
		if g.kinds == nil {
			g.kinds = map[string]bool{}
		}
		g.kinds[l.Kind] = true
	}
	return true
}

// has reports whether the forgetting matches this.
func (m marks) has(g *Forgetting, kind, text string) bool {
	return g.kinds[kind] && slices.Contains(m[kind+"\x00"+string(g.sum(kind, text))], g)
}

// anyHas reports whether one of the forgettings matches this.
func (m marks) anyHas(of []*Forgetting, kind, text string) bool {
	return slices.ContainsFunc(of, func(g *Forgetting) bool { return m.has(g, kind, text) })
}
