package conversation

import (
	"context"

	"mac-stats/agents"
)

// Run is a turn under way; *agents.Run is one.
type Run interface {
	Events(ctx context.Context) <-chan agents.Event
	Stop()
	StopCall(id string)
	Answer(id string, answer agents.Answer) bool
}
