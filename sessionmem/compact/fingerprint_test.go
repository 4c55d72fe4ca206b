package compact

import (
	"os"
	"strings"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// A Summary leaves the context once a message it was made from is deleted from the file, even
// one kept beside it; a rewind, a later message and a reordering are no deletion.
func TestSummaryLeavesWithItsMessages(t *testing.T) {
	for name, tt := range map[string]struct {
		delete string // an ID
		rewind string
		want   string
	}{
		"nothing":                    {"", "", "S m4 m5 m6 m7 m8"},
		"one that it covers":         {"m1", "", "m0 m2 m3 m4 m5 m6 m7 m8"},
		"the one that it ends with":  {"m3", "", "m0 m1 m2 m4 m5 m6 m7 m8"},
		"one that it was told of":    {"m6", "", "m0 m1 m2 m3 m4 m5 m7 m8"},
		"one that came after it":     {"m8", "", "S m4 m5 m6 m7"},
		"a rewind to one beside it":  {"", "m8", "S m4 m5 m6 m7"},
		"the first, and then rewind": {"m0", "m8", "m1 m2 m3 m4 m5 m6 m7"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newCompactRig(t, told("So far."))
			r.addMessages("cli-a", 0, 8)
			snap, _, err := r.c.Snapshot(t.Context(), "cli-a", "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.c.Compact(t.Context(), snap, 4); err != nil {
				t.Fatal(err)
			}
			r.addMessages("cli-a", 8, 9)
			if tt.delete != "" {
				tr, err := r.store.Load(t.Context(), "cli-a")
				if err != nil {
					t.Fatal(err)
				}
				text := readFile(t, tr.Info.Path)
				from := strings.LastIndex(text[:strings.Index(text, "id="+tt.delete+" ")], "## ")
				to := len(text)
				if next := strings.Index(text[from+3:], "\n## "); next >= 0 {
					to = from + 3 + next + 1
				}
				if err := os.WriteFile(tr.Info.Path, []byte(text[:from]+text[to:]), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tt.rewind != "" {
				if _, err := r.store.Rewind(t.Context(), "cli-a", tt.rewind); err != nil {
					t.Fatal(err)
				}
			}
			again, err := sessionmem.Open(sessionmem.Config{Root: r.root})
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			for which, s := range map[string]*sessionmem.Store{"running": r.store, "restarted": again} {
				if got := window(t, s, "cli-a"); got != tt.want {
					t.Errorf("%s: context %q, want %q", which, got, tt.want)
				}
			}
		})
	}
}

// The source of a tool's result is known after a restart too.
func TestSourcesAreKnownAfterARestart(t *testing.T) {
	for name, b := range map[string]transcript.Block{
		"a page":             transcript.Block{Kind: transcript.KindTool, Agent: ownTool, Text: "text"}.WithSources(transcript.FromPage),
		"a search":           {Kind: transcript.KindTool, Agent: ownTool, Text: "text", Attrs: map[string]string{transcript.AttrRecalledFrom: transcript.FromDiscord.String()}},
		"a sub-call":         {Kind: transcript.KindAgent, Agent: "coder", Task: "read it", Text: "text"},
		"the user's typing":  transcript.Block{Kind: transcript.KindTool, Agent: ownTool, Text: "text"}.WithSources(0),
		"an unnoted foreign": {Kind: transcript.KindTool, Agent: strangersTool, Text: "text"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			begin := func() *sessionmem.Store {
				s, err := sessionmem.Open(sessionmem.Config{Root: root})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return s
			}
			s := begin()
			for _, block := range []transcript.Block{{Kind: transcript.KindUser, Text: "a question"}, b, {Kind: transcript.KindAssistant, Text: "an answer"}} {
				if _, err := s.Append(t.Context(), "cli-a", block); err != nil {
					t.Fatal(err)
				}
			}
			sources := func(s *sessionmem.Store) transcript.Sources {
				snap, err := s.Session("cli-a").Summaries().Snapshot(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				return snap.Sources([]string{ownTool})
			}
			before := sources(s)
			if after := sources(begin()); after != before {
				t.Errorf("sources %v, before the restart %v", after, before)
			}
		})
	}
}
