package forgotten

import (
	"mac-stats/sessionmem/textfold"
)

// Holds says whether something in a text is meant.
func (t *Traces) Holds(text string) bool { return text != Text && t.HoldsRaw([]byte(text)) }

// HoldsIn says whether something in a text of a session is meant there.
func (t *Traces) HoldsIn(session, text string) bool {
	return t.holdsBy(text, func(g *Forgetting) bool { return g.Counts(session) })
}

// holdsBy says whether something in a text is meant by the forgettings that count.
func (t *Traces) holdsBy(text string, counts func(*Forgetting) bool) bool {
	return text != "" && text != Text && len(t.findBy([]byte(text), counts)) > 0
}

// HoldsRaw says whether something in a file's bytes is meant.
func (t *Traces) HoldsRaw(data []byte) bool { return len(t.FindRaw(data)) > 0 }

// FindRaw gives the places that HoldsRaw means, in order.
func (t *Traces) FindRaw(data []byte) []textfold.Mark { return t.findBy(data, nil) }

// findBy finds what is meant by the forgettings that count, in any reading; nil: all do.
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
