// Package words is how the commands say things: numbers with their nouns, sizes and
// times as people read them, and the text of other people on one line.
//
// Text that comes from models, pages and other people goes through Clean before it
// reaches a terminal: what a terminal would obey is taken out. What an error repeats of
// somebody's text is cut. Nothing here writes anything; app/cli/cmdline and the
// packages of the commands call it.
package words

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// Count is a number with its noun: "1 message", "2,000 messages". many is the
// plural where it is not the noun with an s.
func Count(n int, noun string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case len(many) > 0:
		return Thousands(n) + " " + many[0]
	}
	return Thousands(n) + " " + noun + "s"
}

// Thousands writes n with commas: 5,360.
func Thousands(n int) string { return humanize.Comma(int64(n)) }

// Size shows bytes as people read them.
func Size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.0f KB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}

// When shows a time as people read it: today's by the clock, others by the day.
func When(t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case time.Since(t).Abs() < 20*time.Hour:
		return t.Local().Format("15:04")
	}
	return t.Local().Format("2006-01-02 15:04")
}

// Stamp is a time in JSON: RFC 3339, "" where there is none.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}
