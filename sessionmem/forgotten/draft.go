package forgotten

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode"

	"mac-stats/sessionmem/textfold"
)

// Draft are the traces of a forgetting that is not written down yet: what it means is still
// being collected. Record.Begin ends that.
type Draft struct {
	*Traces
}

// Touch notes a place (a session's name, a file's path below the data folder) that
// something was found in: what is derived from it is made anew.
func (t *Draft) Touch(place string) { t.mark(traceTouched, place) }

// AddWords adds words that stand so in a text, one behind the other, at most 16 of
// them for each trace: where they stand together anywhere, they are meant.
func (t *Draft) AddWords(text string) {
	for _, w := range t.f().Read([]byte(text)).Whole() {
		t.addWindows(w, 0, len(w.Words))
	}
}

// addWindows adds n words from the first on; the last window reaches back, so that it
// isn't a few words that stand everywhere.
func (t *Draft) addWindows(w textfold.Words, first, n int) {
	for i := 0; i < n; i += maxWindow {
		size := min(maxWindow, n-i)
		from := first + i
		if size < maxWindow && i > 0 {
			from, size = first+n-maxWindow, maxWindow
		}
		t.addWindow(w, from, size)
	}
}

func (t *Draft) addWindow(w textfold.Words, i, n int) {
	g := t.Own()
	text := string(w.Window(i, n))
	if text == "forgotten" {
		return
	}
	t.add(traceLine{Kind: traceText, Words: n, Tag: w.Tag(i, n), Sum: g.sum(traceText, text), Of: g.ID}, g)
}

// AddPhrase adds every form that a phrase has in a text or a file's bytes: it may begin
// and end within a word, unless Phrase.Whole says otherwise. It reports whether it stands
// there.
func (t *Draft) AddPhrase(text string, phrase textfold.Phrase) bool {
	return t.AddPhraseRaw([]byte(text), phrase)
}

// AddPhraseRaw is AddPhrase for bytes.
func (t *Draft) AddPhraseRaw(data []byte, phrase textfold.Phrase) bool {
	there := false
	for _, w := range t.f().Read(data).All() {
		for _, f := range w.FindAny(phrase) {
			t.addWindows(w, f[0], f[1])
			there = true
		}
	}
	return there
}

// Has reports whether a phrase stands in a text as AddPhrase finds it.
func (t *Draft) Has(text string, phrase textfold.Phrase) bool {
	return slices.ContainsFunc(t.f().Read([]byte(text)).All(), func(w textfold.Words) bool { return len(w.FindAny(phrase)) > 0 })
}

// Phrase makes words comparable.
func (t *Draft) Phrase(words string) textfold.Phrase { return t.f().Phrase(words) }

// AddSentences adds the sentences of a text that say enough to be known again
// elsewhere. typed: a person wrote it.
func (t *Draft) AddSentences(text string, typed bool) {
	for _, s := range textfold.Sentences(text) {
		r := t.f().Read([]byte(s))
		if !distinctive(r.Plain[0], typed) {
			continue
		}
		for _, w := range r.Whole() {
			t.addWindows(w, 0, len(w.Words))
		}
	}
}

func distinctive(w textfold.Words, typed bool) bool {
	n := len(w.Words)
	digits := strings.ContainsFunc(string(w.Folded), unicode.IsDigit)
	if !typed {
		return n >= minTold || digits && n >= minTyped
	}
	return n >= minTyped || digits && n >= 2 && len(w.Folded) >= 6 || len(w.Folded) >= 20
}

// AddBlock adds a block, whatever it says.
func (t *Draft) AddBlock(session, id string) { t.mark(traceBlock, session+"\x00"+id) }

// AddPart adds words that stand in a block: they are meant there even where what a
// person typed is not meant elsewhere.
func (t *Draft) AddPart(session, id, words string) {
	t.mark(tracePart, session+"\x00"+id)
	t.AddWords(words)
}

// AddSession adds the blocks of a session up to now, but for those of this second.
func (t *Draft) AddSession(name string) { t.mark(traceSession, name) }

// AddFound notes which blocks of the very second of the forgetting it found: another one
// with the same words was said after it.
func (t *Draft) AddFound(found []Touched) {
	t.Own().Seconds = true
	for _, id := range OfSecond(found, t.Own().At) {
		t.mark(traceSecond, id)
	}
}

// AddAuthor adds the blocks that an author wrote up to now.
func (t *Draft) AddAuthor(author string) { t.mark(traceAuthor, author) }

func (t *Draft) mark(kind, text string) {
	g := t.Own()
	t.add(traceLine{Kind: kind, Sum: g.sum(kind, text), Of: g.ID}, g)
}

// ForGuest says that somebody on Discord asks for it: what is meant by its words alone
// is left where the owner's own conversations, memory and files say the same.
func (t *Draft) ForGuest() { t.Own().Guest = true }

// AddSpan adds the blocks of a time, until excluded and never later than now.
func (t *Draft) AddSpan(since, until time.Time) {
	g := t.Own()
	if until.IsZero() || until.After(g.At) {
		until = g.At
	}
	g.Since, g.Until = since, until
	t.spans = append(t.spans, g)
}

// AddLesson adds a line of a memory that was learnt from what is forgotten: it is
// removed where lessons go too, else its removal is proposed. A proposal of the same
// words goes in any case.
func (t *Draft) AddLesson(text string) { t.mark(traceLesson, t.words(text)) }

// AddLine adds a line of a memory that goes in any case, wherever it was learnt.
func (t *Draft) AddLine(text string) { t.mark(traceChosen, t.words(text)) }

// AddTold adds the sentences of a model's text; those that Common finds elsewhere,
// too, are left out again by DropCommon.
func (t *Draft) AddTold(text string, c *Common) {
	if c.t == nil {
		c.t, c.loose = t.Traces, map[[sha256.Size / 2]byte]map[string]bool{}
	}
	before := len(t.lines)
	t.AddSentences(text, false)
	for _, l := range t.lines[before:] {
		c.loose[[sha256.Size / 2]byte(l.Sum)] = map[string]bool{}
	}
}

// DropCommon leaves out what stands in several sessions, and says how many that are.
func (t *Draft) DropCommon(c *Common) (dropped int) {
	if c.t == nil {
		return 0
	}
	common := func(sum []byte) bool {
		return len(sum) == sha256.Size/2 && len(c.loose[[sha256.Size / 2]byte(sum)]) >= commonFrom
	}
	before := len(t.lines)
	t.lines = slices.DeleteFunc(t.lines, func(l traceLine) bool { return l.Kind == traceText && common(l.Sum) })
	t.texts.drop(func(sum [sha256.Size / 2]byte) bool { return common(sum[:]) })
	return before - len(t.lines)
}

// WordsOf gives the words of a text that say something, to compare texts by: folded,
// of four letters and more.
func (t *Draft) WordsOf(text string) map[string]bool {
	out := map[string]bool{}
	w := t.f().WordsOf([]byte(text), false)
	for _, a := range w.Words {
		if word := w.Folded[a.Start:a.End]; len(word) > 3 {
			out[string(word)] = true
		}
	}
	return out
}

// LeaveSession has a forgetting of another machine not mean a session of this one, which only
// has the name of the one that is meant.
func (t *Draft) LeaveSession(name string) {
	g := t.Own()
	sum := g.sum(traceSession, name)
	delete(t.marks, traceSession+"\x00"+string(sum))
	t.lines = slices.DeleteFunc(t.lines, func(l traceLine) bool { return l.Kind == traceSession && string(l.Sum) == string(sum) })
}
