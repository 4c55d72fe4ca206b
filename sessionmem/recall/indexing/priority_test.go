package indexing

import (
	"runtime"
	"testing"
)

func TestBackgroundIndexingLeavesHalfOfTheProcessors(t *testing.T) {
	all := runtime.GOMAXPROCS(0)
	background := InBackground(t.Context())
	for _, c := range []struct {
		what  string
		files int
		got   int
		want  int
	}{
		{"many, waited for", 1000, atATime(readers(t.Context(), 1000)), all},
		{"many", 1000, atATime(readers(background, 1000)), (all + 1) / 2},
		{"one, of a turn that ended", 1, atATime(readers(background, 1)), 1},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d at a time, want %d", c.what, c.got, c.want)
		}
	}
}

func atATime(n int, _ func()) int { return n }
