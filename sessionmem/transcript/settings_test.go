package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSettingsAreReadLeniently(t *testing.T) {
	yes := true
	for name, c := range map[string]struct {
		text string
		want Settings
	}{
		"all":              {"model: qwen3:8b\nagent: coder\ntemperature: 0.2\nprompt:\nIn German.\n\nmodel: no", Settings{Model: "qwen3:8b", Agent: "coder", Temperature: new(0.2), Prompt: "In German.\n\nmodel: no"}},
		"thinking":         {"think: off", Settings{Think: new(bool)}},
		"thinking by hand": {"Think : Yes\nthink: perhaps", Settings{Think: &yes}},
		"context":          {"context: 8192\ncontext: many", Settings{Context: 8192}},
		"too small a one":  {"context: 12", Settings{}},
		"by hand":          {"Agent:coder\r\n  TEMPERATURE : 0,5\nPrompt: short", Settings{Agent: "coder", Temperature: new(0.5), Prompt: "short"}},
		"nothing":          {DefaultSettings, Settings{}},
		"empty":            {"", Settings{}},
		"no temperature":   {"temperature: hot\nmodel: a", Settings{Model: "a"}},
		"one too high":     {"temperature: 9", Settings{}},
		"of a newer form":  {"model: a\ntop_k: 3", Settings{Model: "a"}},
		"an empty prompt":  {"prompt:\n\n", Settings{}},
		"words about them": {"I chose these because", Settings{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := ParseSettings(c.text)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if !ParseSettings(got.Text()).Equal(got) {
				t.Errorf("%q does not say the same", got.Text())
			}
		})
	}
}

func FuzzSettings(f *testing.F) {
	f.Add("model: a\nprompt:\nb")
	f.Add("temperature: 1e-9")
	f.Fuzz(func(t *testing.T, text string) {
		got := ParseSettings(text)
		if !ParseSettings(got.Text()).Equal(got) {
			t.Errorf("%q became %q", text, got.Text())
		}
		if err := got.Check(); err != nil {
			t.Error(err)
		}
	})
}

func TestSettingsOfATranscript(t *testing.T) {
	warm := Settings{Model: "a", Temperature: new(1.0), Think: new(true), Context: 4096}
	tr := &Transcript{Blocks: []Block{warm.Note(), {Kind: KindUser, Text: "hi"}}}
	if got := tr.Settings(); !got.Equal(warm) || got.IsZero() {
		t.Errorf("they are %+v", got)
	}
	tr.Blocks = append(tr.Blocks, Settings{}.Note()) // the last Note counts as a whole
	if got := tr.Settings(); !got.IsZero() || !(&Transcript{}).Settings().IsZero() {
		t.Errorf("they are %+v", got)
	}
	for want, s := range map[string]Settings{
		"": warm, "0 to 2": {Temperature: new(-0.1)}, "512 to 16777216": {Context: 100}, "4000 is the most": {Prompt: strings.Repeat("ä", 4001)},
	} {
		if err := s.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if got := ParseSettings("prompt: " + strings.Repeat("ä", 5000)); got.Check() != nil || len(got.Prompt) != 2*4000 {
		t.Errorf("a prompt that is too long becomes one of %d bytes", len(got.Prompt))
	}
}
