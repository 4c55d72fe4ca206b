package ollama

import "testing"

func TestObserveCalibratesAndNoticesATruncation(t *testing.T) {
	type call struct {
		raw, counted int
		cut          bool
	}
	tests := []struct {
		name   string
		numCtx int
		calls  []call
		least  int // Estimate of 1000 afterwards
		most   int
	}{
		{"nothing learnt", 4096, nil, 1000, 1000},
		{"one answer", 4096, []call{{1000, 1200, false}}, 1200, 1200},
		{"smoothed", 4096, []call{{1000, 1000, false}, {1000, 2000, false}}, 1300, 1301},
		{"short prompts teach nothing", 4096, []call{{10, 300, false}}, 1000, 1000},
		{"no count teaches nothing", 4096, []call{{1000, 0, false}}, 1000, 1000},
		{"bounded above", 65536, []call{{100, 40000, false}}, 5000, 5000},
		{"bounded below", 4096, []call{{400, 1, false}}, 250, 250},
		{"cut at the first prompt", 16384, []call{{9000, 2050, true}}, 1000, 1000},
		{"cut of a prompt beyond the context", 4096, []call{{1000, 1000, false}, {9000, 2050, true}}, 1000, 1000},
		{"cut of a growing chat", 16384, []call{{3000, 3000, false}, {3600, 2040, true}}, 1000, 1000},
		{"cut seen only when calibrated", 2048, []call{{250, 1000, false}, {600, 1025, true}}, 4000, 4000},
		{"cut to exactly the context", 1024, []call{{400, 400, false}, {1200, 1024, true}}, 1000, 1000},
		{"cut by dropping messages", 1024, []call{{400, 400, false}, {1300, 950, true}}, 1000, 1000},
		{"a rough estimate beyond the context is no cut", 1024, []call{{1200, 900, false}}, 750, 750},
		{"a short prompt is no cut", 4096, []call{{450, 200, false}}, 444, 445},
		{"a server that counts only what is new", 16384, []call{{3000, 3000, false}, {3400, 420, false}, {3700, 310, false}}, 1000, 1000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := &learned{}
			for i, c := range tt.calls {
				if cut := l.observe(c.raw, c.counted, tt.numCtx); cut != c.cut {
					t.Errorf("call %d: cut %v", i, cut)
				}
			}
			if got := l.estimate(1000); got < tt.least || got > tt.most {
				t.Errorf("1000 are estimated as %d; want %d to %d", got, tt.least, tt.most)
			}
		})
	}
}

func TestParseParameters(t *testing.T) {
	for in, want := range map[string]int64{
		"8.2B": 8_200_000_000, "334M": 334_000_000, "1.1b": 1_100_000_000, "22.7K": 22_700, "1T": 1e12,
		"": 0, "large": 0, "-1B": 0, "B": 0, "8x7B": 0, "1e30B": 0,
	} {
		if got := parseParameters(in); got != want {
			t.Errorf("%q: %d, want %d", in, got, want)
		}
	}
}

// Prompts are cut by the estimate. If it changed with each answer, each prompt would be
// cut elsewhere, and the server would reread all of it each time.
func TestEstimatesAreSteady(t *testing.T) {
	c := &Catalog{learned: map[string]*learned{}}
	l := c.of("m")
	for _, tt := range []struct {
		counted []int // of 1000 each
		want    int   // Estimate of 1000 after each of them
	}{
		{[]int{1240}, 1250},
		{[]int{1260, 1230, 1255, 1245, 1250}, 1250},
		{[]int{1400}, 1375},
		{[]int{1180, 1200, 1290, 1190, 1210, 1200}, 1375},
		{[]int{900, 900, 900, 900, 900, 900, 900, 900}, 1125},
	} {
		for i, n := range tt.counted {
			l.observe(1000, n, 100_000)
			if got := c.Estimate("m", 1000); got != tt.want && (tt.want != 1125 || i == len(tt.counted)-1) {
				t.Errorf("after %d of %v (ratio %.3f): %d, want %d", i, tt.counted, l.ratio, got, tt.want)
			}
		}
	}
}
