package prompt

import "strings"

// fence tracks code fences: three or more backquotes or tildes with any indentation,
// closed by at least as many of the same.
type fence struct {
	mark  byte
	count int
}

func (f *fence) open() bool { return f.count > 0 }

// line processes one whole line.
func (f *fence) line(line string) {
	line = strings.TrimSpace(line)
	mark, count := fenceMark(line)
	rest := line[count:]
	switch {
	case count < 3:
	case f.open():
		if mark == f.mark && count >= f.count && rest == "" {
			*f = fence{}
		}
	case mark == '~' || !strings.Contains(rest, "`"):
		*f = fence{mark: mark, count: count}
	}
}

// fenceMark returns the fence character at the beginning of a line and its number.
func fenceMark(line string) (mark byte, count int) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return 0, 0
	}
	for count < len(line) && line[count] == line[0] {
		count++
	}
	return line[0], count
}
