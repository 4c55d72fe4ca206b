package forgotten

import (
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

// MeansSession says whether all that was said in a session is meant.
func (t *Traces) MeansSession(name string) bool {
	return t.marks.anyHas(t.at, traceSession, name)
}

// MeansTime says whether a span of time is meant that the day from that time on lies in.
func (t *Traces) MeansTime(day time.Time) bool {
	return !day.IsZero() && slices.ContainsFunc(t.spans, func(g *Forgetting) bool {
		return day.Before(g.Until) && day.AddDate(0, 0, 1).After(g.Since)
	})
}

// MadeOf says whether a title, or the topic in a file's name, goes with a first message:
// it may be made of it. One that a person wrote instead shares no word with it, but for
// such as "the". Where the message was gone before, nobody knows; with a session all goes.
func (t *Traces) MadeOf(session, first, title string) bool {
	words := t.words(title)
	if first == "" || len(words) == 0 || t.MeansSession(session) || t.HoldsIn(session, title) {
		return true
	}
	if strings.HasPrefix(t.words(transcript.TitleText(first)), words) { // a cut one may end within a word
		return true
	}
	said := strings.Fields(t.words(first))
	return slices.ContainsFunc(strings.Fields(words), func(w string) bool {
		telling := len(w) > 3 || strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' })
		return telling && slices.Contains(said, w)
	})
}

// SiftName names a transcript under what is forgotten now.
func (t *Traces) SiftName(file string) [8]byte {
	return [8]byte(t.at[0].sum("sifted", t.generation+"\x00"+file))
}
