package wholefile

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// in16 encodes a text in UTF-16.
func in16(text string, order binary.AppendByteOrder) (out []byte) {
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

// in32 encodes a text in UTF-32.
func in32(text string, order binary.AppendByteOrder) (out []byte) {
	for _, r := range text {
		out = order.AppendUint32(out, uint32(r)) //nolint:gosec // a character
	}
	return out
}

// Words are found whatever Unicode encodings a file mixes, damaged ones too.
func TestDecodeMixed(t *testing.T) {
	le, be := binary.LittleEndian, binary.BigEndian
	const text = "# Mine\n\n- der Schlüssel – 鍵は青い箱の中にあります – Ā 😀\n- zanzibar ist blau\n"
	const behind = "\n## User · 2026-11-22T20:55:00Z\n\nzanzibar für alle\n"
	lone := "\xd8"
	for name, tt := range map[string]struct{ raw, want string }{
		"UTF-8":                         {text, text},
		"UTF-16LE":                      {"\xff\xfe" + string(in16(text, le)), text},
		"UTF-16BE, UTF-8 behind it":     {"\xfe\xff" + string(in16(text, be)) + behind, text + behind},
		"UTF-16LE, UTF-8 behind it":     {"\xff\xfe" + string(in16(text, le)) + behind, text + behind},
		"the same without a mark":       {string(in16(text, le)) + behind, text + behind},
		"an odd last byte":              {"\xff\xfe" + string(in16(text, le)) + "\n", text + "\n"},
		"half a character":              {"\xff\xfe" + string(in16(text, le)) + "\x00" + lone + string(in16("zanzibar\n", le)), text + "\ufffdzanzibar\n"},
		"half a character at the end":   {"\xff\xfe" + string(in16(text, le)) + "\x00" + lone, text + "\ufffd"},
		"no mark, a letter with a zero": {string(in16(text+"- Ā dash\n", le)), text + "- Ā dash\n"},
		"UTF-32LE":                      {"\xff\xfe\x00\x00" + string(in32(text, le)), text},
		"UTF-32BE":                      {"\x00\x00\xfe\xff" + string(in32(text, be)), text},
		"UTF-32LE, UTF-8 behind it":     {string(in32(text, le)) + behind, text + behind},
		"UTF-8, UTF-16LE behind it":     {behind + string(in16(text, le)), behind + text},
		"stray zero bytes":              {"a\x00zanzibar\x00\x00zanzibar\x00, it says", "a\x00zanzibar\x00\x00zanzibar\x00, it says"},
		"Windows-1252":                  {"Zo\xeb drinks \x80 tea \x93here\x94\n", "Zoë drinks € tea “here”\n"},
		"one such letter in UTF-8":      {"Zoë drinks \x80 tea\n", "Zoë drinks \x80 tea\n"},
		"half a letter of UTF-8":        {"Zo\xc3", "Zo\xc3"},
		"a program's own file":          {"b0VIM\x10\x00\x00zanzibar\x00", "b0VIM\x10\x00\x00zanzibar\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := Decode([]byte(tt.raw))
			if string(got) != tt.want {
				t.Errorf("read as %q", got)
			}
		})
	}
}

func FuzzDecodeMixed(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00b\x00\n"))
	f.Add([]byte("\x00\x00\xfe\xff\x00\x00\x00a"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, enc := Decode(raw)
		if again, _ := enc.Encode(text); enc.order != nil && string(again) != string(raw) {
			t.Errorf("%q is written back as %q", raw, again)
		}
	})
}

// A charset that was guessed is never given up for another one: what it can't express isn't written.
func TestATextIsReadBackAsItWasWritten(t *testing.T) {
	const western, cyrillic = "Zo\xeb drinks tea\n", "\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0\n"
	for name, tt := range map[string]struct {
		file, add string
		ok        bool
	}{
		"letters it has":                 {western, "Gruyère costs 10 €", true},
		"ASCII, in another charset":      {cyrillic, "oolong", true},
		"a letter it doesn't have":       {western, "茶", false},
		"the same in another charset":    {cyrillic, "мир", false},
		"bytes that are UTF-8 together":  {western, "ß”", false},
		"UTF-8 has them all":             {"Zoë\n", "茶 ß”", true},
		"and ASCII becomes UTF-8":        {"tea\n", "茶", true},
		"old line ends":                  {"Zo\xeb\rtea\r", "Gruyère", true},
		"old line ends, no such letter":  {"Zo\xeb\rtea\r", "茶", false},
		"not a letter of text":           {western, "\x00", false},
		"what begins like UTF-16":        {"\xff\xfea\xeb \xeb\n", "bb", false},
		"an unfinished letter at an end": {western, "caf\xc3", false},
	} {
		t.Run(name, func(t *testing.T) {
			text, enc := Decode([]byte(tt.file))
			more := string(text) + tt.add + "\n"
			raw, ok := enc.Encode([]byte(more))
			if ok != tt.ok {
				t.Fatalf("it can be written as %q: %v", raw, ok)
			}
			if back := DecodeText(raw); ok && (string(back) != more || !strings.HasPrefix(string(raw), tt.file)) {
				t.Errorf("%q is read back as %q", raw, back)
			}
			if less, ok := enc.Encode([]byte("tea\n")); !ok || strings.TrimSpace(string(less)) != "tea" {
				t.Errorf("without its letters it is %q, %v", less, ok)
			}
		})
	}
}

// A crash leaves zeros where the end of a file was being written. They make no other text of
// the letters before them.
func TestZerosInATextChangeNoLetter(t *testing.T) {
	for _, raw := range []string{
		"- Lives in Bergen\x00\x00\n", "- Lives in Bergen\x00\x00", "- Lives in Bergen\x00\x00\x00\x00\x00\x00\x00", "- Lives in Bergen\n\x00\x00\x00",
		"- Lives\x00\x00 in Bergen\n", "- Lives in Bergen" + strings.Repeat("\x00", 4096), "ab\x00\x00", "- Lives in Bergen\n\x00\x00\x00\x00- Likes tea\n",
	} {
		text, enc := Decode([]byte(raw))
		if again, ok := enc.Encode(text); string(text) != raw || string(again) != raw || !ok {
			t.Errorf("%.30q becomes %.30q", raw, text)
		}
	}
}
