package agents

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Eight messages are summarised once, and the following ones only after eight more, not
// on every turn.
func TestTurnsCompactEveryEightMessages(t *testing.T) {
	tests := []struct {
		name       string
		background bool
		want       []int // the turns that make a summary
	}{
		{"behind the answer", true, []int{4, 8, 12, 16, 20, 24}},
		{"before the request", false, []int{5, 10, 15, 20}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := compacting(t, tt.background, 16384, goodDigest)
			var at []int
			calls := 0
			for turn := 1; turn <= 24; turn++ {
				r.say(fmt.Sprintf(askedOslo, turn))
				r.settled()
				if n := r.compactions(); n > calls {
					at, calls = append(at, turn), n
				}
			}
			if diff := cmp.Diff(tt.want, at); diff != "" || calls != len(tt.want) {
				t.Errorf("%d calls of the model; turns (-want +got):\n%s", calls, diff)
			}
		})
	}
}

// settled waits until no background work runs.
func (r *rig) settled() { r.engine.after.Wait() }
