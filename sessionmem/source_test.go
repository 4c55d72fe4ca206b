package sessionmem

import (
	"testing"

	"mac-stats/sessionmem/transcript"
)

func TestSourcesRoundTrip(t *testing.T) {
	for s := range transcript.Sources(1 << len(transcript.SourceWords)) {
		if got := transcript.ParseSources(s.String()); got != s {
			t.Errorf("%q is read as %q", s, got)
		}
	}
	if got := transcript.ParseSources("page calendar"); got != transcript.FromPage|transcript.FromUnknown {
		t.Errorf("a later version's source is read as %q", got)
	}
}

// A block without sources counts as a stranger's unless the owner typed it.
func TestTextSources(t *testing.T) {
	told := func(value string) map[string]string { return map[string]string{transcript.AttrSources: value} }
	for _, tt := range []struct {
		name, session string
		b             transcript.Block
		want          transcript.Sources
	}{
		{"told", "cpu-a", transcript.Block{Kind: transcript.KindAssistant, Attrs: told("page file")}, transcript.FromPage | transcript.FromFile},
		{"told as typed", "cli-a", transcript.Block{Kind: transcript.KindUser, Attrs: told("typed")}, 0},
		{"a message in the window of an older version", "cpu-a", transcript.Block{Kind: transcript.KindUser}, 0},
		{"one of the command line", "cli-a", transcript.Block{Kind: transcript.KindUser}, transcript.FromUnknown},
		{"an answer", "cpu-a", transcript.Block{Kind: transcript.KindAssistant}, transcript.FromUnknown},
		{"a Summary of pages", "cpu-a", transcript.Block{Kind: transcript.KindSummary, Attrs: map[string]string{transcript.AttrUntrusted: "yes"}}, transcript.FromUnknown},
		{"a fork of a channel", "cpu-a", transcript.Block{Kind: transcript.KindUser, Attrs: map[string]string{transcript.AttrUntrusted: "discord"}}, transcript.FromDiscord},
		{"a channel", "discord-7", transcript.Block{Kind: transcript.KindUser, Attrs: told("typed")}, transcript.FromDiscord},
		{"somebody's message", "cpu-a", transcript.Block{Kind: transcript.KindUser, Attrs: map[string]string{"author": "9"}}, transcript.FromDiscord},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.b.TextSources(tt.session); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	b := transcript.Block{Kind: transcript.KindUser, Text: "See\n\n[a](files/" + "0000000000000000000000000000000000000000000000000000000000000000.txt)"}.WithSources(0)
	b = b.WithRecalled([]transcript.Quotation{{Chunk: "cpu-1/a/0", Sources: transcript.FromPage}})
	if got := b.Sources("cpu-a"); got != transcript.FromFile|transcript.FromPage {
		t.Errorf("what is sent with it: %q", got)
	}
}
