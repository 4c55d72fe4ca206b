package index

import (
	"runtime"
	"testing"
)

func TestBackgroundIndexingLeavesHalfOfTheProcessors(t *testing.T) {
	all := runtime.GOMAXPROCS(0)
	background := InBackground(t.Context())
	for _, c := range []struct {
		what string
		got  int
		want int
	}{
		{"many, waited for", atATime(analysts(t.Context(), 1000, 1000)), all},
		{"many", atATime(analysts(background, 1000, 1000)), (all + 1) / 2},
		{"many of a few words", atATime(analysts(background, 1000, 10)), all},
		{"one, of a turn that ended", atATime(analysts(background, 1, 1)), 1},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d at a time, want %d", c.what, c.got, c.want)
		}
	}
}

func atATime(n int, _ func()) int { return n }
