package faultwords

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/session"
)

// fault.Explain's texts for the errors that people meet are known here, word for word.
func TestEveryExplanationIsKnown(t *testing.T) {
	for _, err := range []error{
		&ollama.Error{Err: ollama.ErrOllamaDown, Host: "127.0.0.1:11434"},
		&ollama.Error{Err: ollama.ErrModelMissing, Host: "h", Model: "qwen3:8b"},
		&ollama.Error{Err: ollama.ErrContextOverflow, Host: "h", Model: "qwen3:8b"},
		&ollama.Error{Err: ollama.ErrStreamCut, Host: "h", Began: true},
		&ollama.Error{Err: ollama.ErrStreamCut, Host: "h"},
		&ollama.Error{Err: ollama.ErrTimeout, Host: "h", Began: true},
		&ollama.Error{Err: ollama.ErrTimeout, Host: "h"},
		&ollama.Error{Err: ollama.ErrBusy, Host: "h"},
		&ollama.Error{Err: ollama.ErrServer, Host: "h", Foreign: true},
		&ollama.Error{Err: ollama.ErrServer, Host: "h", Status: 500, Detail: "boom. Bang"},
		&ollama.Error{Err: ollama.ErrServer, Host: "h", Model: "m", Detail: "out of memory"},
		&ollama.NoModelError{Role: ollama.RoleGeneral},
		&ollama.NoModelError{Role: ollama.RoleGeneral, Installed: 2},
		&ollama.Error{Err: ollama.ErrServer, Host: "h", Detail: "pull model manifest: file does not exist", Model: "m"},
		&ollama.Error{Err: ollama.ErrServer, Host: "h", Detail: "invalid model name"},
		ollama.ErrCancelled, context.DeadlineExceeded, syscall.ENOSPC, syscall.EROFS, fault.ErrOnDisk, session.ErrReadOnly, errors.New("odd"),
	} {
		x := fault.Explain(fmt.Errorf("asking: %w", err))
		for _, text := range []string{x.Sentence, x.Next} {
			if known, _ := i18n.Match(text, texts); known == "" && !strings.Contains(text, "odd") {
				t.Errorf("%v: %q isn't known", err, text)
			}
		}
		if both := x.Sentence + " " + x.Next; Of(both) != both {
			t.Errorf("in English %q is said as %q", both, Of(both))
		}
	}
}

// So are the warnings about the model that answers, whose texts the tests of package agents fix.
func TestWarningsAboutTheModelAreKnown(t *testing.T) {
	for made, want := range map[string]i18n.Places{
		"llava:7b answers this message, because qwen3:8b can't look at images":                 {"Other": "llava:7b", "Model": "qwen3:8b"},
		"blind:1b can't look at images: 1 of earlier messages not sent":                        {"Model": "blind:1b", "Number": "1"},
		"The model smollm2:135m is too small for tools and other agents: it answers by itself": {"Model": "smollm2:135m"},
	} {
		if known, places := i18n.Match(made, texts); known == "" || !maps.Equal(places, want) {
			t.Errorf("%q comes from %q with %v", made, known, places)
		}
		if Of(made) != made {
			t.Errorf("in English it is %q", Of(made))
		}
	}
}
