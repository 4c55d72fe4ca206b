package textfold

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A text is compared in all the ways it can be read, so that no way of writing the same
// words hides them:
//
//   - as written, ignoring case and diacritics (WordsOf);
//   - as displayed: entities, percent-encoding, compatibility forms (full width, math letters)
//     and look-alike letters are resolved; comments, tags and the addresses of links are taken
//     out of the sentence and read separately;
//   - as displayed, joining words that only marks, hyphens or hyphenated line breaks separate:
//     zan**zibar**, zan-\nzibar;
//   - each of these again with JSON escapes resolved, if there is a backslash.

// Readings holds the ways to read a text.
type Readings struct {
	Plain  []Words // as written
	shown  []Words // as displayed, and the texts beside it; nil if the same as written
	joined []Words // nil if the same as displayed
	aside  bool    // there is text beside the sentence
}

// All returns every reading.
func (r Readings) All() []Words {
	return append(append(append([]Words(nil), r.Plain...), r.shown...), r.joined...)
}

// Whole returns the readings that hold the text as a whole: those that are traced.
func (r Readings) Whole() []Words {
	if r.aside {
		return r.Plain
	}
	return r.All()
}

// Read returns the ways to read a text.
func (f *Folder) Read(text []byte) Readings {
	r := f.readAs(text, false)
	if bytes.IndexByte(text, '\\') >= 0 {
		more := f.readAs(text, true)
		r.Plain = append(r.Plain, more.Plain...)
		r.shown = append(r.shown, more.shown...)
		r.joined = append(r.joined, more.joined...)
		r.aside = r.aside || more.aside
	}
	return r
}

func (f *Folder) readAs(text []byte, escapes bool) Readings {
	s := shownReader{text: text, escapes: escapes, Folder: f, shown: shownLetters()}
	s.todo = []Mark{{0, len(text)}}
	for end := 1; len(s.out) < len(s.todo); end = len(s.todo) { // level by level
		for _, m := range s.todo[len(s.out):end] {
			s.read(m)
		}
		s.depth++
	}
	r := Readings{aside: len(s.todo) > 1}
	switch {
	case s.differs || r.aside:
		r.Plain, r.shown = []Words{f.WordsOf(text, escapes)}, s.out
	default:
		r.Plain = s.out
	}
	for _, w := range s.out {
		if j, ok := w.joined(); ok {
			r.joined = append(r.joined, j)
		}
	}
	return r
}

// joined returns the text with words joined that only marks separate; false if there are
// none.
func (w Words) joined() (Words, bool) {
	any := false
	for _, a := range w.Words {
		any = any || a.soft
	}
	if !any {
		return Words{}, false
	}
	out := Words{Folded: make([]byte, 0, len(w.Folded)), Words: make([]Word, 0, len(w.Words))}
	for _, a := range w.Words {
		if !a.soft || len(out.Words) == 0 {
			out.begin(a.from)
		}
		out.Folded = append(out.Folded, w.Folded[a.Start:a.End]...)
		last := &out.Words[len(out.Words)-1]
		last.to, last.End = a.to, len(out.Folded)
	}
	out.finish()
	return out, true
}

// shownReader reads a text as it is displayed.
type shownReader struct {
	*Folder
	text    []byte
	escapes bool
	shown   *letters

	todo    []Mark // the sentence, and the texts beside it
	depth   int    // the nesting level of the text being read
	noEnd   bool   // no comment ends after this point
	out     []Words
	differs bool // the displayed text differs from the written one
}

// sign is the sign at one place of a text.
type sign struct {
	r    rune
	size int
	soft bool // doesn't separate words for a reader
}

