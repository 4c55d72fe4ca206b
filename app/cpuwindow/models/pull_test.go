package models

import (
	"testing"

	"mac-stats/agents/ollama"
)

func TestPullFailuresInWords(t *testing.T) {
	for _, tt := range []struct{ detail, what, next string }{
		{`pull model manifest: Get "https://x/v2": dial tcp: lookup x: no such host`, "The registry could not be reached.", "Is the machine online? Then try again."},
		{"pull model manifest: file does not exist", "The registry has no model m:1b.", "Look its name up in the list of models, then try that."},
		{"write: no space left on device", "The disk is full.", "Free some space, then try again. The download continues where it stopped."},
		{"odd", "The download of m:1b failed.", "Try again. Ollama said: odd"},
	} {
		what, next := failure("m:1b", &ollama.Error{Kind: ollama.ErrServer, Host: "h", Detail: tt.detail})
		if what != tt.what || next != tt.next {
			t.Errorf("%q: %q, %q", tt.detail, what, next)
		}
	}
	if what, _ := failure("m:1b", &ollama.Error{Kind: ollama.ErrOllamaDown, Host: "h:1"}); what != "Ollama isn't running at h:1." {
		t.Errorf("a server that is down: %q", what)
	}
}
