package transcript

import (
	"testing"
)

func TestSourcesRoundTrip(t *testing.T) {
	for s := range Sources(1 << len(SourceWords)) {
		if got := ParseSources(s.String()); got != s {
			t.Errorf("%q is read as %q", s, got)
		}
	}
	if got := ParseSources("page calendar"); got != FromPage|FromUnknown {
		t.Errorf("a later version's source is read as %q", got)
	}
}

// A block without sources counts as a stranger's unless the owner typed it.
func TestTextSources(t *testing.T) {
	told := func(value string) map[string]string { return map[string]string{AttrSources: value} }
	for _, tt := range []struct {
		name, session string
		b             Block
		want          Sources
	}{
		{"told", "cpu-a", Block{Kind: KindAssistant, Attrs: told("page file")}, FromPage | FromFile},
		{"told as typed", "cli-a", Block{Kind: KindUser, Attrs: told("typed")}, 0},
		{"a message in the window of an older version", "cpu-a", Block{Kind: KindUser}, 0},
		{"one of the command line", "cli-a", Block{Kind: KindUser}, FromUnknown},
		{"an answer", "cpu-a", Block{Kind: KindAssistant}, FromUnknown},
		{"a Summary of pages", "cpu-a", Block{Kind: KindSummary, Attrs: map[string]string{AttrUntrusted: "yes"}}, FromUnknown},
		{"a fork of a channel", "cpu-a", Block{Kind: KindUser, Attrs: map[string]string{AttrUntrusted: "discord"}}, FromDiscord},
		{"a channel", "discord-7", Block{Kind: KindUser, Attrs: told("typed")}, FromDiscord},
		{"somebody's message", "cpu-a", Block{Kind: KindUser, Attrs: map[string]string{"author": "9"}}, FromDiscord},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.b.TextSources(tt.session); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	b := Block{Kind: KindUser, Text: "See\n\n[a](files/" + "0000000000000000000000000000000000000000000000000000000000000000.txt)"}.WithSources(0)
	b = b.WithRecalled([]Quotation{{Chunk: "cpu-1/a/0", Sources: FromPage}})
	if got := b.Sources("cpu-a"); got != FromFile|FromPage {
		t.Errorf("what is sent with it: %q", got)
	}
}
