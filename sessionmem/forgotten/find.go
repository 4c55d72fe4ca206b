package forgotten

import (
	"crypto/sha256"

	"mac-stats/sessionmem/textfold"
)

// Find gives the places of a text that are meant, in order.
func (t *Traces) Find(text string) []textfold.Mark {
	if text == Text {
		return nil
	}
	return t.findBy([]byte(text), nil)
}

// Holds says whether something in a text is meant.
func (t *Traces) Holds(text string) bool { return len(t.Find(text)) > 0 }

// HoldsIn says whether something in a text of a session is meant there.
func (t *Traces) HoldsIn(session, text string) bool {
	return t.holdsBy(text, func(g *forgetting) bool { return g.counts(session) })
}

// holdsBy says whether something in a text is meant by the forgettings that count.
func (t *Traces) holdsBy(text string, counts func(*forgetting) bool) bool {
	return text != "" && text != Text && len(t.findBy([]byte(text), counts)) > 0
}

// HoldsRaw says whether something in a file's bytes is meant.
func (t *Traces) HoldsRaw(data []byte) bool { return len(t.FindRaw(data)) > 0 }

// FindRaw gives the places that HoldsRaw means, in order.
func (t *Traces) FindRaw(data []byte) []textfold.Mark { return t.findBy(data, nil) }

// findBy finds what is meant by the forgettings that count, in any reading; nil: all do.
func (t *Traces) findBy(text []byte, counts func(*forgetting) bool) []textfold.Mark {
	if len(t.texts) == 0 {
		return nil
	}
	var marks []textfold.Mark
	for _, w := range t.f().Read(text).All() {
		marks = append(marks, t.findIn(w, counts)...)
	}
	return textfold.JoinMarks(marks)
}

// findIn finds what is meant by the forgettings that count; nil: all do.
func (t *Traces) findIn(w textfold.Words, counts func(*forgetting) bool) []textfold.Mark {
	var marks []textfold.Mark
	for n, set := range t.texts {
		r := textfold.NewRolling(n)
		for i := range w.Words {
			tag, full := r.Push(w.Words[i].Hash)
			if !full || set.tags[tag/64]&(1<<(tag%64)) == 0 {
				continue
			}
			if set.holds(tag, w, i-n+1, n, counts) {
				marks = append(marks, w.Span(i-n+1, n))
			}
		}
	}
	return textfold.JoinMarks(marks)
}

// holds compares a window whose tag is among those there are.
func (s *traceSums) holds(tag uint16, w textfold.Words, i, n int, counts func(*forgetting) bool) bool {
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
