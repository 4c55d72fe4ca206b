package forgotten

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
)

// MeansTyped says whether words are meant that the user typed elsewhere, too.
func (t *Traces) MeansTyped() bool { return t.own().Typed }

// MeansSession says whether all that was said in a session is meant.
func (t *Traces) MeansSession(name string) bool {
	return slices.ContainsFunc(t.at, func(g *forgetting) bool { return t.marked(g, traceSession, name) })
}

// MeansTime says whether a span of time is meant that the day from that time on lies in.
func (t *Traces) MeansTime(day time.Time) bool {
	return !day.IsZero() && slices.ContainsFunc(t.spans, func(g *forgetting) bool {
		return day.Before(g.Until) && day.AddDate(0, 0, 1).After(g.Since)
	})
}

// AddTold adds the sentences of a model's text; those that Common finds elsewhere,
// too, are left out again by DropCommon.
func (t *Traces) AddTold(text string, c *Common) {
	if c.t == nil {
		c.t, c.loose = t, map[[sha256.Size / 2]byte]map[string]bool{}
	}
	before := len(t.lines)
	t.AddSentences(text, false)
	for _, l := range t.lines[before:] {
		c.loose[[sha256.Size / 2]byte(l.Sum)] = map[string]bool{}
	}
}

// DropCommon leaves out what stands in several sessions, and says how many that are.
func (t *Traces) DropCommon(c *Common) (dropped int) {
	if c.t == nil {
		return 0
	}
	common := func(sum []byte) bool {
		return len(sum) == sha256.Size/2 && len(c.loose[[sha256.Size / 2]byte(sum)]) >= commonFrom
	}
	before := len(t.lines)
	t.lines = slices.DeleteFunc(t.lines, func(l traceLine) bool { return l.Kind == traceText && common(l.Sum) })
	for _, set := range t.texts {
		for tag, list := range set.all {
			set.all[tag] = slices.DeleteFunc(list, func(s traceSum) bool { return common(s.sum[:]) })
		}
	}
	return before - len(t.lines)
}

// WordsOf gives the words of a text that say something, to compare texts by: folded,
// of four letters and more.
func (t *Traces) WordsOf(text string) map[string]bool {
	out := map[string]bool{}
	w := t.f().WordsOf([]byte(text), false)
	for _, a := range w.Words {
		if word := w.Folded[a.Start:a.End]; len(word) > 3 {
			out[string(word)] = true
		}
	}
	return out
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

// Common are sentences that stand in several sessions: what models always say.
type Common struct {
	t     *Traces
	loose map[[sha256.Size / 2]byte]map[string]bool // of windows that may be left out: the sessions that hold them
}

// commonFrom is in how many other sessions a sentence of a model stands that is
// nobody's in particular.
const commonFrom = 3

// Empty reports whether there is nothing to count.
func (c *Common) Empty() bool { return len(c.loose) == 0 }

// Count looks at a text of another session.
func (c *Common) Count(session, text string) {
	if c.t == nil || len(c.loose) == 0 {
		return
	}
	for _, w := range c.t.f().Read([]byte(text)).All() {
		c.count(session, w)
	}
}

func (c *Common) count(session string, w textfold.Words) {
	for n, set := range c.t.texts {
		r := textfold.NewRolling(n)
		for i := range w.Words {
			tag, full := r.Push(w.Words[i].Hash)
			if !full || set.tags[tag/64]&(1<<(tag%64)) == 0 {
				continue
			}
			sum := [sha256.Size / 2]byte(c.t.own().sum(traceText, string(w.Window(i-n+1, n))))
			if in := c.loose[sum]; in != nil {
				in[session] = true
			}
		}
	}
}
