package ollama_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/ollama"
	"mac-stats/agents/testkit"
)

func TestPullReportsProgressAndInstalls(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Pulls: map[string]testkit.Pull{
		"qwen3:0.6b": {Model: tiny, Steps: 5},
		"broken":     {Error: "write /models/blobs: no space left on device"},
		"slow":       {Delay: time.Hour},
	}})
	c := newClient(t, s, nil)
	var steps []ollama.Progress
	if err := c.Pull(t.Context(), "qwen3:0.6b", func(p ollama.Progress) { steps = append(steps, p) }); err != nil {
		t.Fatal(err)
	}
	last, before := steps[len(steps)-1], int64(0)
	for _, p := range steps {
		if p.Completed < before || p.Completed > p.Total {
			t.Errorf("progress goes back: %+v", steps)
		}
		before = p.Completed
	}
	if last.Status != "success" || last.Completed != last.Total || last.Total == 0 {
		t.Errorf("the last step is %+v", last)
	}
	if _, err := ollama.NewCatalog(c, 0).Resolve(t.Context(), "qwen3:0.6b", ""); err != nil {
		t.Errorf("after the pull: %v", err)
	}
	if err := c.Pull(t.Context(), "broken", nil); !errors.Is(err, ollama.ErrServer) || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("an error line: %v", err)
	}
	if err := c.Pull(t.Context(), "nonsense", nil); !errors.Is(err, ollama.ErrModelMissing) {
		t.Errorf("a model that does not exist: %v", err)
	}
}

func TestVersion(t *testing.T) {
	s := testkit.Start(t, testkit.Script{Version: "0.99.1"})
	if got, err := newClient(t, s, nil).Version(t.Context()); err != nil || got != "0.99.1" {
		t.Errorf("%q, %v", got, err)
	}
}
