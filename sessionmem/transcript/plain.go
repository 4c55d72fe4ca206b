package transcript

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text as people read it, without markdown's own characters. It is used for lines that quote
// a message, never for what is stored.

var (
	// Lines that are only markup: a fence, a rule, the line below a table's heading.
	markupLine = regexp.MustCompile("^(```|~~~|[-*_=]{3,}$|\\|?[ :]*-{3,}[-| :]*$)")
	// What precedes a line's text: quote marks, heading marks, bullets, task boxes.
	markupLead = regexp.MustCompile(`^(>\s*)*(#{1,6}\s+|[-*+]\s+(\[[ xX]\]\s+)?)?`)
	markupLink = regexp.MustCompile(`!?\[([^\[\]\n]*)\]\([^()\s]*\)`)
)

// PlainText removes markdown from text, line by line, for a line that quotes a message.
func PlainText(markdown string) string {
	var b strings.Builder
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if markupLine.MatchString(line) {
			continue
		}
		line = line[len(markupLead.FindString(line)):]
		if strings.HasPrefix(line, "|") && strings.HasSuffix(line, "|") && len(line) > 1 {
			line = strings.Join(strings.Fields(strings.ReplaceAll(strings.Trim(line, "| "), "|", " · ")), " ")
		}
		b.WriteString(plainMarks(markupLink.ReplaceAllString(line, "$1")))
		b.WriteByte('\n')
	}
	return b.String()
}

// plainMarks removes the marks of emphasis and code from a line. Characters that are not
// markup stay: 2 * 3, snake_case, \*.
func plainMarks(line string) string {
	if !strings.ContainsAny(line, "*_~`\\") {
		return line
	}
	var b strings.Builder
	before := ' '
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		switch {
		case r == '\\' && i+1 < len(line) && strings.IndexByte("*_~`\\#[]|", line[i+1]) >= 0:
			b.WriteByte(line[i+1])
			before, n = rune(line[i+1]), 2
		case strings.ContainsRune("*_~`", r):
			run := len(line[i:]) - len(strings.TrimLeft(line[i:], string(r)))
			after, _ := utf8.DecodeRuneInString(line[i+run:])
			if i+run == len(line) {
				after = ' '
			}
			if !marksText(r, run, before, after) {
				b.WriteString(line[i : i+run])
				before = r
			}
			n = run
		default:
			b.WriteString(line[i : i+n])
			before = r
		}
		i += n
	}
	return b.String()
}

// marksText reports whether a run of a character between two letters is markup.
func marksText(sign rune, run int, before, after rune) bool {
	beside := !unicode.IsSpace(before) || !unicode.IsSpace(after)
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	switch sign {
	case '`':
		return true
	case '~':
		return run == 2 && beside
	case '_':
		return beside && (!word(before) || !word(after)) // not in snake_case
	}
	return beside
}

// Sentences splits a text into sentences and lines, each on one line.
func Sentences(text string) []string {
	var list []string
	for line := range strings.SplitSeq(text, "\n") {
		line = OneLine(line)
		for line != "" {
			end := len(line)
			for i, r := range line {
				if strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?", r) && strings.HasPrefix(line[i+1:], " ") {
					end = i + utf8.RuneLen(r)
					break
				}
			}
			list = append(list, strings.TrimSpace(line[:end]))
			line = strings.TrimSpace(line[end:])
		}
	}
	return list
}
