package agents

import (
	"context"

	"mac-stats/agents/agenttest"
)

// Outcome waits for the end of the turn and returns its outcome, for tests of agents and
// models. Refused calls aren't included, because they didn't run.
func (r *Run) Outcome() (agenttest.Outcome, error) {
	var o agenttest.Outcome
	began := map[string]bool{}
	for e := range r.Events(context.Background()) { // ends with the turn
		switch {
		case e.Call == nil:
			if e.Type == EventState || e.Type == EventToken {
				o.Rounds = max(o.Rounds, e.Round)
			}
		case began[e.Call.ID]:
		case e.Type == EventTool && !e.Call.Done: // a refused call is done at once
			began[e.Call.ID] = true
			o.Calls = append(o.Calls, agenttest.Call{Tool: e.Call.Name, Arg: e.Call.Task})
		case e.Type == EventSubcallStart:
			began[e.Call.ID] = true
			o.Delegated = append(o.Delegated, e.Call.Name)
		}
	}
	result, err := r.Wait()
	o.Answer = result.Text
	return o, err
}
