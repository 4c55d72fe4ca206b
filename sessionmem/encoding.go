package sessionmem

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// encoding is how the bytes of a file people own stand for its text.
type encoding struct {
	order binary.ByteOrder // of UTF-16; nil: the bytes are taken as they are, UTF-8
	bom   bool             // of UTF-16: it begins with a byte order mark
}

var (
	utf16LE = []byte{0xff, 0xfe}
	utf16BE = []byte{0xfe, 0xff}
)

// decodeOwned gives a file's text in UTF-8 and how it is encoded. Windows editors save
// "Unicode" as UTF-16, mostly with a byte order mark. What is not UTF-16 to the last
// byte is given as it is.
func decodeOwned(raw []byte) ([]byte, encoding) {
	enc, ok := findEncoding(raw)
	if !ok {
		return raw, encoding{}
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
	if !bytes.Equal(enc.encode(text), raw) { // half a character: writing it back would change it
		return raw, encoding{}
	}
	return text, enc
}

// DecodeText gives a file's text in UTF-8, as decodeOwned tells it.
func DecodeText(raw []byte) []byte {
	text, _ := decodeOwned(raw)
	return text
}

// findEncoding tells UTF-16 by its byte order mark, or by the zero bytes that most
// characters have in one half.
func findEncoding(raw []byte) (encoding, bool) {
	if len(raw) < 2 || len(raw)%2 != 0 {
		return encoding{}, false
	}
	switch {
	case bytes.HasPrefix(raw, utf16LE):
		return encoding{binary.LittleEndian, true}, true
	case bytes.HasPrefix(raw, utf16BE):
		return encoding{binary.BigEndian, true}, true
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
		return encoding{order: binary.LittleEndian}, true
	case zero[1] == 0 && zero[0] > most:
		return encoding{order: binary.BigEndian}, true
	}
	return encoding{}, false
}

// encode gives a text's bytes.
func (e encoding) encode(text []byte) []byte {
	if e.order == nil {
		return text
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
	return out
}
