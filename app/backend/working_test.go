package backend

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/ollama"
)

// slowChat answers after a second.
type slowChat struct{}

func (slowChat) Chat(context.Context, ollama.ChatRequest) (ollama.ChatResult, error) {
	time.Sleep(time.Second)
	return ollama.ChatResult{}, errors.New("no answer")
}

func TestWorkIsReportedOnceForSeveralAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []bool
		a := &attended{ChatModel: slowChat{}, onWork: func(working bool) { calls = append(calls, working) }}
		for range 3 {
			go func() { _, _ = a.Chat(t.Context(), ollama.ChatRequest{}) }()
			time.Sleep(time.Second / 2)
		}
		time.Sleep(time.Minute)
		go func() { _, _ = a.Chat(t.Context(), ollama.ChatRequest{}) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		if diff := cmp.Diff([]bool{true, false, true, false}, calls); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
