package transcript

import "strings"

// OpeningFence returns the characters that open a code block, "" for other lines.
func OpeningFence(line string) string {
	rest := strings.TrimLeft(line, " \t")
	if rest == "" || rest[0] != '`' && rest[0] != '~' {
		return ""
	}
	n := len(rest) - len(strings.TrimLeft(rest, rest[:1]))
	if n < 3 {
		return ""
	}
	return rest[:n]
}

// ClosesFence reports whether a line ends the code block that fence opened.
func ClosesFence(line, fence string) bool {
	t := strings.TrimSpace(line)
	return strings.HasPrefix(t, fence) && strings.Trim(t, fence[:1]) == ""
}
