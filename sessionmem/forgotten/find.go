package forgotten

import (
	"mac-stats/sessionmem/textfold"
)

// Holds reports whether a text holds a match.
func (t *Traces) Holds(text string) bool { return text != Text && t.HoldsRaw([]byte(text)) }

// HoldsIn reports whether a text of a session holds a match that counts there.
func (t *Traces) HoldsIn(session, text string) bool {
	return t.holdsBy(text, func(g *Forgetting) bool { return g.Counts(session) })
}

// holdsBy reports whether a text holds a match of the forgettings that count.
func (t *Traces) holdsBy(text string, counts func(*Forgetting) bool) bool {
	return text != "" && text != Text && len(t.findBy([]byte(text), counts)) > 0
}

// HoldsRaw reports whether a file's bytes hold a match.
func (t *Traces) HoldsRaw(data []byte) bool { return len(t.FindRaw(data)) > 0 }

// FindRaw returns the ranges that match, in order.
func (t *Traces) FindRaw(data []byte) []textfold.Mark { return t.findBy(data, nil) }

// findBy finds the matches of the forgettings that count, in any reading; nil means that
// all count.
func (t *Traces) findBy(text []byte, counts func(*Forgetting) bool) []textfold.Mark {
	if len(t.texts) == 0 {
		return nil
	}
	var marks []textfold.Mark
	for _, w := range t.f().Read(text).All() {
		marks = append(marks, t.texts.find(w, counts)...)
	}
	return textfold.JoinMarks(marks)
}
