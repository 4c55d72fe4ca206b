// Package loop detects a model that repeats itself.
//
// Local models, small ones above all, get into loops that they never leave: the same
// passage again and again, or the same words in another order. Ollama before 0.9 lets
// them continue forever, newer versions until the context is full. The reader of a stream
// writes each piece to a Watch and cancels the call if it finds a loop. The package knows
// no models and ignores what a text means.
package loop

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/transcript"
)

const (
	minRepeats   = 3   // minimum repetitions of a passage in a row
	minWords     = 60  // minimum words in all of them; refrains and tables are shorter
	maxParts     = 64  // sentences or lines in the longest detected passage
	maxStale     = 300 // maximum tokens without a new word
	signsInToken = 4
)

var seed = maphash.MakeSeed()

// Watch reads an answer as it arrives and detects a loop. The zero value is ready to use.
type Watch struct {
	read  int // bytes so far
	loops bool
	kept  int // bytes before the repetition, if it loops

	piece strings.Builder // the sentence or line so far
	ended bool            // it has ended, except for the blank after it
	count int             // words in it
	parts []part
	runs  [maxParts + 1]int // runs[n] is how many of the last parts equal those n parts before

	word  strings.Builder
	signs int // characters outside words since the last token
	known map[string]bool
	fresh int // bytes up to the end of the last new word
	stale int // tokens since then
}

// part is a sentence or line.
type part struct {
	sum   uint64
	words int // from the beginning of the text to its end
	end   int // offset in bytes
}

// Write processes the next piece of the answer and reports whether the answer loops.
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
	pair := r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
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

// nothingNew counts tokens without a new word.
func (w *Watch) nothingNew(tokens int) {
	if w.stale += tokens; w.stale >= maxStale {
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
	for back := 1; back <= min(maxParts, last) && !w.loops; back++ {
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
		if w.runs[back] >= (minRepeats-1)*back && words >= minWords {
			w.loops, w.kept = true, w.parts[begin+back].end
		}
	}
}

// Trim returns the text up to where it begins to repeat itself, and whether it does.
func Trim(text string) (string, bool) {
	var w Watch
	if !w.Write(text) {
		return text, false
	}
	return strings.TrimRightFunc(text[:w.kept], unicode.IsSpace), true
}
