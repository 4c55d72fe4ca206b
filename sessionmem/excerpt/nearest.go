package excerpt

import "strings"

// Nearest returns the known word closest to word, or "" if none is close: at most a
// third of its letters differ, or it begins with word.
func Nearest(word string, known []string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if word == "" || len(word) > 100 {
		return ""
	}
	best, bestAt := "", 1<<30
	for _, k := range known {
		folded := strings.ToLower(k)
		d := editDistance([]rune(word), []rune(folded))
		if d < bestAt && (d <= max(len([]rune(word)), len([]rune(folded)))/3 || len(word) >= 3 && strings.HasPrefix(folded, word)) {
			best, bestAt = k, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours
// (optimal string alignment).
func editDistance(a, b []rune) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(b)]
}
