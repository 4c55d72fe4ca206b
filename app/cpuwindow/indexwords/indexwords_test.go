package indexwords

import (
	"testing"

	"mac-stats/sessionmem/recall"
)

func TestTheIndexStateReadsAsInCommands(t *testing.T) {
	for _, s := range []recall.State{
		{Vectors: recall.VectorsOff},
		{Behind: 1, Vectors: recall.VectorsReady},
		{Behind: 3, Vectors: recall.VectorsPaused, Cold: 120},
		{Building: true, Vectors: recall.VectorsPartial, Cold: 1},
		{Building: true, Behind: 2, Vectors: recall.VectorsBuilding},
		{Building: true, Behind: 2, Done: 1, Of: 40},
		{LeftOut: []string{"race"}},
	} {
		if got := Of(s); got != s.String() {
			t.Errorf("%q, want %q", got, s.String())
		}
	}
}
