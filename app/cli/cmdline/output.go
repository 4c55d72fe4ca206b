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

// Output is stdout. Its first error ends the command; nothing is written after it.
type Output struct {
	AsJSON bool // --json: one object a line

	w       io.Writer
	onError func(error)

	mu  sync.Mutex
	err error
}

// Write writes, or gives the error that ended the output.
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

// Failed is the error that ended the output, and whether it is that its reader has gone.
func (o *Output) Failed() (gone bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var number syscall.Errno
	if runtime.GOOS == "windows" && errors.As(o.err, &number) && (number == 109 || number == 232) { // ERROR_BROKEN_PIPE, ERROR_NO_DATA
		return true, o.err
	}
	return errors.Is(o.err, syscall.EPIPE) || errors.Is(o.err, io.ErrClosedPipe), o.err
}

// JSON writes one object on one line.
func (o *Output) JSON(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err = o.Write(append(line, '\n'))
	return err
}

// Text writes lines for people: what a terminal would obey is taken out.
func (o *Output) Text(text string) error {
	_, err := io.WriteString(o, words.Clean(text))
	return err
}

// Print writes the object where --json is given, else the text.
func (o *Output) Print(v any, text string) error {
	if o.AsJSON {
		return o.JSON(v)
	}
	return o.Text(text)
}

// Table writes rows in columns; the first is the heading.
func (o *Output) Table(rows [][]string) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.Join(strings.Fields(words.Clean(cell)), " ")
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

// List is what a command lists: the same things as objects and as rows of a table.
type List struct {
	out  *Output
	rows [][]string // the first is the heading
	err  error
}

// NewList makes an empty list with the headings of its columns.
func (o *Output) NewList(heading ...string) *List {
	return &List{out: o, rows: [][]string{heading}}
}

// Add writes the object where --json is given, else it keeps the row. What goes wrong
// ends the list, and is the error of End.
func (l *List) Add(v any, row ...string) {
	if l.err == nil && l.out.AsJSON {
		l.err = l.out.JSON(v)
	}
	l.AddRow(row...)
}

// AddRow keeps a row about what was added last, whose object tells that, too.
func (l *List) AddRow(row ...string) { l.rows = append(l.rows, row) }

// End writes the table; where nothing was added, the text none, if there is one.
func (l *List) End(none string) error {
	switch {
	case l.out.AsJSON:
		return l.err
	case len(l.rows) == 1 && none != "":
		return l.out.Text(none)
	}
	return l.out.Table(l.rows)
}