func (s *shownReader) read(m Mark) {
	w := Words{Folded: make([]byte, 0, m.To-m.From), Words: make([]Word, 0, (m.To-m.From)/6+1)}
	open, soft := false, false
	s.noEnd = false
	for i := m.From; i < m.To; {
		if c := s.text[i]; isASCIIWord(c) { // the common case
			if !open {
				w.begin(i)
				w.Words[len(w.Words)-1].soft = soft
				open, soft = true, false
			}
			for ; i < m.To && isASCIIWord(s.text[i]); i++ {
				w.Folded = append(w.Folded, s.ascii[s.text[i]])
			}
			last := &w.Words[len(w.Words)-1]
			last.to, last.End = i, len(w.Folded)
			continue
		} else if c == ' ' || c == '\n' { // nearly as common
			open, soft = false, false
			i++
			continue
		}
		at := s.sign(i, m.To)
		letters, known := s.shown.of(at.r)
		if !known {
			letters, known = s.spelling(at.r)
		}
		first := at.r
		if known {
			first, _ = utf8.DecodeRuneInString(letters)
		}
		switch {
		case at.soft:
			soft = soft || open
			open = false
		case isUnseen(at.r): // some are marks, like the accents of letters
			s.differs = s.differs || !isZeroWidth(at.r)
		case isWordRune(first):
			alone := isOwnWord(first)
			if alone || !open {
				w.begin(i)
				w.Words[len(w.Words)-1].soft = soft && !alone
				open, soft = !alone, false
			}
			before := len(w.Folded)
			if known {
				w.Folded = append(w.Folded, letters...)
				s.differs = s.differs || !isWordRune(at.r) || string(s.appendRune(nil, at.r)) != string(w.Folded[before:])
			} else {
				w.Folded = s.appendRune(w.Folded, at.r)
			}
			last := &w.Words[len(w.Words)-1]
			last.to, last.End = i+at.size, len(w.Folded)
		default:
			open, soft = false, false
		}
		i += at.size
	}
	w.finish()
	s.out = append(s.out, w)
}

func isASCIIWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// sign decodes the sign at offset i, before end.
func (s *shownReader) sign(i, end int) sign {
	r, n := utf8.DecodeRune(s.text[i:end])
	rest := s.text[i:end]
	switch {
	case r == '\\' && s.escapes:
		r, n = unescape(rest)
		if utf16.IsSurrogate(r) && len(rest) >= 12 && rest[6] == '\\' {
			if low, _ := unescape(rest[6:]); utf16.IsSurrogate(low) {
				r, n = utf16.DecodeRune(r, low), 12
			}
		}
	case r == '%':
		if d, size := percentDecoded(rest); size > 0 {
			r, n, s.differs = d, size, true
		}
	case r == '&':
		if d, size := entity(rest); size > 0 {
			r, n, s.differs = d, size, true
		}
	case r == '<' && s.depth < maxDepth:
		if s.noEnd && bytes.HasPrefix(rest, []byte("<!--")) {
			break
		}
		size, from, to := tag(rest)
		if s.noEnd = s.noEnd || size == 0 && bytes.HasPrefix(rest, []byte("<!--")); size > 0 {
			s.todo = append(s.todo, Mark{i + from, i + to})
			return sign{r, size, true}
		}
	case r == ']' && s.depth < maxDepth:
		if size, from, to := linkTail(rest); size > 0 {
			s.todo = append(s.todo, Mark{i + from, i + to})
			return sign{r, size, true}
		}
	}
	if isHyphen(r) {
		return sign{r, n + lineBreak(rest[n:], s.escapes), r != '\u00ad' || lineBreak(rest[n:], s.escapes) > 0}
	}
	return sign{r, n, isMarkup(r)}
}

// isMarkup reports whether a sign is used within words as markup.
func isMarkup(r rune) bool { return strings.ContainsRune("*_~`[]\\'^\u2019\u2027", r) }

func isHyphen(r rune) bool {
	return r == '-' || r == '=' || r == '\u00ad' || r == '\u2010' || r == '\u2011' || r == '\u2012'
}

// isUnseen reports whether a sign within a word is invisible.
func isUnseen(r rune) bool {
	return isZeroWidth(r) || r == '\u034f' || r == '\u061c' || r == '\u180e' || r >= '\u200b' && r <= '\u200f' || r >= '\u202a' && r <= '\u202e' ||
		r >= '\u2060' && r <= '\u206f' || r == '\ufeff' || r >= '\ufe00' && r <= '\ufe0f' || r >= 0xE0000 && r <= 0xE0FFF
}

// lineBreak returns the number of bytes that a line break takes after a hyphen, including
// the prefix of the next line; 0 if there is none.
func lineBreak(text []byte, escapes bool) int {
	i := len(text) - len(bytes.TrimLeft(text, " \t"))
	broken := false
	for i < len(text) {
		switch {
		case text[i] == '\n':
			broken = true
		case escapes && bytes.HasPrefix(text[i:], []byte(`\n`)):
			broken = true
			i++
		case escapes && bytes.HasPrefix(text[i:], []byte(`\r`)):
			i++
		case text[i] == '\r', broken && bytes.IndexByte([]byte(" \t>*"), text[i]) >= 0:
		default:
			if broken {
				return i
			}
			return 0
		}
		i++
	}
	return 0
}

