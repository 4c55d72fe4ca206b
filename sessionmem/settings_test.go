package sessionmem_test

import (
	"errors"
	"strings"
	"testing"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

func TestSettingsOutliveRestartRewindAndReset(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	want := transcript.Settings{Agent: "coder", Prompt: "Short.\n## User · 2026-11-21T10:00:00Z"}
	if err := s.SetSettings(t.Context(), "cpu-a", want); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("of a session that isn't there: %v", err)
	}
	first := mustAppend(t, s, "cpu-a", user("one"))
	must(t, s.SetSettings(t.Context(), "cpu-a", transcript.Settings{Model: "a"}))
	must(t, s.SetSettings(t.Context(), "cpu-a", want))
	if _, err := s.Rewind(t.Context(), "cpu-a", first.ID, user("two")); err != nil {
		t.Fatal(err)
	}
	must(t, s.Reset(t.Context(), "cpu-a"))
	for _, store := range []*sessionmem.Store{s, openStore(t, root)} {
		window, err := store.Context(t.Context(), "cpu-a")
		if err != nil || !window.Settings.Equal(want) {
			t.Errorf("%+v, %v", window.Settings, err)
		}
		tr, err := store.Load(t.Context(), "cpu-a")
		if err != nil || !tr.Settings().Equal(want) {
			t.Errorf("%+v, %v", tr.Settings(), err)
		}
	}
	must(t, s.SetSettings(t.Context(), "cpu-a", transcript.Settings{}))
	if window, err := s.Context(t.Context(), "cpu-a"); err != nil || !window.Settings.IsZero() {
		t.Errorf("by default again: %+v, %v", window.Settings, err)
	}
}

func TestInvalidSettingsAreRefused(t *testing.T) {
	s := openStore(t, t.TempDir())
	mustAppend(t, s, "cpu-a", user("one"))
	for want, bad := range map[string]transcript.Settings{
		"0 to 2":     {Temperature: new(3.0)},
		"characters": {Prompt: strings.Repeat("x", 5000)},
	} {
		if err := s.SetSettings(t.Context(), "cpu-a", bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want something of %s", err, want)
		}
	}
}

func TestSuggestedTitleReplacesNoTitle(t *testing.T) {
	for name, given := range map[string]bool{"none is there": false, "a person gave one": true} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			s, other := openStore(t, root), openStore(t, root)
			mustAppend(t, s, "cpu-a", user("my words"))
			want := "A model's words"
			if given {
				want = "Mine"
				must(t, other.SetTitle(t.Context(), "cpu-a", want))
			}
			written, err := s.SuggestTitle(t.Context(), "cpu-a", "A model's\nwords", "small:1b")
			if written == given || err != nil {
				t.Errorf("written: %v, %v", written, err)
			}
			if written, _ := s.SuggestTitle(t.Context(), "cpu-a", "Once more", "small:1b"); written {
				t.Error("a second one is written")
			}
			checkTitle(t, s, want)
		})
	}
}

// A title needs words, and a session to have it.
func TestTitlesThatAreNone(t *testing.T) {
	s := openStore(t, t.TempDir())
	if written, err := s.SuggestTitle(t.Context(), "cpu-a", " \n", "small:1b"); written || err != nil {
		t.Errorf("without words: %v, %v", written, err)
	}
	if written, err := s.SuggestTitle(t.Context(), "cpu-a", "Words", "small:1b"); written || !errors.Is(err, session.ErrNotFound) {
		t.Errorf("of a session that isn't there: %v, %v", written, err)
	}
}
