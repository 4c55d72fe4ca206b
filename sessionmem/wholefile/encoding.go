package wholefile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// Encoding is the way in which the bytes of a file people own represent its text.
type Encoding struct {
	order   binary.ByteOrder // the byte order of UTF-16; nil: the bytes are used unchanged, as UTF-8
	bom     bool             // UTF-16 with a byte order mark
	western bool             // Windows-1252, in which old editors save
	cr      bool             // lines end with CR, as on Macs before OS X
}

// Charset returns the name of a character set that was recognised by its bytes alone and may be
// another one, or "".
func (e Encoding) Charset() string {
	if e.western {
		return "Windows-1252"
	}
	return ""
}

var (
	utf16LE = []byte{0xff, 0xfe}
	utf16BE = []byte{0xfe, 0xff}
)

// Decode returns a file's text in UTF-8, and its encoding. Windows editors save "Unicode"
// as UTF-16, usually with a byte order mark. A file that isn't UTF-16 to the last byte
// (UTF-8 at the end, half a character, UTF-32) is decoded as far as possible, and becomes
// UTF-8 when it is written. A file with letters beyond ASCII of which none is UTF-8 is read as
// Windows-1252. That is a guess, so its bytes are never converted; see Encode.
func Decode(raw []byte) ([]byte, Encoding) {
	text, enc := decode(raw)
	if bytes.IndexByte(text, '\r') >= 0 && bytes.IndexByte(text, '\n') < 0 {
		text, enc.cr = bytes.ReplaceAll(text, []byte("\r"), []byte("\n")), true
	}
	return text, enc
}

func decode(raw []byte) ([]byte, Encoding) {
	enc, ok := findEncoding(raw)
	if !ok && isWestern(raw) {
		text, err := charmap.Windows1252.NewDecoder().Bytes(raw)
		if enc = (Encoding{western: true}); err == nil {
			if again, ok := enc.Encode(text); ok && bytes.Equal(again, raw) {
				return text, enc
			}
		}
	}
	if !ok {
		return decodeMixed(raw), Encoding{}
	}
	body := raw
	if enc.bom {
		body = raw[2:]
	}
	units := make([]uint16, len(body)/2)
	for i := range units {
		units[i] = enc.order.Uint16(body[2*i:])
	}
	text := []byte(string(utf16.Decode(units)))
	if again, _ := enc.Encode(text); !bytes.Equal(again, raw) { // half a character: writing it back would change it
		return decodeMixed(raw), Encoding{}
	}
	return text, enc
}

// isWestern reports whether a text has bytes beyond ASCII, none of them part of a letter in UTF-8.
// The beginning of one at the very end doesn't count: the file may be in the middle of a save.
func isWestern(raw []byte) bool {
	if _, unicode := findEncoding(raw); unicode {
		return false
	}
	beyond := false
	for at := 0; at < len(raw); {
		r, size := utf8.DecodeRune(raw[at:])
		if r == 0 || size > 1 {
			return false
		}
		beyond = beyond || r == utf8.RuneError && utf8.FullRune(raw[at:])
		at += size
	}
	return beyond
}

// DecodeText returns a file's text in UTF-8, like Decode.
func DecodeText(raw []byte) []byte {
	text, _ := Decode(raw)
	return text
}

// isUTF8 reports whether head has no byte order mark of another encoding, and no zero byte.
func isUTF8(head []byte) bool {
	return !bytes.HasPrefix(head, utf16LE) && !bytes.HasPrefix(head, utf16BE) && bytes.IndexByte(head, 0) < 0
}

// decodeMixed converts bytes that may be UTF-16 or UTF-32 in part to UTF-8. Half a
// character becomes U+FFFD. Without a byte order mark or zero bytes, raw is returned
// unchanged.
func decodeMixed(raw []byte) []byte {
	if isUTF8(raw) {
		return raw
	}
	d := mixed{order: binary.LittleEndian}
	if bytes.HasPrefix(raw, utf16BE) || bytes.HasPrefix(raw, []byte{0, 0, 0xfe, 0xff}) || len(raw) > 1 && raw[0] == 0 && raw[1] != 0 {
		d.order = binary.BigEndian
	}
	for rest := raw; len(rest) > 0; {
		size, from := d.wide(rest), len(d.out)
		switch {
		case size > 0:
		case len(rest) > 1 && d.in16(rest):
			size = d.unit(rest)
		default:
			d.out, size = append(d.out, rest[0]), 1
		}
		if bytes.ContainsFunc(d.out[from:], isControl) {
			return raw // not a text: a program's own file
		}
		rest = rest[size:]
	}
	return d.out
}

