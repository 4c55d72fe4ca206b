package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"

	"mac-stats/sessionmem/textfold"
)

// field is a part of a text between spaces, brackets and quotes, with its tokens.
type field struct {
	text    string // as written; "" if it is very long
	tokens  []token
	date    numericDate // the date in digits that the field is, if any
	signs   []dateToken // the words of dates in a script without spaces
	ranges  bool        // it is a range of numbers: "3-7"
	dash    bool        // it is a dash alone
	clock   bool        // it is a time of the day
	minus   bool        // a minus stands before it alone: "-word"
	not     bool        // it is NOT
	capital bool
}

// dashField stands for a dash between fields that separates them.
var dashField = &field{dash: true}

type tokenKind uint8

const (
	tokenWord tokenKind = iota // a word of the running text
	tokenPart                  // a part or a variant of another word: it doesn't count towards the length of the text
	tokenPair                  // two adjacent characters of a script without spaces
	tokenTerm                  // an exact token
)

type token struct {
	kind tokenKind
	word *word // of tokenWord and tokenPart
	term *term // of the others
	less bool  // part of an exact token
}

const (
	maxField = 256 // bytes: a longer field is split into words but yields no exact token
	maxWord  = 64  // bytes of a word that distinguish it from others
)

// nextField returns the next field at or after start, and where to continue. Commas between
// digits stay ("1,000"), and so do the characters of file names, addresses and identifiers.
func nextField(text string, start int) (from, to, next int) {
	i := start
	for i < len(text) {
		n, sep := separator(text, i)
		if !sep {
			break
		}
		i += n
	}
	from = i
	for i < len(text) {
		n, sep := separator(text, i)
		if sep {
			return from, i, i + n
		}
		i += n
	}
	return from, i, i
}

// separator reports whether the character at i separates fields, and its length.
func separator(text string, i int) (n int, sep bool) {
	c := text[i]
	if c >= utf8.RuneSelf {
		r, n := utf8.DecodeRuneInString(text[i:])
		return n, r == utf8.RuneError && n == 1 || r != '’' && r != '‐' && r != '‑' && (unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.Is(unicode.Cc, r))
	}
	if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
		return 1, false
	}
	switch c {
	case '.', '\'', '-', '_', '/', '\\', ':', '@', '#', '+', '~':
		return 1, false
	case '$': // of a variable
		after := i+1 < len(text) && (text[i+1] == '_' || text[i+1]|0x20 >= 'a' && text[i+1]|0x20 <= 'z')
		return 1, !after || i > 0 && text[i-1] > ' ' && strings.IndexByte("\"'(/:=", text[i-1]) < 0
	case ',':
		return 1, !groupsDigits(text, i)
	}
	return 1, true
}

// groupsDigits reports whether the comma at i is like the one in "1,000".
func groupsDigits(text string, i int) bool {
	if i == 0 || !isDigit(text[i-1]) || i+4 > len(text) {
		return false
	}
	for _, c := range []byte(text[i+1 : i+4]) {
		if !isDigit(c) {
			return false
		}
	}
	return i+4 == len(text) || !isDigit(text[i+4])
}

// field returns the analysed field with a text.
func (a *Analyzer) field(text string) *field {
	if f, ok := a.fields[text]; ok {
		return f
	}
	f := &field{}
	r := fieldReader{a: a, f: f}
	r.read(text)
	if len(text) <= maxField {
		f.text = strings.Clone(text)
		a.fields[f.text] = f
	}
	return f
}

// fieldReader analyses a field.
type fieldReader struct {
	a *Analyzer
	f *field
}

