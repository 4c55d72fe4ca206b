package memorytext

import "strings"

// commentSpans returns where the comments of a text begin and end. An unclosed comment
// doesn't count, so that it doesn't hide the rest of the text.
func commentSpans(text string) [][2]int {
	spans := make([][2]int, 0, strings.Count(text, "<!--"))
	for at := 0; ; {
		i := strings.Index(text[at:], "<!--")
		if i < 0 {
			return spans
		}
		begin := at + i
		n := strings.Index(text[begin+4:], "-->")
		if n < 0 {
			return spans
		}
		at = begin + 4 + n + 3
		spans = append(spans, [2]int{begin, at})
	}
}

// replaceComments replaces each comment with the result of with.
func replaceComments(text string, with func(comment string) string) string {
	spans := commentSpans(text)
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, span := range spans {
		b.WriteString(text[at:span[0]])
		b.WriteString(with(text[span[0]:span[1]]))
		at = span[1]
	}
	b.WriteString(text[at:])
	return b.String()
}

// hiddenLines returns the lines that hold only a comment or a part of one.
func hiddenLines(text string) map[int]bool {
	hidden := map[int]bool{}
	counted, lines := 0, 0      // line ends counted before this offset
	lineStart, lineEnd := 0, -1 // of the line in which a comment begins, and of the one in which it ends
	for _, span := range commentSpans(text) {
		between := text[counted:span[0]]
		if i := strings.LastIndexByte(between, '\n'); i >= 0 {
			lines += strings.Count(between, "\n")
			lineStart = counted + i + 1
		}
		counted = span[0]
		if strings.TrimSpace(text[lineStart:span[0]]) != "" {
			continue
		}
		if lineEnd < span[1] {
			rest, _, _ := strings.Cut(text[span[1]:], "\n")
			lineEnd = span[1] + len(rest)
		}
		last := lines + strings.Count(text[span[0]:span[1]], "\n")
		if strings.TrimSpace(text[span[1]:lineEnd]) != "" {
			last--
		}
		for line := lines; line <= last; line++ {
			hidden[line] = true
		}
	}
	return hidden
}

// withoutComments removes comments, and the lines that hold nothing else.
func withoutComments(text string) string {
	if !strings.Contains(text, "<!--") {
		return text
	}
	hidden := hiddenLines(text)
	marked := replaceComments(text, func(c string) string {
		return strings.Repeat("\n", strings.Count(c, "\n"))
	})
	var out []string
	for i, line := range strings.Split(marked, "\n") {
		if !hidden[i] {
			out = append(out, strings.TrimRight(line, " \t"))
		}
	}
	return strings.Join(out, "\n")
}
