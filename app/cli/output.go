package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"
	"unicode"
)

// output is stdout. Its first error ends the command; nothing is written after it.
type output struct {
	w       io.Writer
	onError func(error)

	mu  sync.Mutex
	err error
}

// Write writes, or gives the error that ended the output.
func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(data)
	if err != nil {
		o.err = err
		o.onError(err)
	}
	return n, err
}

// broken reports whether the reader has gone.
func (o *output) broken() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	var number syscall.Errno
	if runtime.GOOS == "windows" && errors.As(o.err, &number) && (number == 109 || number == 232) { // ERROR_BROKEN_PIPE, ERROR_NO_DATA
		return true
	}
	return errors.Is(o.err, syscall.EPIPE) || errors.Is(o.err, io.ErrClosedPipe)
}

// json writes one object on one line.
func (o *output) json(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err = o.Write(append(line, '\n'))
	return err
}

// text writes lines for people: what a terminal would obey is taken out.
func (o *output) text(text string) error {
	_, err := io.WriteString(o, clean(text))
	return err
}

// table writes rows in columns; the first is the heading.
func (o *output) table(rows [][]string) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.Join(strings.Fields(clean(cell)), " ")
		}
		if _, err := io.WriteString(w, strings.Join(cells, "\t")+"\n"); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if err := o.text(strings.TrimRight(line, " \n") + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// clean takes out what a terminal would obey: text comes from models, pages and
// other people. Line ends and tabs stay.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069') {
			return -1
		}
		return r
	}, text)
}

// when shows a time as people read it: today's by the clock, others by the day.
func when(t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case time.Since(t).Abs() < 20*time.Hour:
		return t.Local().Format("15:04")
	}
	return t.Local().Format("2006-01-02 15:04")
}

// stamp is a time in JSON: RFC 3339, "" where there is none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// size shows bytes as people read them.
func size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.0f KB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}

// thousands writes n with commas: 5,360.
func thousands(n int) string {
	if n < 0 {
		return "-" + thousands(-n)
	}
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// oneLine makes a text one line of at most so many characters.
func oneLine(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(clean(text)), " "))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}
