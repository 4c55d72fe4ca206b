//go:build unix

package failuretest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"mac-stats/agents/testkit"
)

// wide returns a text in UTF-16, little endian, with a byte order mark.
func wide(text string) string {
	var out strings.Builder
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		out.Write([]byte{byte(u), byte(u >> 8)})
	}
	return out.String()
}

// Forgetting covers text that an editor saved in another encoding, even if the app or a
// fault has changed it since.
func TestForgettingInOtherEncodings(t *testing.T) {
	t.Parallel()
	const memory = "# Mine\n\n- zanzibar locker is blue\n- other line\n"
	for name, tt := range map[string]struct{ transcript, memory func(string) string }{
		"a transcript in UTF-16":       {transcript: wide},
		"one with UTF-8 behind it":     {transcript: func(text string) string { return wide(text) + "\n## User · 2026-11-22T20:55:00Z\n\nto zanzibar\n" }},
		"memory with an odd last byte": {memory: func(text string) string { return wide(text) + "\n" }},
		"memory with half a character": {memory: func(text string) string { return wide(text+"- broken ") + "\x00\xd8\n\x00" }},
		"memory without a mark":        {memory: func(text string) string { return wide(text + "- Ā dash\n")[2:] }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testkit.Start(t, testkit.Script{
				Models: []testkit.Model{{Name: "tiny:1b", ParameterSize: "1B", Capabilities: []string{"completion"}}},
				Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: "Fine."}}},
			})
			r := &returning{place: newPlace(t, server.Addr()), server: server}
			delete(r.had, "agents/memory.md")
			r.do("ask", "--session", "s", "we meet in "+secretWord)
			if tt.memory != nil {
				r.put(filepath.Join(r.home, "agents/memory.md"), []byte(tt.memory(memory)))
			}
			if tt.transcript != nil {
				text, err := os.ReadFile(r.file(r.base))
				if err != nil {
					t.Fatal(err)
				}
				r.put(r.file(r.base), []byte(tt.transcript(string(text))))
			}
			r.do("ask", "--session", "s", "bring a coat")
			r.do("memory", "forget", "--text", secretWord, "--yes")
			err := filepath.WalkDir(r.base, func(path string, d os.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return err
				}
				data, err := os.ReadFile(path)
				if strings.Contains(strings.ReplaceAll(string(data), "\x00", ""), secretWord) {
					t.Errorf("%s holds it", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if tt.memory == nil {
				return
			}
			if said := r.do("memory", "list").stdout; !strings.Contains(said, "other line") {
				t.Errorf("what else stood there is lost: %s", said)
			}
		})
	}
}

// A transcript that an editor saved in a charset of one byte a letter keeps its bytes: which
// charset it is can only be guessed, and a wrong guess would be there for good.
func TestATranscriptInAnotherCharsetKeepsItsBytes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		charset *charmap.Charmap
		asks    string
	}{
		"Cyrillic":         {charmap.Windows1251, "Зоя любит чай"},
		"Cyrillic of Unix": {charmap.KOI8R, "Зоя любит чай"},
		"Central European": {charmap.ISO8859_2, "Łódź leży nad Łódką"},
		"Greek":            {charmap.Windows1253, "Η Ζωή πίνει τσάι"},
		"Western":          {charmap.Windows1252, "Zoë drinks tea"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testkit.Start(t, testkit.Script{
				Models: []testkit.Model{{Name: "tiny:1b", ParameterSize: "1B", Capabilities: []string{"completion"}}},
				Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: "Fine."}}},
			})
			r := &returning{place: newPlace(t, server.Addr()), server: server}
			r.do("ask", "--session", "s", tt.asks)
			file := r.file(r.base)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = bytes.Replace(text, []byte("---\n"), []byte("---\n# "+tt.asks+"\n"), 1) // a comment of the person's
			saved, err := encoding.ReplaceUnsupported(tt.charset.NewEncoder()).Bytes(text)
			if err != nil {
				t.Fatal(err)
			}
			r.put(file, saved)
			r.do("ask", "--session", "s", "bring a coat")
			r.do("ask", "--session", "s", "and an umbrella")
			now, err := os.ReadFile(r.file(r.base))
			if err != nil {
				t.Fatal(err)
			}
			asked, err := tt.charset.NewEncoder().Bytes([]byte(tt.asks))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(now, asked) || !bytes.Contains(now, []byte("\nbring a coat\n")) || !bytes.Contains(now, []byte("\nand an umbrella\n")) {
				t.Errorf("it holds %q", now)
			}
		})
	}
}
