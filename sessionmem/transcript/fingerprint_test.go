package transcript

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A Summary holds as long as the messages it was made from are there with the same words.
func TestSummaryHoldsWhileItsMessagesStay(t *testing.T) {
	told := []Block{{ID: "1", Kind: KindUser, Text: "the fan  is loud"}, {ID: "2", Kind: KindAssistant, Text: "clean it\n\nor replace it"}}
	var all Fingerprints
	for _, b := range told {
		all.Follow(b)
	}
	made := all.First(2)
	summary := Block{Kind: KindSummary, Attrs: map[string]string{"x": "y"}}.WithFingerprint(made)
	if summary.Attrs["x"] != "y" {
		t.Error("its other attributes are gone")
	}
	attr := func(value string) Block {
		return Block{Kind: KindSummary, Attrs: map[string]string{AttrFingerprint: value}}
	}
	with := func(i int, text string) []Block {
		out := []Block{told[0], told[1]}
		out[i].Text = text
		return out
	}
	for name, c := range map[string]struct {
		blocks  []Block
		summary Block
		want    bool
	}{
		"nothing changed":                  {told, summary, true},
		"a message and a note came since":  {append(with(0, told[0].Text), Block{ID: "3", Kind: KindUser, Text: "ok"}, Block{Kind: KindNote, Text: "x"}), summary, true},
		"other white space":                {with(1, "clean it or\nreplace   it\n"), summary, true},
		"another word":                     {with(1, "clean it\n\nor repair it"), summary, false},
		"a space within a word":            {with(0, "the fan is lo ud"), summary, false},
		"one deleted":                      {told[1:], summary, false},
		"another in its place":             {[]Block{told[0], {ID: "9", Kind: KindAssistant, Text: told[1].Text}}, summary, false},
		"a reset since":                    {[]Block{told[0], told[1], {Kind: KindNote, Note: NoteEnded}}, summary, false},
		"of an older program: nothing":     {told[1:], Block{Kind: KindSummary}, true},
		"of an older program: IDs alone":   {with(1, "other words"), attr(made.idsOnly()), true},
		"of an older program: one deleted": {told[:1], attr(made.idsOnly()), false},
		"unreadable":                       {told[:1], attr("many"), true},
	} {
		t.Run(name, func(t *testing.T) {
			var now Fingerprints
			for _, b := range c.blocks {
				if !now.Follow(b) {
					t.Errorf("%+v isn't a Summary", b)
				}
			}
			if got := now.Follow(c.summary); got != c.want {
				t.Errorf("it holds: %v; it was made from %s, there are %v", got, made, now)
			}
		})
	}
	if first := all.First(0); first != (Fingerprint{}) || all.First(7) != made {
		t.Errorf("the first 0: %s, the first 7: %s", first, all.First(7))
	}
}

// The check sum of a block as it is in the file is that of the block, however it is written.
func TestChecksumOfTheFileAndOfTheBlock(t *testing.T) {
	for _, text := range []string{"", "plain words", "a\n\n## User\n\nescaped\n\\x", "\n\nouter lines \n", "no UTF-8 \xff", strings.Repeat("very long ", 200_000), "ends in\ttabs\v"} {
		file := AppendBlock(nil, Block{ID: "1", Kind: KindUser, Time: begun, Text: text})
		for name, file := range map[string][]byte{"as written": file, "CRLF": bytes.ReplaceAll(file, []byte("\n"), []byte("\r\n"))} {
			raw := ParseBlock(bytes.TrimLeft(file, "\r\n"), 0, int64(len(file)), false)
			if got, want := raw.Checksum(), raw.Decode().Checksum(); got != want || raw.Decode().ID != "1" {
				t.Errorf("%s: %.20q: %x, %x", name, text, got, want)
			}
		}
	}
}

// Files hold this value: another one would drop their Summaries from the context.
func ExampleFingerprint_String() {
	fmt.Println(Fingerprint{}.Add("7f3a", Block{Text: "hi"}.Checksum()))
	// Output: 1-c4024788-2f3ebf56
}
