package cpuwindow

import (
	"errors"
	"testing"

	"mac-stats/agents"
	"mac-stats/app/ui/screentest"
)

func TestInstallStepsAreShownIfTheServerNeverAnswered(t *testing.T) {
	tests := map[string]struct {
		seen bool // the server answered when the window was shown
		tell bool
	}{
		"given a server that never answered": {false, true},
		"given one that answered before":     {true, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", t.TempDir()) // without Ollama
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				if !test.seen {
					b.server.down = errors.New("refused")
				}
				b.shown()
				b.Settle()
				b.server.mu.Lock()
				b.server.down = errors.New("refused")
				b.server.mu.Unlock()
				// when a message gets no answer because the server is down
				b.enter("hello")
				b.Settle()
				events := b.run(0).Sent
				events <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "orchestrator", Model: "m"}
				events <- agents.Event{Type: agents.EventError, Kind: "ollama_down", Text: "Ollama isn't running."}
				close(events)
				b.Settle()
				b.w.setup.Check()
				b.Settle()
				b.Sees("Retry")
				if test.tell {
					b.Sees("Not installed yet?")
				} else {
					b.SeesNot("Not installed yet?")
				}
			})
		})
	}
}
