package session_test

import (
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

func TestRecalledWordsOfStrangersTaintTheSession(t *testing.T) {
	own := []string{transcript.ToolMemorySearch}
	strangers := []transcript.Quotation{{Chunk: "discord-1/a/0", Sources: transcript.FromDiscord}}
	tests := []struct {
		name string
		b    transcript.Block
		want bool
	}{
		{"the owner's words", transcript.Block{Kind: transcript.KindUser, Text: "x"}.WithRecalled([]transcript.Quotation{{Chunk: "cpu-1/a/0"}}), false},
		{"words of strangers", transcript.Block{Kind: transcript.KindUser, Text: "x"}.WithRecalled(strangers), true},
		{"a search that found the owner's", transcript.Block{Kind: transcript.KindTool, Agent: transcript.ToolMemorySearch, Text: "x"}, false},
		{"a search that found strangers'", transcript.Block{Kind: transcript.KindTool, Agent: transcript.ToolMemorySearch, Text: "x"}.WithRecalled(strangers), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := sessionmem.Open(sessionmem.Config{Root: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Session("cpu-1").Append(t.Context(), transcript.Block{Kind: transcript.KindUser, Text: "question"}, tt.b, transcript.Block{Kind: transcript.KindAssistant, Text: "answer"}); err != nil {
				t.Fatal(err)
			}
			snap, err := s.Session("cpu-1").Summaries().Snapshot(t.Context(), "")
			if err != nil || snap.Sources(own).Typed() == tt.want {
				t.Errorf("sources %v, want others' %v (%v)", snap.Sources(own), tt.want, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
