package config

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// ErrUnknownKey means that config.toml has no such key.
var ErrUnknownKey = errors.New("no such setting")

// Set changes one key of the file in place: comments, order, line ends and the rest stay
// byte for byte. A missing key is added to its section, in the place of its commented-out
// default if there is one. The value is checked first. The file is replaced atomically with
// mode 0600, at its target if it is a symlink. A file that can't be read, is empty or isn't
// TOML is left alone.
//
// Several programs may call Set at once, and an editor may save meanwhile; no change is
// lost. It waits up to a few seconds for a save in progress. Errors: ErrUnknownKey,
// ErrBusy, an invalid value.
func Set(file, key, value string) error {
	s, ok := Lookup(key)
	if !ok {
		return unknownKey(key)
	}
	value = strings.TrimSpace(value)
	if err := s.Check(value); err != nil {
		return err
	}
	if err := change(file, func(data []byte) ([]byte, error) { return edit(data, s, value) }); err != nil {
		return fmt.Errorf("set %s in %s: %w", key, file, err)
	}
	return nil
}

func unknownKey(key string) error {
	var known []string
	for _, s := range Settings() {
		known = append(known, s.Key)
	}
	if near := nearest(key, known); near != "" {
		return fmt.Errorf("%w: %s; did you mean %s?", ErrUnknownKey, shown(key), near)
	}
	return fmt.Errorf("%w: %s", ErrUnknownKey, shown(key))
}

// edit returns the file with the setting changed. It parses its own result and returns an
// error if anything else changed.
func edit(data []byte, s Setting, value string) ([]byte, error) {
	doc, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("the file is not TOML (%w); put that right first", err)
	}
	section, name, _ := strings.Cut(s.Key, ".")
	literal := s.literal(value)
	changed := doc.withKey(s.Key, section, name, literal)
	after, err := parse(changed)
	if err != nil || !sameBut(doc, after, s.Key) {
		return nil, errors.New("the section is written in a way that can't be changed automatically; edit the line by hand")
	}
	for _, e := range after.entries {
		var c Config
		if e.key == s.Key && e.whole && s.codec.read(&c, strings.TrimSpace(e.text)) == nil {
			return changed, nil
		}
	}
	return nil, errors.New("the value can't be written as TOML; edit the line by hand")
}

// withKey returns the file with the key changed or added.
func (d *document) withKey(key, section, name, literal string) []byte {
	for _, e := range d.entries {
		if e.key == key {
			return splice(d.data, e.start, e.end, literal)
		}
	}
	for _, c := range d.comments {
		if join(c.table, c.key) == key {
			line := name + " = " + literal
			if c.table == "" {
				line = key + " = " + literal
			}
			return splice(d.data, c.start, c.end, line)
		}
	}
	for _, t := range d.inline {
		if t.key == section {
			return splice(d.data, t.start, t.start, " "+name+" = "+literal+d.afterInline(t.start))
		}
	}
	for _, e := range d.entries { // section.other = …, in dotted form
		if e.table == "" && strings.HasPrefix(e.key, section+".") {
			return d.insertLine(e.end, key+" = "+literal)
		}
	}
	for _, h := range d.headers {
		if h.name == section && !h.array {
			return d.insertLine(d.sectionEnd(h), name+" = "+literal)
		}
	}
	return d.appendSection(section, name+" = "+literal)
}

// afterInline returns the separator between an inline table's content and a new key.
func (d *document) afterInline(at int) string {
	if rest := bytes.TrimLeft(d.data[at:], " \t\r\n"); bytes.HasPrefix(rest, []byte("}")) {
		return " "
	}
	return ","
}

// sectionEnd returns the offset after a section's last key, its commented-out default, or
// its header.
func (d *document) sectionEnd(h header) int {
	end := h.end
	for _, e := range d.entries {
		if e.table == h.name {
			end = max(end, e.end)
		}
	}
	for _, t := range d.inline {
		if t.table == h.name {
			end = max(end, t.end)
		}
	}
	for _, c := range d.comments {
		if c.table == h.name && c.start > end {
			end = c.end
		}
	}
	return end
}

// insertLine inserts a line below the one that contains the byte before at.
func (d *document) insertLine(at int, line string) []byte {
	newline := d.lineEnd()
	i := bytes.IndexByte(d.data[at:], '\n')
	if i < 0 {
		return splice(d.data, len(d.data), len(d.data), newline+line+newline)
	}
	return splice(d.data, at+i+1, at+i+1, line+newline)
}

func (d *document) appendSection(section, line string) []byte {
	newline := d.lineEnd()
	text := "[" + section + "]" + newline + line + newline
	if len(bytes.TrimPrefix(d.data, byteOrderMark)) > 0 {
		text = newline + text
		if d.data[len(d.data)-1] != '\n' {
			text = newline + text
		}
	}
	return splice(d.data, len(d.data), len(d.data), text)
}

// lineEnd returns the line end of the file's first line.
func (d *document) lineEnd() string {
	if i := bytes.IndexByte(d.data, '\n'); i > 0 && d.data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// splice returns data with the bytes from start to end replaced.
func splice(data []byte, start, end int, text string) []byte {
	out := make([]byte, 0, len(data)-(end-start)+len(text))
	out = append(out, data[:start]...)
	out = append(out, text...)
	return append(out, data[end:]...)
}

// sameBut reports whether two files agree on every key but one.
func sameBut(a, b *document, key string) bool {
	values := func(d *document) map[string]string {
		m := map[string]string{}
		for _, e := range d.entries {
			if e.key != key {
				m[e.key] = e.text
			}
		}
		return m
	}
	before, after := values(a), values(b)
	if len(before) != len(after) {
		return false
	}
	for k, v := range before {
		if w, ok := after[k]; !ok || w != v {
			return false
		}
	}
	return true
}

// literal returns a value in TOML syntax.
func (s Setting) literal(value string) string {
	if s.codec.bare {
		if v, ok := parseBool(value); ok && len(s.Choices) > 0 {
			return strconv.FormatBool(v)
		}
		if n, err := strconv.ParseInt(strings.ReplaceAll(value, "_", ""), 10, 64); err == nil {
			return strconv.FormatInt(n, 10)
		}
	}
	return quote(value)
}

// quote returns a TOML basic string.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
