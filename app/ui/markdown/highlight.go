package markdown

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// Code is coloured in two steps: chroma classifies it, and the theme chooses the colours.
// Classify code off the UI goroutine.

// Ink is the class of a span of code, as far as colours distinguish it.
type Ink uint8

// The classes of code.
const (
	Plain Ink = iota
	Keyword
	String
	Number
	Comment
	Name // functions, types, tags, keys
)

// Span is a range of code in one colour; it ends at byte To.
type Span struct {
	To  int32
	Ink Ink
}

const (
	// chunkBytes is the part of a growing block that is coloured for good at a time, so
	// that the cost of new text doesn't depend on the text before it.
	chunkBytes = 1 << 10
	// wholeBytes is the largest finished block that is coloured in one pass, which colours
	// strings and comments across chunks correctly.
	wholeBytes = 24 << 10
	// colourTime is the limit for one pass over code that grows; the rest stays plain until the
	// next.
	colourTime = 60 * time.Millisecond
	// finishTime is the limit for one pass over code that is complete, whose rest stays plain for
	// good: only what a lexer chokes on reaches it, not a busy machine.
	finishTime = 2 * time.Second
)

// highlighter colours a block of code while it grows.
type highlighter struct {
	lang  string
	lexer chroma.Lexer  // nil for an unknown language
	done  string        // the beginning that is coloured for good
	spans []Span        // of done
	limit time.Duration // for one pass
}

func newHighlighter(lang string) *highlighter {
	return &highlighter{lang: lang, lexer: lexerOf(lang), limit: colourTime}
}

// lexerOf returns the lexer for the language named after a fence, or nil.
func lexerOf(lang string) chroma.Lexer {
	lang = strings.ToLower(strings.TrimSpace(lang))
	if lang == "" || len(lang) > 32 || strings.ContainsAny(lang, "/\\*?[") {
		return nil
	}
	return lexers.Get(lang)
}

// LanguageName returns a language's name for the code card: "Go" for go.
func LanguageName(lang string) string {
	if l := lexerOf(lang); l != nil {
		return l.Config().Name
	}
	return lang
}

// continues reports whether code extends the code coloured so far.
func (h *highlighter) continues(lang, code string) bool {
	return h.lang == lang && strings.HasPrefix(code, h.done)
}

// grown colours code that may still grow: whole chunks for good, and the rest again each
// time. The returned spans never change, so other goroutines may read them.
func (h *highlighter) grown(code string) []Span {
	if h.lexer == nil {
		return nil
	}
	if end := strings.LastIndexByte(code, '\n') + 1; end-len(h.done) >= chunkBytes {
		h.spans = appendSpans(h.spans[:len(h.spans):len(h.spans)], len(h.done), h.colour(code[len(h.done):end]))
		h.done = code[:end]
	}
	return appendSpans(h.spans[:len(h.spans):len(h.spans)], len(h.done), h.colour(code[len(h.done):]))
}

// finished colours code that is complete.
func (h *highlighter) finished(code string) []Span {
	if h.lexer == nil {
		return nil
	}
	h.limit = max(h.limit, finishTime)
	if len(code) <= wholeBytes {
		return h.colour(code)
	}
	for rest := code; ; {
		n := len(rest)
		if n > chunkBytes {
			n = chunkBytes + strings.IndexByte(rest[chunkBytes:], '\n') + 1
			if n == chunkBytes {
				n = len(rest)
			}
		}
		h.spans = appendSpans(h.spans, len(code)-len(rest), h.colour(rest[:n]))
		if rest = rest[n:]; rest == "" {
			return h.spans
		}
	}
}

func appendSpans(spans []Span, at int, more []Span) []Span {
	for _, s := range more {
		s.To += int32(at)
		if k := len(spans) - 1; k >= 0 && spans[k].Ink == s.Ink {
			spans[k].To = s.To
			continue
		}
		spans = append(spans, s)
	}
	return spans
}

// colour returns spans that cover a piece of code exactly. If the lexer fails or takes too
// long, the rest stays plain.
func (h *highlighter) colour(code string) (spans []Span) {
	at := 0
	add := func(n int, ink Ink) {
		n = min(n, len(code)-at)
		if n <= 0 {
			return
		}
		at += n
		blank := strings.TrimSpace(code[at-n:at]) == "" // blanks have no colour and join the span before them
		if k := len(spans) - 1; k >= 0 && (spans[k].Ink == ink || blank) {
			spans[k].To = int32(at)
			return
		}
		spans = append(spans, Span{int32(at), ink})
	}
	defer func() {
		_ = recover() // chroma panics on a broken rule; the code then stays plain
		add(len(code), Plain)
	}()
	if !utf8.ValidString(code) || strings.ContainsRune(code, '\r') {
		return spans
	}
	until := time.Now().Add(h.limit)
	tokens, err := h.lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return spans
	}
	for t := tokens(); t != chroma.EOF && time.Now().Before(until); t = tokens() {
		add(len(t.Value), inkOf(t.Type))
	}
	return spans
}

func inkOf(t chroma.TokenType) Ink {
	switch {
	case t == chroma.KeywordConstant, t.InSubCategory(chroma.LiteralNumber), t == chroma.LiteralDate:
		return Number
	case t == chroma.KeywordType:
		return Name
	case t.InCategory(chroma.Keyword), t == chroma.OperatorWord, t == chroma.NameBuiltinPseudo:
		return Keyword
	case t.InSubCategory(chroma.LiteralString), t == chroma.GenericInserted:
		return String
	case t == chroma.CommentPreproc, t == chroma.CommentPreprocFile:
		return Name
	case t.InCategory(chroma.Comment), t == chroma.GenericOutput:
		return Comment
	case t == chroma.GenericDeleted:
		return Number
	case t == chroma.NameFunction, t == chroma.NameFunctionMagic, t == chroma.NameClass, t == chroma.NameTag,
		t == chroma.NameAttribute, t == chroma.NameBuiltin, t == chroma.NameDecorator, t == chroma.NameNamespace,
		t == chroma.NameVariable, t == chroma.GenericHeading, t == chroma.GenericSubheading, t == chroma.NameProperty:
		return Name
	}
	return Plain
}
