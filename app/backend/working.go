package backend

import (
	"context"
	"sync"

	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
)

// attended is a chat model that reports when work for people begins and ends.
type attended struct {
	background.ChatModel
	onWork func(working bool)

	mu sync.Mutex // held during onWork, so that its calls are in order
	n  int        // running requests
}

func (a *attended) Chat(ctx context.Context, req ollama.ChatRequest) (ollama.ChatResult, error) {
	a.add(1)
	defer a.add(-1)
	return a.ChatModel.Chat(ctx, req) //nolint:wrapcheck // a pass-through
}

func (a *attended) add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.n > 0
	a.n += n
	if now := a.n > 0; now != before {
		a.onWork(now)
	}
}
