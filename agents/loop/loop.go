// Package loop notices a model that repeats itself.
//
// Local models, small ones most, fall into loops that they never leave: the same
// passage again and again, or the same words in another order. Servers before 0.9 let
// them go on without end, newer ones until the context is full. Who reads an answer as
// it comes gives each piece to a Watch and ends the call where it finds a loop. It knows
// no model and never looks at what a text means.
package loop

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/transcript"
)

const (
	leastTimes   = 3   // the same passage so often in a row
	leastWords   = 60  // and at least so many words in all of them: refrains and tables are shorter
	longest      = 64  // sentences or lines of the longest passage that is looked for
	mostStale    = 300 // tokens without a word that is new
	signsInToken = 4
)

var seed = maphash.MakeSeed()

// Watch reads an answer as it comes and notices a loop. The zero value is ready.
type Watch struct {
	read  int // bytes so far
	loops bool
	kept  int // bytes up to the end of what is said once, where it loops

	piece strings.Builder // the sentence or line so far
	ended bool            // it has ended but for the blank behind it
	count int             // words in it
	parts []part
	runs  [longest + 1]int // how many of the last parts are the same as those so many before

	word  strings.Builder
	signs int // beside words, since the last token
	known map[string]bool
	fresh int // bytes up to the end of the last new word
	stale int // tokens since
}

// part is a sentence or line.
type part struct {
	sum   uint64
	words int // up to its end, from the beginning of the text
	end   int // byte
}

// Write takes the next piece of the answer and reports whether it loops.
func (w *Watch) Write(text string) bool {
	for _, r := range text {
		if w.loops {
			break
		}
		w.next(r)
	}
	return w.loops
}

func (w *Watch) next(r rune) {
	w.read += utf8.RuneLen(r)
	space := unicode.IsSpace(r)
	if r == '\n' || w.ended && space || strings.ContainsRune("。！？", r) {
		w.endPart()
	}
	w.ended = strings.ContainsRune(".!?;:", r)
	if !space {
		w.piece.WriteRune(unicode.ToLower(r))
	}
	pair := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
	inWord := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
	switch {
	case inWord:
		w.word.WriteRune(unicode.ToLower(r))
	case unicode.IsPunct(r):
		if w.signs++; w.signs%signsInToken == 0 {
			w.nothingNew(1)
		}
	}
	if !inWord || pair && utf8.RuneCountInString(w.word.String()) >= 2 {
		w.endWord()
	}
}

func (w *Watch) endWord() {
	word := w.word.String()
	w.word.Reset()
	if word == "" {
		return
	}
	if strings.ContainsFunc(word, unicode.IsLetter) {
		w.count++
	}
	if w.known == nil {
		w.known = map[string]bool{}
	}
	if !w.known[word] {
		w.known[word] = true
		w.fresh, w.stale = w.read, 0
		return
	}
	w.nothingNew(max(transcript.EstimateTokens(word), 1))
}

// nothingNew counts tokens that say nothing new.
func (w *Watch) nothingNew(tokens int) {
	if w.stale += tokens; w.stale >= mostStale {
		w.loops, w.kept = true, w.fresh
	}
}

func (w *Watch) endPart() {
	if w.piece.Len() == 0 {
		return
	}
	w.endWord()
	p := part{sum: maphash.String(seed, w.piece.String()), words: w.count, end: w.read}
	w.piece.Reset()
	w.parts = append(w.parts, p)
	last := len(w.parts) - 1
	for back := 1; back <= min(longest, last) && !w.loops; back++ {
		if w.parts[last-back].sum != p.sum {
			w.runs[back] = 0
			continue
		}
		w.runs[back]++
		begin := last - w.runs[back] - back // the part before the first of the passage
		words := p.words
		if begin >= 0 {
			words -= w.parts[begin].words
		}
		if w.runs[back] >= (leastTimes-1)*back && words >= leastWords {
			w.loops, w.kept = true, w.parts[begin+back].end
		}
	}
}

// Once gives a text up to where it begins to repeat itself, and whether it does.
func Once(text string) (string, bool) {
	var w Watch
	if !w.Write(text) {
		return text, false
	}
	return strings.TrimRightFunc(text[:w.kept], unicode.IsSpace), true
}
