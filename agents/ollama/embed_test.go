package ollama_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
)

func TestEmbedReturnsAVectorPerText(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{nomic}})
	c := newClient(t, s, nil)
	got, err := c.Embed(t.Context(), "nomic-embed-text", []string{"fan noise", "a loud fan", ""})
	if err != nil || len(got) != 3 || len(got[0]) != 64 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := c.Embed(t.Context(), "nomic-embed-text", nil); err != nil || got != nil {
		t.Errorf("no text: %v, %v", got, err)
	}
	if _, err := c.Embed(t.Context(), "nomic-embed-text", []string{text(5000)}); !errors.Is(err, ollama.ErrContextOverflow) {
		t.Errorf("too long: %v", err)
	}
	if _, err := c.Embed(t.Context(), "none", []string{"a"}); !errors.Is(err, ollama.ErrModelMissing) {
		t.Errorf("not installed: %v", err)
	}
}

func TestShowReturnsDigestAndDimensions(t *testing.T) {
	model := nomic
	model.Dimensions = 48
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{model}})
	info, err := newClient(t, s, nil).Show(t.Context(), model.Name)
	if err != nil || info.Dimensions != 48 || len(info.Digest) != 64 {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestEmbedYieldsToAChat(t *testing.T) {
	s := testkit.Start(t, testkit.Script{
		Models:     []testkit.Model{tiny, nomic},
		Rules:      []testkit.Rule{{Reply: testkit.Reply{Text: "hello"}}},
		EmbedFault: &testkit.Fault{Kind: testkit.FaultSlow, Delay: time.Hour},
	})
	c := newClient(t, s, nil)
	embedded := make(chan error, 1)
	go func() {
		_, err := c.Embed(t.Context(), nomic.Name, []string{"a text"})
		embedded <- err
	}()
	for len(s.Requests()) == 0 || s.Requests()[len(s.Requests())-1].Path != "/api/embed" {
		time.Sleep(time.Millisecond)
	}
	if _, err := c.EmbedNow(t.Context(), nomic.Name, []string{"a"}); !errors.Is(err, ollama.ErrBusy) {
		t.Errorf("while the permit is taken: %v", err)
	}
	res, err := c.Chat(t.Context(), ollama.ChatRequest{Model: tiny.Name, Messages: []api.Message{{Role: "user", Content: "hi"}}})
	if err != nil || res.Content != "hello" {
		t.Errorf("the chat: %q, %v", res.Content, err)
	}
	if err := <-embedded; !errors.Is(err, ollama.ErrAside) {
		t.Errorf("the embedding ended with %v", err)
	}
}

func TestEmbedNowLoadsNoModelBesideAnother(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Models: []testkit.Model{nomic}})
	one := newClient(t, s, nil)
	if _, err := one.EmbedNow(t.Context(), nomic.Name, []string{"a"}); !errors.Is(err, ollama.ErrNotLoaded) {
		t.Errorf("not in memory: %v", err)
	}
	two := newClient(t, s, func(p *ollama.Params) { p.MaxConcurrent = 2 })
	for _, c := range []*ollama.Client{two, one} { // the first client loads it
		if got, err := c.EmbedNow(t.Context(), nomic.Name, []string{"a"}); err != nil || len(got) != 1 {
			t.Errorf("%v, %v", got, err)
		}
	}
}

func TestEmbedFailures(t *testing.T) {
	tests := []struct {
		name  string
		fault testkit.FaultKind
		want  error
	}{
		{"a web page", testkit.FaultGarbage, ollama.ErrServer},
		{"no JSON", testkit.FaultNotJSON, ollama.ErrServer},
		{"a vector is missing", testkit.FaultFewer, ollama.ErrServer},
		{"the server goes down", testkit.FaultDown, ollama.ErrOllamaDown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := testkit.Start(t, testkit.Script{Models: []testkit.Model{nomic}})
			s.SetEmbedFault(&testkit.Fault{Kind: tt.fault})
			if got, err := newClient(t, s, nil).Embed(t.Context(), nomic.Name, []string{"a", "b"}); !errors.Is(err, tt.want) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}
