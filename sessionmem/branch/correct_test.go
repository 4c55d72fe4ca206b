package branch_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// No context contains the old text of what was edited or deleted on Discord, however it is
// read, before and after a Summary and a restart.
func TestEditedAndDeletedMessagesInAContext(t *testing.T) {
	const name = "discord-200"
	block := func(kind transcript.Kind, id, text string) transcript.Block {
		return transcript.Block{Kind: kind, ID: id, Text: text}
	}
	six := []transcript.Block{
		block(transcript.KindUser, "q1", "secret one"), block(transcript.KindAssistant, "a1", "answer one"), block(transcript.KindUser, "q2", "two"),
		block(transcript.KindAssistant, "a2", "answer two"), block(transcript.KindUser, "q3", "three"), block(transcript.KindAssistant, "a3", "answer three"),
	}
	summary := transcript.Block{Kind: transcript.KindSummary, ID: "s1", Through: "a2", Text: "they said secret one"}
	deleted := func(id string) transcript.Block {
		return transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteDeleted, Parent: id}
	}
	edited := func(id, text string) transcript.Block {
		return transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteEdited, Parent: id, Text: text}
	}
	tests := map[string]struct {
		after []transcript.Block
		want  string
	}{
		"given a deletion":                                {[]transcript.Block{deleted("q1")}, "answer one|two|answer two|three|answer three"},
		"given an edit":                                   {[]transcript.Block{edited("q2", "TWO")}, "secret one|answer one|TWO|answer two|three|answer three"},
		"given two edits":                                 {[]transcript.Block{edited("q2", "TWO"), edited("q2", "2")}, "secret one|answer one|2|answer two|three|answer three"},
		"given an edit and a deletion":                    {[]transcript.Block{edited("q1", "new"), deleted("q1")}, "answer one|two|answer two|three|answer three"},
		"given a deletion behind a Summary":               {[]transcript.Block{summary, deleted("q3")}, "S:they said secret one|answer three"},
		"given a deletion of what a Summary covers":       {[]transcript.Block{summary, deleted("q1")}, "answer one|two|answer two|three|answer three"},
		"given an edit of what a Summary covers":          {[]transcript.Block{summary, edited("q1", "harmless")}, "harmless|answer one|two|answer two|three|answer three"},
		"given a Summary that is made after the deletion": {[]transcript.Block{deleted("q1"), {Kind: transcript.KindSummary, ID: "s2", Through: "a2", Text: "they said two"}}, "S:they said two|three|answer three"},
		"given a deletion of what a Summary goes through": {[]transcript.Block{summary, deleted("a2")}, "secret one|answer one|two|three|answer three"},
		"given that all is deleted":                       {[]transcript.Block{deleted("q1"), deleted("a1"), deleted("q2"), deleted("a2"), deleted("q3"), deleted("a3"), deleted("a3")}, ""},
		"given an id that nobody has":                     {[]transcript.Block{deleted("x"), edited("y", "z")}, "secret one|answer one|two|answer two|three|answer three"},
		"given a rewind behind it":                        {[]transcript.Block{deleted("q1"), {Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: "q3"}}, "answer one|two|answer two"},
	}
	read := func(t *testing.T, s *sessionmem.Store) string {
		t.Helper()
		c, err := s.Context(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		if c.Summary != nil {
			list = append(list, "S:"+c.Summary.Text)
		}
		for _, b := range c.Messages {
			list = append(list, b.Text)
		}
		if c.Summary == nil && c.Total != len(c.Messages) {
			t.Errorf("%d messages are counted, %d are there", c.Total, len(c.Messages))
		}
		return strings.Join(list, "|")
	}
	for title, tt := range tests {
		for _, private := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in memory: %v", title, private), func(t *testing.T) {
				root := t.TempDir()
				s, err := sessionmem.Open(sessionmem.Config{Root: root})
				if err != nil {
					t.Fatal(err)
				}
				if private {
					s.SetPrivate(name)
				}
				for _, b := range append(append([]transcript.Block{}, six...), tt.after...) {
					if _, err := s.Append(t.Context(), name, b); err != nil {
						t.Fatal(err)
					}
				}
				if got := read(t, s); got != tt.want {
					t.Errorf("the context is %q, want %q", got, tt.want)
				}
				if private {
					return
				}
				again, err := sessionmem.Open(sessionmem.Config{Root: root})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = again.Close() }()
				if got := read(t, again); got != tt.want {
					t.Errorf("after a restart the context is %q, want %q", got, tt.want)
				}
				on, err := again.Session(name).InContext(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range append(append([]transcript.Block{}, six...), summary) { // what searches find may be quoted with its place
					stands := slices.Contains(strings.Split(strings.ReplaceAll(tt.want, "S:", ""), "|"), b.Text)
					covered := strings.Contains(tt.want, "S:")
					if stands && !on(b.ID) || !stands && !covered && on(b.ID) {
						t.Errorf("%s (%q) may be quoted: %v", b.ID, b.Text, on(b.ID))
					}
				}
				tr, err := again.Load(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				branch := fmt.Sprint(tr.Branch())
				for _, text := range []string{"secret one", "answer one"} {
					if kept := strings.Contains(strings.ReplaceAll(branch, summary.Text, ""), text); kept != strings.Contains(strings.Replace(tt.want, summary.Text, "", 1), text) && !strings.Contains(tt.want, "S:") {
						t.Errorf("a fork holds %q: %v", text, kept)
					}
				}
			})
		}
	}
}

// A Summary made from text that was deleted meanwhile is not written.
func TestDeletionStopsASummaryInProgress(t *testing.T) {
	s, err := sessionmem.Open(sessionmem.Config{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	const name = "discord-200"
	for i := range 6 {
		kind := []transcript.Kind{transcript.KindUser, transcript.KindAssistant}[i%2]
		if _, err := s.Append(t.Context(), name, transcript.Block{Kind: kind, ID: fmt.Sprint("b", i), Text: fmt.Sprint("text ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	snap, err := s.Session(name).Summaries().Snapshot(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Correct(t.Context(), name, transcript.Block{Note: transcript.NoteDeleted, Parent: "b0"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Session(snap.Session).Summaries().Append(t.Context(), snap, transcript.Block{Kind: transcript.KindSummary, Through: "b3", Text: "text 0 was said"}); !errors.Is(err, session.ErrStale) {
		t.Errorf("it gave %v, want session.ErrStale", err)
	}
}
