package wordsearch

import (
	"bytes"
	"slices"
	"strings"

	"mac-stats/sessionmem/textfold"
	"mac-stats/sessionmem/transcript"
)

// pick completes the hit with the newest of the blocks that contain most of the words.
// It reports false if a word is in none of them and not in the title.
func (s *Searcher) pick(hit *Hit, blocks []transcript.Block, words [][]byte, inTitle []bool) bool {
	seen := slices.Clone(inTitle)
	best, most := -1, 0
	for i, b := range blocks {
		if b.Kind == transcript.KindNote {
			continue
		}
		text := s.fold.AppendFold(nil, []byte(b.Text))
		n := 0
		for w, word := range words {
			if bytes.Contains(text, word) {
				seen[w] = true
				n++
			}
		}
		if n == 0 {
			continue
		}
		hit.Blocks++
		if n >= most {
			best, most = i, n
		}
	}
	if slices.Contains(seen, false) {
		return false
	}
	if best >= 0 {
		b := blocks[best]
		hit.Block, hit.Kind, hit.Time = b.ID, b.Kind, b.Time
		hit.Snippet, hit.Marks = s.snippet(b.Text, words)
	}
	return best >= 0
}

// snippet quotes a text around the first of the words, on one line and without markdown;
// with markdown if the word is part of it, such as an address.
func (s *Searcher) snippet(text string, words [][]byte) (string, []textfold.Mark) {
	at := s.first(text, words)
	from, to := linesAround(text, at)
	plain := transcript.PlainText(text[from:to])
	cut := ""
	if in := s.first(plain, words); in < len(plain) {
		cut = quote(plain, in)
		if from > 0 && !strings.HasPrefix(cut, "…") {
			cut = "…" + cut
		}
		if to < len(text) && !strings.HasSuffix(cut, "…") {
			cut += "…"
		}
	} else {
		cut = quote(text, at)
	}
	found := s.fold.Mapped(cut)
	var marks []textfold.Mark
	for _, w := range words {
		marks = append(marks, found.Find(w)...)
	}
	return cut, textfold.JoinMarks(marks)
}

// first returns the offset of the first of the words in a text; its length if none is there.
func (s *Searcher) first(text string, words [][]byte) int {
	mapped := s.fold.Mapped(text)
	first := len(text)
	for _, w := range words {
		if at := bytes.Index(mapped.Text, w); at >= 0 {
			start, _ := mapped.Span(at, at+len(w))
			first = min(first, start)
		}
	}
	return first
}

// linesAround returns the bounds of the whole lines around an offset from which a snippet is
// made, with some more for the markup in them.
func linesAround(text string, at int) (from, to int) {
	from, to = max(0, at-2*snippetLen), min(len(text), at+4*snippetLen)
	if i := strings.IndexByte(text[from:at], '\n'); from > 0 && i >= 0 {
		from += i + 1
	}
	if i := strings.LastIndexByte(text[at:to], '\n'); to < len(text) && i >= 0 {
		to = at + i
	}
	for from < at && !isRuneStart(text, from) {
		from++
	}
	for to < len(text) && !isRuneStart(text, to) {
		to++
	}
	return from, to
}

// quote cuts a piece around an offset out of a text, at spaces if there are any
// near, and puts it on one line.
func quote(text string, at int) string {
	from, to := max(0, at-snippetLead), min(len(text), at+snippetLen-snippetLead)
	for from > 0 && !isRuneStart(text, from) {
		from--
	}
	for to < len(text) && !isRuneStart(text, to) {
		to++
	}
	lead, tail := "", ""
	if from > 0 {
		lead = "…"
		if i := strings.IndexAny(text[from:at], " \n"); i >= 0 {
			from += i + 1
		}
	}
	if to < len(text) {
		tail = "…"
		if i := strings.LastIndexAny(text[at:to], " \n"); i > snippetLen/2 {
			to = at + i
		}
	}
	return lead + strings.Join(strings.Fields(text[from:to]), " ") + tail
}

func isRuneStart(s string, i int) bool { return s[i]&0xC0 != 0x80 }
