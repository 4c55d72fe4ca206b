package ollama

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	maxValue  = 16 << 20 // bytes of one value of a chat or pull stream: a call that writes a file is one value
	keepValue = 64 << 10 // the buffer of a longer value is released after use
	readChunk = 4 << 10
)

var (
	errTooLong  = errors.New("value too long")
	errCutValue = errors.New("end within a value")
)

// valueReader reads the JSON objects of a stream, whatever separates them. Ollama sends one
// a line. Gateways send one over several lines, several on one line, a list, or the data of
// server-sent events, with signs of life between them. What isn't an object is returned line
// by line.
type valueReader struct {
	r      *bufio.Reader
	buf    []byte // lines
	at     int    // where the next value begins in buf
	max    int    // bytes of one value
	failed bool   // the next value is the data of an event called "error"
	known  bool   // a value had a field in use
	odd    []byte // the first value without one
}

func newValueReader(r io.Reader, limit int) *valueReader {
	return &valueReader{r: bufio.NewReaderSize(r, readChunk), max: limit}
}

// next returns the next value. It is valid until the next call. The error is io.EOF at the
// end, errCutValue at an end within an object, errTooLong, or the reader's.
func (v *valueReader) next() ([]byte, error) {
	for {
		if v.at == len(v.buf) {
			if cap(v.buf) > keepValue {
				v.buf = nil
			}
			v.buf, v.at = v.buf[:0], 0
			if err := v.more(); err != nil {
				return nil, err
			}
		}
		rest := v.buf[v.at:]
		if list := bytes.TrimLeft(rest, "[], \t\r\n"); len(list) == 0 || list[0] == '{' {
			rest, v.at = list, len(v.buf)-len(list)
		}
		switch {
		case len(rest) == 0:
		case rest[0] != '{':
			v.at = len(v.buf)
			if words := bytes.TrimSpace(rest); len(words) > 0 {
				return words, nil
			}
		default:
			return v.object()
		}
	}
}

// object returns the object at v.at, which may end on a later line.
func (v *valueReader) object() ([]byte, error) {
	var s objectScanner
	from, end := v.at, s.end(v.buf[v.at:])
	for end < 0 {
		n := len(v.buf)
		switch err := v.more(); {
		case errors.Is(err, io.EOF):
			return nil, errCutValue
		case err != nil:
			return nil, err
		}
		if end = s.end(v.buf[n:]); end >= 0 {
			end += n - from
		}
	}
	v.at += end
	return v.buf[from:v.at], nil
}

// more appends the next line to buf, or the data in it if it is a field of a server-sent
// event.
func (v *valueReader) more() error {
	from := len(v.buf)
	for whole := false; !whole; {
		part, err := v.r.ReadSlice('\n')
		if len(v.buf)-v.at+len(part) > v.max {
			return fmt.Errorf("%w: more than %d bytes", errTooLong, v.max)
		}
		v.buf = append(v.buf, part...)
		switch {
		case errors.Is(err, io.EOF) && len(v.buf) > from:
			whole = true // the next call returns io.EOF
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return err
		default:
			whole = true
		}
	}
	line := v.buf[from:]
	if line[0] == '{' {
		return nil
	}
	line = bytes.TrimLeft(line, " \t\ufeff\x1e")
	name, value, field := bytes.Cut(line, []byte(":"))
	switch string(bytes.TrimSpace(name)) {
	case "data":
		line = value
	case "event":
		v.failed, line = string(bytes.TrimSpace(value)) == "error", nil
	case "":
		v.failed, line = v.failed && field, nil // a comment, or the end of an event
	case "id", "retry":
		line = nil
	}
	v.buf = append(v.buf[:from], line...)
	return nil
}

// objectScanner finds the end of a JSON object without decoding it.
type objectScanner struct {
	depth           int
	quoted, escaped bool
	last            byte // the last one that isn't a blank, outside of strings
}

// end returns the length of what belongs to the object in b, or -1 if it goes on behind b.
// An object that is broken ends where that is seen: at a line end within a string, and at an
// object or a list where none can begin.
func (s *objectScanner) end(b []byte) int {
	for i, c := range b {
		switch {
		case s.quoted && c == '\n':
			return i
		case s.escaped:
			s.escaped = false
		case s.quoted:
			s.escaped, s.quoted = c == '\\', c != '"'
		case c == '"':
			s.quoted, s.last = true, c
		case c == ' ', c == '\t', c == '\r', c == '\n':
		case c == '{', c == '[':
			if s.depth > 0 && s.last != ':' && s.last != ',' && s.last != '[' {
				return i
			}
			s.depth, s.last = s.depth+1, c
		case c == '}', c == ']':
			if s.depth, s.last = s.depth-1, c; s.depth == 0 {
				return i + 1
			}
		default:
			s.last = c
		}
	}
	return -1
}
