// Package words formats text for the commands: numbers with their nouns, readable sizes and
// times, and other people's text on one line.
//
// Text from models, pages and other people goes through Clean before it reaches a terminal,
// which removes control sequences. Long quotations in errors are shortened. Nothing here
// prints; app/cli/cmdline and the packages of the commands call it.
package words

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// Count returns a number with its noun: "1 message", "2,000 messages". many is the plural
// if it isn't the noun with an s.
func Count(n int, noun string, many ...string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case len(many) > 0:
		return Thousands(n) + " " + many[0]
	}
	return Thousands(n) + " " + noun + "s"
}

// Thousands returns n with commas: 5,360.
func Thousands(n int) string { return humanize.Comma(int64(n)) }

// Size returns a readable size of n bytes.
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

// When returns a readable time: the clock time for today, the date for other days.
func When(t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case time.Since(t).Abs() < 20*time.Hour:
		return t.Local().Format("15:04")
	}
	return t.Local().Format("2006-01-02 15:04")
}

// Stamp returns a time for JSON: RFC 3339, "" for the zero time.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}
