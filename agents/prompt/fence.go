package prompt

import "strings"

// fence follows code fences: three or more backticks or tildes, at any depth of
// indentation, closed by at least as many of the same.
type fence struct {
	mark  byte
	count int
}

func (f *fence) open() bool { return f.count > 0 }

// line follows one whole line.
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

// fenceMark gives the fence character a line begins with and how often.
func fenceMark(line string) (mark byte, count int) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return 0, 0
	}
	for count < len(line) && line[count] == line[0] {
		count++
	}
	return line[0], count
}
