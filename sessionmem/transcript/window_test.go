package transcript

import (
	"fmt"
	"strings"
	"testing"
)

func TestEstimateTokens(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "a": 1, "word": 1, "words": 2, strings.Repeat("word ", 40): 50, "猫が好き": 4, "猫 cat": 2, "é": 1, "\xff\xff": 1,
	} {
		if got := EstimateTokens(text); got != want {
			t.Errorf("EstimateTokens(%q) = %d, want %d", text, got, want)
		}
	}
}

func messagesOf(costs ...int) []Block {
	out := make([]Block, len(costs))
	for i, c := range costs {
		out[i] = Block{ID: fmt.Sprint(i), Kind: KindUser, Text: strings.Repeat("x", c)}
	}
	return out
}

func textLen(b Block) int { return len(b.Text) }

func TestTrim(t *testing.T) {
	ones := func(n int) []int { return append(make([]int, 0, n), make([]int, n)...) }
	for _, tc := range []struct {
		name  string
		costs []int
		lim   Limits
		cut   int
	}{
		{"given no messages", nil, Limits{20, 100}, 0},
		{"given no caps, then nothing is cut", ones(100), Limits{}, 0},
		{"given as many as the cap, then nothing is cut", ones(20), Limits{Messages: 20}, 0},
		{"given one more, then three quarters are left", ones(21), Limits{Messages: 20}, 6},
		{"given five more, then the beginning is still the same", ones(26), Limits{Messages: 20}, 6},
		{"given six more, then it is cut again", ones(27), Limits{Messages: 20}, 12},
		{"given the tokens of the cap, then nothing is cut", []int{50, 50}, Limits{Tokens: 100}, 0},
		{"given more tokens, then three quarters are left", []int{30, 30, 30, 30}, Limits{Tokens: 100}, 2},
		{"given a message beyond the cap, then it alone stays", []int{1, 1, 500}, Limits{Tokens: 100}, 2},
		{"given a cap of one, then the newest stays", ones(3), Limits{Messages: 1}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			given := messagesOf(tc.costs...)
			kept, cut := Trim(given, tc.lim, textLen)
			if cut != tc.cut || len(kept) != len(given)-cut {
				t.Errorf("cut %d, kept %d; want %d cut", cut, len(kept), tc.cut)
			}
		})
	}
}

// TestTrimIsTheSameAfterARestart replays a growing session: for several turns, each turn's
// window begins where the one before began, whoever computes it.
func TestTrimIsTheSameAfterARestart(t *testing.T) {
	lim := Limits{Messages: 20, Tokens: 300}
	var all []Block
	last, moved := 0, 0
	for i := range 500 {
		all = append(all, messagesOf(i*7%31)...)
		kept, cut := Trim(all, lim, textLen)
		tokens := 0
		for _, m := range kept {
			tokens += textLen(m)
		}
		if len(kept) > lim.Messages || tokens > lim.Tokens || cut < last {
			t.Fatalf("after %d: kept %d of %d tokens, cut %d after %d", i, len(kept), tokens, cut, last)
		}
		if cut != last {
			moved++
		}
		last = cut
	}
	if moved > 500/4 {
		t.Errorf("the beginning moved %d times in 500 turns", moved)
	}
}

func BenchmarkTrim10000(b *testing.B) {
	messages := make([]Block, 10_000)
	for i := range messages {
		messages[i] = Block{Kind: KindUser, Text: strings.Repeat("word ", 60)}
	}
	cost := func(m Block) int { return EstimateTokens(m.Text) }
	for b.Loop() {
		Trim(messages, Limits{Messages: 20, Tokens: 8192}, cost)
	}
}
