package words

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 messages":     Count(0, "message"),
		"1 message":      Count(1, "message"),
		"2,000 messages": Count(2000, "message"),
		"1 summary":      Count(1, "summary", "summaries"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCutQuotes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 9000)
	for text, want := range map[string]string{
		`no "short" one`:       `no "short" one`,
		`no "` + long + `".`:   `no "` + long[:59] + `…".`,
		`there is ` + long:     `there is ` + long[:59] + `…`,
		`a \"` + long + `\" b`: ``,
	} {
		got := CutQuotes(text)
		if want != "" && got != want || len(got) > 200 {
			t.Errorf("%q", got)
		}
	}
}
