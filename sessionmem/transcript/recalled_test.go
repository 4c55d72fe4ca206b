package transcript

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestForgettingRemovesQuotations(t *testing.T) {
	at := time.Date(2026, 5, 3, 12, 0, 0, 0, time.Local)
	list := []Quotation{
		{Chunk: "cpu-k3x9qa/7f3a/0", Time: at, Who: "user", Text: "The key is under the mat.\n\nfrom the front door"},
		{Chunk: "memory/agents/my, own file.md/0a1b", Time: at, Who: "memory", Text: "The lock is new."},
	}
	quoted := "[time]\n\nframe\n" + list[0].Line() + "\n" + list[1].Line() + "\nend"
	user := Block{Kind: KindUser, Context: quoted, Attrs: map[string]string{"files": "a"}}.WithRecalled(list)
	tests := []struct {
		name    string
		b       Block
		gone    string
		holds   []string
		lacks   []string
		ids     []string
		changed bool
	}{
		{"the first", user, list[0].Chunk, []string{"lock is new", "[time]", "end"}, []string{"mat", "front door", "7f3a"}, []string{list[1].Chunk}, true},
		{"the second", user, list[1].Chunk, []string{"mat", "front door", "end"}, []string{"lock", "own file"}, []string{list[0].Chunk}, true},
		{"another", user, "cpu-k3x9qa/7f3a/1", []string{"mat", "lock"}, nil, []string{list[0].Chunk, list[1].Chunk}, false},
		{"the result of a search", Block{Kind: KindTool, Agent: ToolMemorySearch, Text: quoted}, list[0].Chunk, nil, []string{"mat", "front door"}, nil, true},
		{"the result of another tool", Block{Kind: KindTool, Agent: "FETCH_URL", Text: quoted}, list[0].Chunk, []string{"mat"}, nil, nil, false},
		{"an answer holds the ids alone", Block{Kind: KindAssistant, Text: list[0].Line()}.WithRecalled(list[:1]), list[0].Chunk, []string{"mat"}, nil, nil, true},
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

// A passage is attributed to the owner only if the owner typed all of it.
func TestQuotationsNameTheirSpeaker(t *testing.T) {
	at := time.Date(2026, 5, 3, 12, 0, 0, 0, time.Local)
	for want, q := range map[string]Quotation{
		"from cpu-a/1/0, 3 May 2026, user: one\n  two":                           {Who: "user", Text: " one\ntwo\n"},
		"from cpu-a/1/0, 3 May 2026, a stranger: hi":                             {Who: "user", Text: "hi", Sources: FromDiscord},
		"from cpu-a/1/0, 3 May 2026, user, with words of strangers: hi":          {Who: "user", Text: "hi", Sources: FromFile},
		"from cpu-a/1/0, 3 May 2026, assistant, with words of strangers: answer": {Who: "assistant", Text: "answer", Sources: FromUnknown},
	} {
		q.Chunk, q.Time = "cpu-a/1/0", at
		if got := q.Line(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	b := Block{Kind: KindUser}.WithRecalled([]Quotation{{Chunk: "a b/0", Sources: FromPage}, {Chunk: "c/0", Sources: FromFile}})
	if got := b.RecalledSources(); got != FromPage|FromFile || len(b.Recalled()) != 2 || b.Recalled()[0] != "a b/0" {
		t.Errorf("it recalled %q of %s", b.Recalled(), got)
	}
	if got := (Block{Kind: KindUser}).WithRecalled(nil); got.Attrs != nil {
		t.Errorf("without passages it has %v", got.Attrs)
	}
}