func (r fieldReader) read(text string) {
	core := strings.Trim(text, ".'’-_/\\:@#+~$")
	if !isASCII(core) {
		core = textfold.Spelling(core)
	}
	if core == "" {
		r.f.dash = strings.Trim(text, "-") == ""
		return
	}
	first, _ := utf8.DecodeRuneInString(core)
	r.f.capital = unicode.IsUpper(first)
	r.f.not = text == "NOT"
	r.f.minus = text[1%len(text)] != '-' && isOption(text, core)
	if isPlainWord(core) && !isLanguageName(text, core) && text[0] != '$' && !isOption(text, core) {
		r.word(core, tokenWord)
		return
	}
	if strings.ContainsFunc(core, isUnspaced) {
		r.f.signs = r.a.lex.dates.signTokens(core)
	}
	core = strings.ReplaceAll(core, ",", "")
	if len(text) <= maxField {
		for i, e := range exactTokens(text, core) {
			r.f.tokens = append(r.f.tokens, token{kind: tokenTerm, term: r.a.intern([]byte(string(rune(ClassExact)) + e)), less: i > 0})
		}
	}
	if date, ok := parseNumericDate(text, core); ok {
		r.f.date = date
	}
	hour, minute, _ := strings.Cut(core, ":")
	r.f.clock = len(hour) <= 2 && allDigits(hour) && len(minute) >= 2 && len(minute) <= 5 && allDigits(minute[:2])
	from, to, found := strings.Cut(core, "-")
	r.f.ranges = found && (allDigits(ordinal(from)) && allDigits(ordinal(to)) || r.a.lex.dates.names(from) && r.a.lex.dates.names(to))
	r.runs(core)
	if r.f.date.numbers == 0 {
		for _, whole := range joined(core) {
			r.word(whole, tokenPart)
		}
	}
}

// runs separates the scripts without spaces from the others.
func (r fieldReader) runs(core string) {
	start, signs := 0, false
	for i, c := range core {
		if unicode.Is(unicode.Mn, c) {
			continue
		}
		if s := isUnspaced(c); s != signs {
			r.run(core[start:i], signs)
			start, signs = i, s
		}
	}
	r.run(core[start:], signs)
}

func (r fieldReader) run(text string, signs bool) {
	if text == "" {
		return
	}
	if signs {
		r.pairs(text)
		return
	}
	for it := words.FromString(text); it.Next(); {
		r.segment(it.Value())
	}
}

// pairs makes terms of adjacent pairs in a script without spaces, and of single ideographs,
// for questions of one character.
func (r fieldReader) pairs(text string) {
	var before string
	for len(text) > 0 {
		c, n := utf8.DecodeRuneInString(text)
		for n < len(text) { // combining marks belong to the character
			m, k := utf8.DecodeRuneInString(text[n:])
			if !unicode.Is(unicode.Mn, m) {
				break
			}
			n += k
		}
		sign := text[:n]
		text = text[n:]
		if before != "" {
			r.f.tokens = append(r.f.tokens, token{kind: tokenPair, term: r.a.intern([]byte(before + sign))})
		}
		if unicode.Is(unicode.Han, c) || before == "" && text == "" {
			r.f.tokens = append(r.f.tokens, token{kind: tokenTerm, term: r.a.intern([]byte(sign))})
		}
		before = sign
	}
}

// segment reads a word as split by the Unicode rules, which keep "foo.go", "snake_case" and
// "don't" in one piece.
func (r fieldReader) segment(text string) {
	if !hasWordRune(text) {
		return
	}
	for _, piece := range strings.FieldsFunc(text, func(c rune) bool { return c == '_' || c == ':' || c == '.' && !isNumber(text) }) {
		head, tail, found := cutApostrophe(piece)
		if found && tail == "" {
			piece = head
		} else if found {
			r.camel(head, tokenPart)
			piece = tail
		}
		r.camel(piece, tokenWord)
	}
}

// camel reads a word and the parts of a word like "parseConfigFile".
func (r fieldReader) camel(text string, kind tokenKind) {
	r.word(text, kind)
	parts := camelParts(text)
	if len(parts) < 2 || ordinal(strings.ToLower(text)) != strings.ToLower(text) {
		return
	}
	for _, p := range parts {
		if len(p) > 1 {
			r.word(p, tokenPart)
		}
	}
}

func (r fieldReader) word(text string, kind tokenKind) {
	w := r.a.word(text)
	if w.bare == "" { // only combining marks
		return
	}
	r.f.tokens = append(r.f.tokens, token{kind: kind, word: w})
}
