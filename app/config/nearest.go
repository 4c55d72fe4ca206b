package config

import "strings"

// nearest returns the known name most like name, or "" if none is close: at most a third of
// the name differs, or the last part is the same in another section.
func nearest(name string, known []string) string {
	name = strings.ToLower(name)
	if name == "" || len(name) > 100 {
		return ""
	}
	best, least := "", 1<<30
	for _, k := range known {
		d := distance(name, strings.ToLower(k))
		if d <= max(1, len(name)/3) && d < least {
			best, least = k, d
		}
	}
	last := lastPart(name)
	for _, k := range known {
		d := distance(last, lastPart(k))
		if d <= len(last)/4 && d < least {
			best, least = k, d
		}
	}
	return best
}

func lastPart(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// distance returns how many bytes must be inserted, removed or replaced to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
