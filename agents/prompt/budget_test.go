package prompt

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/transcript"
)

func TestNewBudget(t *testing.T) {
	tests := []struct {
		context int
		want    Budget
	}{
		{4096, Budget{Context: 4096, Answer: 1024, Memory: 819, Roster: 614, Summary: 614, Result: 1024}},
		{16384, Budget{Context: 16384, Answer: 4096, Memory: 3276, Roster: 2457, Summary: 2457, Result: 4096}},
		{0, Budget{}},
		{-1, Budget{}},
	}
	for _, tc := range tests {
		if diff := cmp.Diff(tc.want, NewBudget(tc.context)); diff != "" {
			t.Errorf("NewBudget(%d) (-want +got):\n%s", tc.context, diff)
		}
	}
}

func TestBudgetRest_givenFixedParts(t *testing.T) {
	b := NewBudget(4096)
	if got := b.Rest(1900, 300); got != 4096-1024-1900-300 {
		t.Errorf("history %d", got)
	}
	if b.Rest(4000) != -928 {
		t.Errorf("rest %d, want -928", b.Rest(4000))
	}
	// Fully used shares leave a quarter for soul, skill, message and history.
	if left := b.Rest(b.Memory, b.Roster, b.Summary); left < 4096/4 {
		t.Errorf("left for the rest: %d tokens", left)
	}
}

func TestCutResult(t *testing.T) {
	lines := strings.Repeat("a line of nineteen.\n", 100) // 2,000 characters, 500 tokens
	tests := []struct {
		name, text string
		tokens     int
		want       string
		left       int
	}{
		{"fits", "short", 10, "short", 0},
		{"fits exactly", strings.Repeat("a", 40), 10, strings.Repeat("a", 40), 0},
		{"empty", "", 0, "", 0},
		{"at a line", lines, 52, strings.TrimSpace(strings.Repeat("a line of nineteen.\n", 6)) + "\n[cut here: 1,881 more characters did not fit]", 1881},
		{"one long line", strings.Repeat("x", 400), 30, strings.Repeat("x", 40) + "\n[cut here: 360 more characters did not fit]", 360},
		{"wide characters", strings.Repeat("漢", 100), 30, strings.Repeat("漢", 10) + "\n[cut here: 90 more characters did not fit]", 90},
		{"no UTF-8", strings.Repeat("\x80", 400), 30, strings.Repeat("\x80", 40) + "\n[cut here: 360 more characters did not fit]", 360},
		{"no room", lines, 3, "[cut here: 2,000 more characters did not fit]", 2000},
		{"no room at all", lines, -5, "[cut here: 2,000 more characters did not fit]", 2000},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got, left := CutResult(tc.text, tc.tokens)
			if got != tc.want || left != tc.left {
				t.Errorf("got %q, %d\nwant %q, %d", got, left, tc.want, tc.left)
			}
		})
	}
}

func FuzzCutResult(f *testing.F) {
	f.Add("aä漢🙂\n\n b", 21)
	f.Add(strings.Repeat("🙂 é\n", 200), 60)
	f.Add("\xff\xfe"+strings.Repeat("x", 300), 40)
	f.Fuzz(func(t *testing.T, text string, tokens int) {
		got, left := CutResult(text, tokens)
		if left == 0 {
			if got != text && strings.TrimSpace(text) != "" && transcript.EstimateTokens(text) > tokens && tokens > noteTokens {
				t.Errorf("changed without saying so: %q", got)
			}
			return
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("cut through a character: %q", got)
		}
		head, _, _ := strings.Cut(got, "[cut here:")
		if head = strings.TrimSuffix(head, "\n"); !strings.HasPrefix(text, head) {
			t.Errorf("the beginning changed: %q", head)
		}
		if utf8.RuneCountInString(text) != utf8.RuneCountInString(head)+left {
			t.Errorf("%d characters said to be left out of %d, kept %d", left, utf8.RuneCountInString(text), utf8.RuneCountInString(head))
		}
		if tokens >= noteTokens && transcript.EstimateTokens(got) > tokens {
			t.Errorf("%d tokens, asked for %d", transcript.EstimateTokens(got), tokens)
		}
	})
}

func BenchmarkCutResult(b *testing.B) {
	page := strings.Repeat("A sentence of a fetched page, about as long as usual.\n", 40_000) // 2 MB
	binary := strings.Repeat("\x80", 2<<20)
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			CutResult(page, 4096)
		}
	})
	b.Run("binary", func(b *testing.B) {
		for b.Loop() {
			CutResult(binary, 4096)
		}
	})
}