// isControl reports whether a character doesn't occur in text.
func isControl(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' }

// mixed decodes text of several encodings.
type mixed struct {
	order binary.ByteOrder
	is16  bool // the previous character was UTF-16
	is32  bool // the previous character was UTF-32
	out   []byte
}

// wideEnd is the end of the Unicode planes that hold letters. Two UTF-16 characters of
// which one is a line end would have a value above it when read as UTF-32.
const wideEnd = 0x30000

// wide decodes a UTF-32 character that another one follows. size is 0 if there is none.
func (d *mixed) wide(raw []byte) (size int) {
	was := d.is32
	d.is32 = false
	if len(raw) < 4 {
		return 0
	}
	r := d.order.Uint32(raw)
	if r == 0 || r >= wideEnd {
		return 0
	}
	if !was { // zeros at the end of a text, as a crash leaves them, make no character of its last letters
		if len(raw) < 8 {
			return 0
		}
		if next := d.order.Uint32(raw[4:]); next == 0 || next >= wideEnd {
			return 0
		}
	}
	d.is32 = true
	if r != 0xfeff {
		d.out = utf8.AppendRune(d.out, rune(r)) //nolint:gosec // below wideEnd
	}
	return 4
}

// utf8Seen is the number of bytes, all valid UTF-8 without a zero byte, that rules out
// UTF-16.
const utf8Seen = 16

// in16 reports whether UTF-16 begins or continues here.
func (d *mixed) in16(raw []byte) bool {
	head := raw[:min(len(raw), utf8Seen)]
	switch zero := bytes.IndexByte(head, 0); {
	case (zero == 0 || zero == 1) && len(head) >= 4 && head[zero+2] == 0: // a stray one doesn't count
		d.is16 = true
	case bytes.HasPrefix(head, utf16LE), bytes.HasPrefix(head, utf16BE):
		d.is16 = true
	case zero < 0 && d.is16 && validBeginning(head):
		d.is16 = false
	}
	return d.is16
}

// validBeginning reports whether head is UTF-8, except for a character cut off at its end.
func validBeginning(head []byte) bool {
	for cut := range utf8.UTFMax {
		if cut <= len(head) && utf8.Valid(head[:len(head)-cut]) {
			return true
		}
	}
	return false
}

// unit decodes a UTF-16 character.
func (d *mixed) unit(raw []byte) (size int) {
	r := rune(d.order.Uint16(raw))
	switch {
	case r == 0xfeff:
		return 2
	case !utf16.IsSurrogate(r):
		d.out = utf8.AppendRune(d.out, r)
		return 2
	}
	if len(raw) >= 4 {
		if pair := utf16.DecodeRune(r, rune(d.order.Uint16(raw[2:]))); pair != unicode.ReplacementChar {
			d.out = utf8.AppendRune(d.out, pair)
			return 4
		}
	}
	d.out = utf8.AppendRune(d.out, unicode.ReplacementChar)
	return 2
}

// findEncoding recognises UTF-16 by its byte order mark, or by the zero bytes that most
// characters have in one half.
func findEncoding(raw []byte) (Encoding, bool) {
	if len(raw) < 2 || len(raw)%2 != 0 {
		return Encoding{}, false
	}
	switch {
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe, 0, 0}): // UTF-32
		return Encoding{}, false
	case bytes.HasPrefix(raw, utf16LE):
		return Encoding{order: binary.LittleEndian, bom: true}, true
	case bytes.HasPrefix(raw, utf16BE):
		return Encoding{order: binary.BigEndian, bom: true}, true
	}
	var zero [2]int
	for i, b := range raw {
		if b == 0 {
			zero[i%2]++
		}
	}
	most := len(raw) / 4
	switch {
	case zero[0] == 0 && zero[1] > most:
		return Encoding{order: binary.LittleEndian}, true
	case zero[1] == 0 && zero[0] > most:
		return Encoding{order: binary.BigEndian}, true
	}
	return Encoding{}, false
}

