package forgotten

import (
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

// MatchesSession reports whether everything said in a session matches.
func (t *Traces) MatchesSession(name string) bool {
	return t.marks.anyHas(t.at, traceSession, name)
}

// MatchesTime reports whether a span of time matches that overlaps the 24 hours from day
// on.
func (t *Traces) MatchesTime(day time.Time) bool {
	return !day.IsZero() && slices.ContainsFunc(t.spans, func(g *Forgetting) bool {
		return day.Before(g.Until) && day.AddDate(0, 0, 1).After(g.Since)
	})
}

// MayBeMadeFrom reports whether a title, or the topic in a file's name, may be made from
// the first message. A title that a person wrote instead shares no word with it, apart from
// words such as "the". If the message was removed earlier, or the whole session goes, it
// returns true.
func (t *Traces) MayBeMadeFrom(session, first, title string) bool {
	words := t.words(title)
	if first == "" || len(words) == 0 || t.MatchesSession(session) || t.HoldsIn(session, title) {
		return true
	}
	if strings.HasPrefix(t.words(transcript.TitleText(first)), words) { // a truncated one may end inside a word
		return true
	}
	said := strings.Fields(t.words(first))
	return slices.ContainsFunc(strings.Fields(words), func(w string) bool {
		telling := len(w) > 3 || strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' })
		return telling && slices.Contains(said, w)
	})
}

// SiftName returns the name of a transcript under everything that is forgotten now.
func (t *Traces) SiftName(file string) [8]byte {
	return [8]byte(t.at[0].sum("sifted", t.generation+"\x00"+file))
}
