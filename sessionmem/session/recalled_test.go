package session_test

import (
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func TestForgettingRemovesQuotations(t *testing.T) {
	at := time.Date(2026, 5, 3, 12, 0, 0, 0, time.Local)
	list := []transcript.Quotation{
		{Chunk: "cpu-k3x9qa/7f3a/0", Time: at, Who: "user", Text: "The key is under the mat.\n\nfrom the front door"},
		{Chunk: "memory/agents/my, own file.md/0a1b", Time: at, Who: "memory", Text: "The lock is new."},
	}
	quoted := "[time]\n\nframe\n" + list[0].Line() + "\n" + list[1].Line() + "\nend"
	user := transcript.Block{Kind: transcript.KindUser, Context: quoted, Attrs: map[string]string{"files": "a"}}.WithRecalled(list)
	tests := []struct {
		name    string
		b       transcript.Block
		gone    string
		holds   []string
		lacks   []string
		ids     []string
		changed bool
	}{
		{"the first", user, list[0].Chunk, []string{"lock is new", "[time]", "end"}, []string{"mat", "front door", "7f3a"}, []string{list[1].Chunk}, true},
		{"the second", user, list[1].Chunk, []string{"mat", "front door", "end"}, []string{"lock", "own file"}, []string{list[0].Chunk}, true},
		{"another", user, "cpu-k3x9qa/7f3a/1", []string{"mat", "lock"}, nil, []string{list[0].Chunk, list[1].Chunk}, false},
		{"the result of a search", transcript.Block{Kind: transcript.KindTool, Agent: transcript.ToolMemorySearch, Text: quoted}, list[0].Chunk, nil, []string{"mat", "front door"}, nil, true},
		{"the result of another tool", transcript.Block{Kind: transcript.KindTool, Agent: "FETCH_URL", Text: quoted}, list[0].Chunk, []string{"mat"}, nil, nil, false},
		{"an answer holds the ids alone", transcript.Block{Kind: transcript.KindAssistant, Text: list[0].Line()}.WithRecalled(list[:1]), list[0].Chunk, []string{"mat"}, nil, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, changed := tt.b.DropRecalled(func(id string) bool { return id == tt.gone })
			text := got.Context + got.Text
			for _, s := range tt.holds {
				if !strings.Contains(text, s) {
					t.Errorf("%q is gone from %q", s, text)
				}
			}
			for _, s := range tt.lacks {
				if strings.Contains(text, s) {
					t.Errorf("%q is still in %q", s, text)
				}
			}
			if diff := cmp.Diff(tt.ids, got.Recalled()); diff != "" && len(tt.ids)+len(got.Recalled()) > 0 || changed != tt.changed {
				t.Errorf("changed %v, ids %s", changed, diff)
			}
		})
	}
	if diff := cmp.Diff([]string{list[0].Chunk, list[1].Chunk}, user.Recalled()); diff != "" {
		t.Errorf("the block it was taken from changed: %s", diff)
	}
}

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