// Encode returns the bytes of a text in this encoding. ok is false if they would be another text when
// they are read, because the encoding has no such letter or the bytes look like UTF-8.
func (e Encoding) Encode(text []byte) (raw []byte, ok bool) {
	if e.cr {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r"))
	}
	if e.western {
		out, err := charmap.Windows1252.NewEncoder().Bytes(text)
		ascii := !bytes.ContainsFunc(text, func(r rune) bool { return r == 0 || r >= utf8.RuneSelf })
		return out, err == nil && (ascii || isWestern(out))
	}
	if e.order == nil {
		return text, true
	}
	var out []byte
	if e.bom {
		out = append(out, 0, 0)
		e.order.PutUint16(out, 0xfeff)
	}
	for _, unit := range utf16.Encode([]rune(string(text))) {
		out = append(out, 0, 0)
		e.order.PutUint16(out[len(out)-2:], unit)
	}
	return out, true
}

// Guess returns a text that isn't Unicode as UTF-8, and the character set it was in. In a
// text in the Latin alphabet, letters beyond ASCII stand alone between others; in all others they
// are whole words. That tells the two apart also where a few letters don't speak for a language.
// UTF-8 with a few bytes that are none stays UTF-8. Marks of HTML and XML speak for no language.
func Guess(data []byte) (text []byte, name string, ok bool) {
	beyond, alone := 0, 0
	for i, b := range data {
		if b >= 0x80 {
			beyond++
			if (i == 0 || data[i-1] < 0x80) && (i+1 == len(data) || data[i+1] < 0x80) {
				alone++
			}
		}
	}
	bad := 0
	for rest := data; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 {
			bad++
		}
		rest = rest[n:]
	}
	if 20*bad < beyond {
		return bytes.ToValidUTF8(data, []byte("\uFFFD")), "utf-8", true
	}
	latin := 2*alone > beyond
	guesses, _ := chardet.NewHtmlDetector().DetectAll(data) // an error is no guess
	// Equal guesses come in the order in which the detector's goroutines end.
	slices.SortFunc(guesses, func(a, b chardet.Result) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), strings.Compare(b.Charset, a.Charset))
	})
	sure := map[string]int{}
	for _, g := range guesses {
		sure[g.Charset] = max(sure[g.Charset], g.Confidence)
	}
	if sure["ISO-8859-9"] >= sure["ISO-8859-1"] && turkish(data, latin) { // a few names don't speak for a language
		latin = true
		guesses = append([]chardet.Result{{Charset: "windows-1254"}}, guesses...)
	}
	for _, g := range append(guesses, chardet.Result{Charset: "windows-1252"}) {
		enc, err := htmlindex.Get(g.Charset)
		if err != nil || g.Charset == "UTF-8" {
			continue
		}
		if western := slices.Contains([]string{"ISO-8859-1", "windows-1252", "ISO-8859-2", "windows-1250", "ISO-8859-9", "windows-1254"}, g.Charset); latin && !western {
			continue
		}
		text, err := enc.NewDecoder().Bytes(data)
		if name, err2 := htmlindex.Name(enc); err == nil && err2 == nil && !bytes.ContainsRune(text, utf8.RuneError) && !bytes.ContainsFunc(text, func(r rune) bool { return r >= 0x80 && r < 0xa0 }) {
			return text, name, true
		}
	}
	return nil, "", false
}

// turkish reports whether a text that may be in windows-1252 or in windows-1254, which differ in
// six letters, has only letters of Turkish, and one of those where no other language has it:
// dotless ı or İ, or an ş that doesn't begin a word, as Þ does. In a text that isn't surely in the
// Latin alphabet there may be nothing else beyond ASCII.
func turkish(data []byte, latin bool) bool {
	found := false
	for i, b := range data {
		switch {
		case b == 0xdd || b == 0xfd:
			found = true
		case b == 0xfe && i > 0:
			before := data[i-1]
			found = found || before >= 0xc0 || before|0x20 >= 'a' && before|0x20 <= 'z'
		case b >= 0x80 && b < 0xc0 && !latin:
			return false
		case b >= 0xc0 && !slices.Contains([]byte("\xc2\xc7\xce\xd0\xd6\xdb\xdc\xde\xe2\xe7\xee\xf0\xf6\xfb\xfc\xfe"), b): // ÂÇÎĞÖÛÜŞ
			return false
		}
	}
	return found
}
