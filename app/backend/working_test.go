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

func TestWorkIsToldOnceHoweverManyAnswersThereAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []bool
		a := &attended{ChatModel: slowChat{}, tell: func(working bool) { told = append(told, working) }}
		for range 3 {
			go func() { _, _ = a.Chat(t.Context(), ollama.ChatRequest{}) }()
			time.Sleep(time.Second / 2)
		}
		time.Sleep(time.Minute)
		go func() { _, _ = a.Chat(t.Context(), ollama.ChatRequest{}) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		if diff := cmp.Diff([]bool{true, false, true, false}, told); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
