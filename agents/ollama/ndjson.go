package ollama

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	maxLine   = 16 << 20 // bytes of one line of a chat or pull stream: a call that writes a file is one line
	keepLine  = 64 << 10 // the buffer of a longer line is released after use
	readChunk = 4 << 10
)

var errLineTooLong = errors.New("line too long")

// lineReader reads newline-delimited JSON. It uses one small read buffer and, only for a
// line that exceeds it, a second one that grows up to max.
type lineReader struct {
	r    *bufio.Reader
	long []byte
	max  int
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readChunk), max: limit}
}

// next returns the next line that isn't blank, without its line end and outer spaces. whole
// is false for a last line without a newline. The line is valid until the next call. The
// error is io.EOF at the end, errLineTooLong, or the reader's.
func (l *lineReader) next() (line []byte, whole bool, err error) {
	for {
		line, whole, err = l.read()
		line = bytes.TrimSpace(line)
		if err != nil || len(line) > 0 {
			return line, whole, err
		}
	}
}

func (l *lineReader) read() (line []byte, whole bool, err error) {
	if cap(l.long) > keepLine {
		l.long = nil
	}
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.long)+len(part) > l.max {
			return nil, false, fmt.Errorf("%w: more than %d bytes", errLineTooLong, l.max)
		}
		if err == nil && len(l.long) == 0 {
			return part, true, nil
		}
		l.long = append(l.long, part...)
		switch {
		case err == nil:
			return l.long, true, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(l.long)) > 0:
			return l.long, false, nil
		default:
			return nil, false, err
		}
	}
}
