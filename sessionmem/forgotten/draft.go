package forgotten

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode"

	"mac-stats/sessionmem/textfold"
)

// Draft holds the traces of a forgetting that isn't recorded yet: what it matches is still
// being collected. Record.Begin ends this phase.
type Draft struct {
	*Traces
}

// Touch records a place (a session's name, a file's path below the data folder) with a
// match. What is derived from the place is made again.
func (t *Draft) Touch(place string) { t.mark(traceTouched, place) }

// AddWords adds consecutive words of a text, at most 16 for each trace. They match wherever
// they occur in this order.
func (t *Draft) AddWords(text string) {
	for _, w := range t.f().Read([]byte(text)).Whole() {
		t.addWindows(w, 0, len(w.Words))
	}
}

// addWindows adds n words from the first on. The last window reaches back, so that it isn't
// made of a few words that occur everywhere.
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

// AddPhrase adds every form of a phrase that occurs in a text. The phrase may begin and end
// inside a word, unless Phrase.Whole says otherwise. It reports whether the phrase occurs.
func (t *Draft) AddPhrase(text string, phrase textfold.Phrase) bool {
	return t.AddPhraseRaw([]byte(text), phrase)
}

// AddPhraseRaw is AddPhrase for the bytes of a file.
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

// Has reports whether a phrase occurs in a text as AddPhrase finds it.
func (t *Draft) Has(text string, phrase textfold.Phrase) bool {
	return slices.ContainsFunc(t.f().Read([]byte(text)).All(), func(w textfold.Words) bool { return len(w.FindAny(phrase)) > 0 })
}

// Phrase makes words comparable.
func (t *Draft) Phrase(words string) textfold.Phrase { return t.f().Phrase(words) }

// AddSentences adds the sentences of a text that are distinctive enough to be recognised
// elsewhere. typed reports whether a person wrote the text.
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
		return n >= minModel || digits && n >= minTyped
	}
	return n >= minTyped || digits && n >= 2 && len(w.Folded) >= 6 || len(w.Folded) >= 20
}

// AddBlock adds a block, whatever its text.
func (t *Draft) AddBlock(session, id string) { t.mark(traceBlock, session+"\x00"+id) }

// AddPart adds words of a block. They match there even if text that a person typed doesn't
// match elsewhere.
func (t *Draft) AddPart(session, id, words string) {
	t.mark(tracePart, session+"\x00"+id)
	t.AddWords(words)
}

// AddSession adds the blocks of a session until now, except those of this second.
func (t *Draft) AddSession(name string) { t.mark(traceSession, name) }

// AddFound records which blocks of the very second of the forgetting it found. Other blocks
// with the same words were written after it.
func (t *Draft) AddFound(found []Touched) {
	t.Own().Seconds = true
	for _, id := range BlocksInSecond(found, t.Own().At) {
		t.mark(traceSecond, id)
	}
}

// AddAuthor adds the blocks that an author has written until now.
func (t *Draft) AddAuthor(author string) { t.mark(traceAuthor, author) }

func (t *Draft) mark(kind, text string) {
	g := t.Own()
	t.add(traceLine{Kind: kind, Sum: g.sum(kind, text), Of: g.ID}, g)
}

// ForGuest marks a forgetting that somebody on Discord asked for: matches by words alone
// don't count in the owner's own conversations, memory and files.
func (t *Draft) ForGuest() { t.Own().Guest = true }

// AddSpan adds the blocks of a time span. until is excluded and limited to now.
func (t *Draft) AddSpan(since, until time.Time) {
	g := t.Own()
	if until.IsZero() || until.After(g.At) {
		until = g.At
	}
	g.Since, g.Until = since, until
	t.spans = append(t.spans, g)
}

// AddLesson adds a line of a memory that was learned from what is forgotten. It is removed
// if lessons go too, else its removal is proposed. A proposal with the same words is always
// removed.
func (t *Draft) AddLesson(text string) { t.mark(traceLesson, t.words(text)) }

// AddLine adds a piece of a memory (a bullet, a paragraph: memorytext.Piece) that is always removed
// as a whole, wherever it was learned.
func (t *Draft) AddLine(text string) { t.mark(traceChosen, t.words(text)) }

// AddModelText adds the sentences of a model's text. DropCommon drops those again that Common
// finds elsewhere too.
func (t *Draft) AddModelText(text string, c *Common) {
	if c.t == nil {
		c.t, c.loose = t.Traces, map[[sha256.Size / 2]byte]map[string]bool{}
	}
	before := len(t.lines)
	t.AddSentences(text, false)
	for _, l := range t.lines[before:] {
		c.loose[[sha256.Size / 2]byte(l.Sum)] = map[string]bool{}
	}
}

// DropCommon drops the traces that occur in several sessions, and returns their number.
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

// WordsOf returns the significant words of a text for comparisons: folded, of four letters
// and more.
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