const (
	maxAside = 1024 // how far to look for the end of a tag or of a link's address, in bytes
	maxDepth = 3    // the maximum nesting of texts beside a sentence
)

// tag returns the size of a tag or a comment, and the range of its content; size is 0 if
// there is none.
func tag(text []byte) (size, from, to int) {
	if bytes.HasPrefix(text, []byte("<!--")) {
		end := bytes.Index(text, []byte("-->"))
		if end < 4 {
			return 0, 0, 0
		}
		return end + 3, 4, end
	}
	if len(text) < 3 || text[1] != '/' && (text[1] < 'A' || !isASCIIWord(text[1])) {
		return 0, 0, 0
	}
	end := bytes.IndexByte(text[:min(len(text), maxAside)], '>')
	if end < 0 || bytes.Contains(text[:end], []byte("\n\n")) {
		return 0, 0, 0
	}
	return end + 1, 1, end
}

// linkTail returns the size of what follows the words of a link, and the range of the
// address; size is 0 if nothing follows.
func linkTail(text []byte) (size, from, to int) {
	if len(text) < 3 || text[1] != '(' && text[1] != '[' {
		return 0, 0, 0
	}
	open, closing := text[1], byte(')')
	if open == '[' {
		closing = ']'
	}
	depth := 0
	for i := 1; i < min(len(text), maxAside); i++ {
		switch text[i] {
		case open:
			depth++
		case closing:
			if depth--; depth == 0 {
				return i + 1, 2, i
			}
		case '\n':
			if i+1 < len(text) && text[i+1] == '\n' {
				return 0, 0, 0
			}
		}
	}
	return 0, 0, 0
}

// letters maps letters to those that they look like.
type letters struct {
	low  [foldTableEnd]string
	high map[rune]string
}

// of returns the letters that r is compared as; false if it is compared as it folds.
func (l *letters) of(r rune) (string, bool) {
	if r < utf8.RuneSelf {
		return "", false
	}
	if r < foldTableEnd {
		s := l.low[r]
		return s, s != ""
	}
	s, ok := l.high[r]
	return s, ok
}

// spelling returns the letters of the one spelling of a character; false if it is compared as it
// folds.
func (f *Folder) spelling(r rune) (string, bool) {
	if r < utf8.RuneSelf {
		return "", false
	}
	loose := string(f.appendLoose(nil, r))
	if loose == "" || loose == string(f.appendRune(nil, r)) || strings.ContainsFunc(loose, func(r rune) bool { return !isWordRune(r) }) {
		return "", false
	}
	return loose, true
}

// sameInSight pairs letters with the Latin letters that they look like.
var sameInSight = [...][2]string{
	{"авеԁһіјкӏмнорԛѕтуԝхь", "abedhijklmhopqstywxb"}, // Cyrillic
	{"АВЕԀҺІЈКӀМНОРԚЅТУԜХЬ", "abedhijklmhopqstywxb"},
	{"αβεγικνορτυχω", "abeyikvoptuxw"}, // Greek
	{"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezhikmnoptyx"},
	{"օոսհցզԛ", "onuhgqq"}, // Armenian
	{"ɑɡɩɪɴʀʏʙʜʟᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜰꜱ", "agiinrybhlacdejkmoptuvwzfs"},
}

var shownLetters = sync.OnceValue(func() *letters {
	f, l := NewFolder(), &letters{high: map[rune]string{}}
	put := func(r rune, s string) {
		s = string(f.AppendFold(nil, []byte(s)))
		if s == string(f.appendRune(nil, r)) {
			return
		}
		if r < foldTableEnd {
			l.low[r] = s
		} else {
			l.high[r] = s
		}
	}
	for _, first := range [...]rune{0x1F150, 0x1F170, 0x1F1E6} { // letters in circles, boxes and flags
		for i := range rune(26) {
			put(first+i, string('a'+i))
		}
	}
	for _, pair := range sameInSight {
		to := []rune(pair[1])
		for i, r := range []rune(pair[0]) {
			put(r, string(unicode.ToLower(to[i])))
		}
	}
	return l
})
