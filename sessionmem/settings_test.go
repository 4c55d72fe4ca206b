package sessionmem

import (
	"errors"
	"strings"
	"testing"

	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func warmth(t float64) *float64 { return &t }

func TestSettingsAreReadLeniently(t *testing.T) {
	yes := true
	for name, c := range map[string]struct {
		text string
		want transcript.Settings
	}{
		"all":              {"model: qwen3:8b\nagent: coder\ntemperature: 0.2\nprompt:\nIn German.\n\nmodel: no", transcript.Settings{Model: "qwen3:8b", Agent: "coder", Temperature: warmth(0.2), Prompt: "In German.\n\nmodel: no"}},
		"thinking":         {"think: off", transcript.Settings{Think: new(bool)}},
		"thinking by hand": {"Think : Yes\nthink: perhaps", transcript.Settings{Think: &yes}},
		"context":          {"context: 8192\ncontext: many", transcript.Settings{Context: 8192}},
		"too small a one":  {"context: 12", transcript.Settings{}},
		"by hand":          {"Agent:coder\r\n  TEMPERATURE : 0,5\nPrompt: short", transcript.Settings{Agent: "coder", Temperature: warmth(0.5), Prompt: "short"}},
		"nothing":          {transcript.DefaultSettings, transcript.Settings{}},
		"empty":            {"", transcript.Settings{}},
		"no temperature":   {"temperature: hot\nmodel: a", transcript.Settings{Model: "a"}},
		"one too high":     {"temperature: 9", transcript.Settings{}},
		"of a newer form":  {"model: a\ntop_k: 3", transcript.Settings{Model: "a"}},
		"an empty prompt":  {"prompt:\n\n", transcript.Settings{}},
		"words about them": {"I chose these because", transcript.Settings{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := transcript.ParseSettings(c.text)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if !transcript.ParseSettings(got.Text()).Equal(got) {
				t.Errorf("%q does not say the same", got.Text())
			}
		})
	}
}

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
	for _, store := range []*Store{s, openStore(t, root)} {
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
		"0 to 2":     {Temperature: warmth(3)},
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

func FuzzSettings(f *testing.F) {
	f.Add("model: a\nprompt:\nb")
	f.Add("temperature: 1e-9")
	f.Fuzz(func(t *testing.T, text string) {
		got := transcript.ParseSettings(text)
		if !transcript.ParseSettings(got.Text()).Equal(got) {
			t.Errorf("%q became %q", text, got.Text())
		}
		if err := got.Check(); err != nil {
			t.Error(err)
		}
	})
}
