package backend

import (
	"context"
	"sync"

	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
)

// attended is a chat model that tells when work for people begins and ends.
type attended struct {
	background.ChatModel
	tell func(working bool)

	mu sync.Mutex // held while tell runs, so that what it is told is in order
	n  int        // requests under way
}

func (a *attended) Chat(ctx context.Context, req ollama.ChatRequest) (ollama.ChatResult, error) {
	a.add(1)
	defer a.add(-1)
	return a.ChatModel.Chat(ctx, req) //nolint:wrapcheck // it is only looked at
}

func (a *attended) add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.n > 0
	a.n += n
	if now := a.n > 0; now != before {
		a.tell(now)
	}
}
