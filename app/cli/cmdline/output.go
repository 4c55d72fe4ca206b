package cmdline

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

	"mac-stats/app/cli/words"
)

// Output is stdout. After its first error, which ends the command, it writes nothing.
type Output struct {
	AsJSON bool // --json: one object a line

	w       io.Writer
	onError func(error)

	mu  sync.Mutex
	err error
}

// Write writes data, or returns the error that ended the output.
func (o *Output) Write(data []byte) (int, error) {
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

// Failed returns the error that ended the output; gone reports whether the reader went
// away.
func (o *Output) Failed() (gone bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var number syscall.Errno
	if runtime.GOOS == "windows" && errors.As(o.err, &number) && (number == 109 || number == 232) { // ERROR_BROKEN_PIPE, ERROR_NO_DATA
		return true, o.err
	}
	return errors.Is(o.err, syscall.EPIPE) || errors.Is(o.err, io.ErrClosedPipe), o.err
}

// JSON writes an object on one line.
func (o *Output) JSON(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err = o.Write(append(line, '\n'))
	return err
}

// Text writes lines for people without control sequences.
func (o *Output) Text(text string) error {
	_, err := io.WriteString(o, words.Clean(text))
	return err
}

// Print writes v if --json is given, otherwise the text.
func (o *Output) Print(v any, text string) error {
	if o.AsJSON {
		return o.JSON(v)
	}
	return o.Text(text)
}

// Table writes rows in columns; the first row is the heading. A cell is one line, which may
// be indented by blanks.
func (o *Output) Table(rows [][]string) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			text := words.Clean(cell)
			cells[i] = text[:len(text)-len(strings.TrimLeft(text, " "))] + strings.Join(strings.Fields(text), " ")
		}
		if _, err := io.WriteString(w, strings.Join(cells, "\t")+"\n"); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if err := o.Text(strings.TrimRight(line, " \n") + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// List collects what a command lists, as objects or as rows of a table.
type List struct {
	out  *Output
	rows [][]string // the first row is the heading
	err  error
}

// NewList returns an empty list with these column headings.
func (o *Output) NewList(heading ...string) *List {
	return &List{out: o, rows: [][]string{heading}}
}

// Add writes v if --json is given, otherwise it keeps the row. The first error ends the
// list; End returns it.
func (l *List) Add(v any, row ...string) {
	if l.err == nil && l.out.AsJSON {
		l.err = l.out.JSON(v)
	}
	l.AddRow(row...)
}

// AddRow keeps another row for the last added item, whose object already includes it.
func (l *List) AddRow(row ...string) { l.rows = append(l.rows, row) }

// End writes the table or, if nothing was added, the text none.
func (l *List) End(none string) error {
	switch {
	case l.out.AsJSON:
		return l.err
	case len(l.rows) == 1 && none != "":
		return l.out.Text(none)
	}
	return l.out.Table(l.rows)
}
