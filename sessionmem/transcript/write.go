package transcript

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// FormatName is the format this version writes; FormatPrefix is what all its versions
// share.
const (
	FormatName   = "mac-stats-session/1"
	FormatPrefix = "mac-stats-session/"
	Fence        = "---"
	headingSep   = " · "
)

// Write writes a whole transcript in the format mac-stats-session/1: its front matter
// (made from the Info if there is none) and its blocks.
func Write(w io.Writer, t *Transcript) error {
	data := AppendFront(nil, t.Info, t.FrontMatter)
	for _, b := range t.Blocks {
		data = AppendBlock(data, b)
	}
	_, err := w.Write(data)
	return err
}

// AppendFront appends the front matter: front as it is, but for the title of a session that was
// renamed, or if empty, one made from info.
func AppendFront(dst []byte, info Info, front string) []byte {
	if front == "" {
		front = FrontMatter(info)
	}
	if title := OneLine(info.Title); title != "" && FrontValue(front, "title") != "" && FrontValue(front, "title") != title {
		front = WithTitle(front, title)
	}
	dst = append(dst, Fence+"\n"+strings.TrimRight(front, "\n")...)
	return append(dst, "\n"+Fence+"\n"...)
}

// FrontMatter returns the lines between the fences.
func FrontMatter(info Info) string {
	var b strings.Builder
	b.WriteString("format: " + FormatName + "\n")
	for _, f := range [][2]string{
		{"session", info.Name},
		{"source", info.Source},
		{"started", info.Started.Format(time.RFC3339)},
		{"title", OneLine(info.Title)},
	} {
		switch {
		case f[1] == "":
		case f[0] == "title":
			b.WriteString(titleLine(f[1]) + "\n")
		default:
			b.WriteString(f[0] + ": " + YAMLValue(f[1]) + "\n")
		}
	}
	return b.String()
}

// titleLine returns the line of a title. Words are plain; a single word, or what begins with a
// digit, may be a yes, a number or a time to some reader of YAML, so that it is quoted.
func titleLine(title string) string {
	first, _ := utf8.DecodeRuneInString(title)
	if YAMLValue(title) == title && unicode.IsLetter(first) && strings.Contains(title, " ") {
		return "title: " + title
	}
	return "title: " + strconv.Quote(title)
}

// WithTitle returns front matter with another title in the place of its own, if it has one.
func WithTitle(front, title string) string {
	var out strings.Builder
	done := false
	for line := range strings.Lines(front) {
		if !done && strings.HasPrefix(line, "title:") {
			done = true
			line = titleLine(title) + line[len(strings.TrimRight(line, "\r\n")):]
		}
		out.WriteString(line)
	}
	return out.String()
}

// YAMLValue quotes a value that YAML would read as something other than this text.
func YAMLValue(v string) string {
	plain := strings.TrimSpace(v) == v && !strings.Contains(v, ": ") && !strings.Contains(v, " #") && !strings.HasSuffix(v, ":")
	for i, r := range v {
		if i == 0 && !unicode.IsLetter(r) && !unicode.IsDigit(r) || !unicode.IsPrint(r) || r == utf8.RuneError {
			plain = false
		}
	}
	if plain {
		return v
	}
	return strconv.Quote(v)
}

// AppendBlock appends the block's text form, with the blank line that precedes it.
func AppendBlock(dst []byte, b Block) []byte {
	b = b.Normalized()
	dst = append(dst, "\n## "...)
	dst = append(dst, b.Kind.word()...)
	dst = append(dst, headingSep...)
	dst = b.Time.AppendFormat(dst, time.RFC3339)
	agentInHeading := fitsHeading(b.Agent)
	modelInHeading := agentInHeading && fitsHeading(b.Model)
	if agentInHeading {
		dst = append(dst, headingSep...)
		dst = append(dst, b.Agent...)
	}
	if modelInHeading {
		dst = append(dst, headingSep...)
		dst = append(dst, b.Model...)
	}
	dst = append(dst, '\n')
	dst = AppendComment(dst, BlockAttrs(b, agentInHeading, modelInHeading))
	dst = append(dst, '\n')
	if b.Text != "" {
		dst = append(dst, '\n')
		dst = AppendEscaped(dst, b.Text)
		dst = append(dst, '\n')
	}
	return dst
}

// fitsHeading reports whether a value can be part of the heading and be read back.
func fitsHeading(v string) bool {
	return v != "" && v == strings.TrimSpace(v) && !strings.ContainsFunc(v, func(r rune) bool {
		return r == '·' || unicode.IsControl(r)
	})
}

// BlockAttrs returns the attributes of b, our own first and in a fixed order.
func BlockAttrs(b Block, agentInHeading, modelInHeading bool) []Attr {
	attrs := make([]Attr, 0, 4+len(b.Attrs))
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, Attr{key, value})
		}
	}
	add("id", b.ID)
	add("parent", b.Parent)
	if !agentInHeading {
		add("agent", b.Agent)
	}
	if !modelInHeading {
		add("model", b.Model)
	}
	add("note", b.Note)
	add("through", b.Through)
	add("by", b.By)
	add("task", b.Task)
	for _, k := range sortedKeys(b.Attrs) {
		attrs = append(attrs, Attr{k, b.Attrs[k]})
	}
	add("context", b.Context)
	return attrs
}

// AppendEscaped appends text so that none of its lines is taken for a boundary: a line
// that is one, or is one after its backslashes, gets one more backslash.
func AppendEscaped(dst []byte, text string) []byte {
	for first := true; ; first = false {
		line, rest, more := strings.Cut(text, "\n")
		if !first {
			dst = append(dst, '\n')
		}
		if isSpecial(line) {
			dst = append(dst, '\\')
		}
		dst = append(dst, line...)
		if !more {
			return dst
		}
		text = rest
	}
}

// unescapeBody removes the backslash from the lines that AppendEscaped gave one.
func unescapeBody(body []byte) []byte {
	if !bytes.HasPrefix(body, []byte(`\`)) && !bytes.Contains(body, []byte("\n\\")) {
		return body
	}
	out := make([]byte, 0, len(body))
	for len(body) > 0 {
		n := bytes.IndexByte(body, '\n') + 1
		if n == 0 {
			n = len(body)
		}
		line := body[:n]
		if line[0] == '\\' && isSpecial(strings.TrimRight(string(line), "\r\n")) {
			line = line[1:]
		}
		out = append(out, line...)
		body = body[n:]
	}
	return out
}

// isSpecial reports whether a line, without any backslashes at its start, begins a block in
// some form of the format, is its comment line, or is front matter.
func isSpecial(line string) bool {
	line = strings.TrimLeft(line, `\`)
	if line == "" {
		return false
	}
	switch line[0] {
	case '#':
		_, full := parseHeading(line)
		return full || bareHeading(line) != ""
	case '<':
		attrs, ok := parseComment(line)
		return ok && attrs[0].key == "id"
	case 'f':
		return strings.HasPrefix(line, "format: "+FormatPrefix)
	}
	return false
}
