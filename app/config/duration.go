package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	day  = 24 * time.Hour
	week = 7 * day

	longest = 100_000 * day // time.Duration ends at 292 years
)

// parseDuration reads the formats of time.ParseDuration, optionally with whole days and
// weeks in front: 30d, 2w, 1d12h. A number without a unit is an error.
func parseDuration(text string) (time.Duration, error) {
	rest := strings.TrimSpace(text)
	var sum time.Duration
	for _, unit := range []struct {
		sign string
		size time.Duration
	}{{"w", week}, {"d", day}} {
		head, tail, ok := strings.Cut(rest, unit.sign)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(head, 10, 32)
		if err != nil || n > uint64((longest-sum)/unit.size) {
			return 0, fmt.Errorf("%q is not a number of whole days or weeks", head)
		}
		sum += time.Duration(n) * unit.size
		rest = tail
	}
	if rest == "" && sum > 0 || rest == "" && rest != strings.TrimSpace(text) {
		return sum, nil
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time: %w", text, err)
	}
	if d < 0 || rest == "0" {
		return 0, fmt.Errorf("%q is not a time with a unit", text)
	}
	if d > longest-sum {
		return 0, fmt.Errorf("%q is too long a time", text)
	}
	return sum + d, nil
}

// formatDuration formats a duration as people write it: 30d, 90m, 1m30s.
func formatDuration(d time.Duration) string {
	for _, unit := range []struct {
		sign string
		size time.Duration
	}{{"d", day}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}} {
		if d >= unit.size && d%unit.size == 0 {
			return strconv.FormatInt(int64(d/unit.size), 10) + unit.sign
		}
	}
	return d.String()
}
