package words

import (
	"strings"
	"testing"
	"time"
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

func TestReadableSizesAndTimes(t *testing.T) {
	t.Parallel()
	at := time.Date(2020, 3, 1, 9, 5, 0, 0, time.Local)
	for _, tt := range []struct{ got, want string }{
		{Thousands(-5360), "-5,360"},
		{Size(999), "999 B"},
		{Size(12_000), "12 KB"},
		{Size(3_400_000), "3 MB"},
		{Size(5_200_000_000), "5.2 GB"},
		{When(time.Time{}), "–"},
		{When(at), "2020-03-01 09:05"},
		{Stamp(time.Time{}), ""},
		{Stamp(at.UTC()), at.UTC().Format(time.RFC3339)},
		{OneLine(" two\n\tlines ", 60), "two lines"},
		{OneLine("abcdef", 4), "abc…"},
		{Clean("a\x1b[31mb\u202ec\n\td"), "a[31mbc\n\td"},
		{Sentence("no such file "), "No such file."},
		{Sentence("mac-stats runs already!"), "mac-stats runs already!"},
		{Sentence(""), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
