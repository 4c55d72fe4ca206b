// Package pdftext reads the text of PDFs by PDFium: line by line in reading order, with a mark
// before each page. It draws nothing and runs nothing that a PDF contains.
//
// A PDF can come from anywhere, and the readers of PDFs are known for their holes. So PDFium
// runs as WebAssembly, which reaches no file and no network, in a child process of the program
// (see Child), which may use little memory. The parent measures the time and kills the child.
// Whatever happens to the child is an error here.
//
// The child prints each page as soon as it is read. So what was read before the time was up,
// or before a page that can't be read, isn't lost: it is the text of "the first N of M pages".
//
// What a page has besides its text is named in it: the values of a form, notes, signatures,
// pages that are pictures, letters that the file doesn't tell.
//
// Called by attach for attached files and by agents/fetch for addresses.
package pdftext

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"
)

// Why a PDF has no text.
var (
	ErrDamaged  = errors.New("the PDF is damaged, or of a kind that can't be read")
	ErrLocked   = errors.New("the PDF is protected by a password")
	ErrPictures = errors.New("its pages are pictures, without text")
	ErrEmpty    = errors.New("the PDF is empty")
	ErrTooLong  = errors.New("reading it takes too long")
	ErrNoReader = errors.New("the reader of PDFs couldn't be started")
)

// reasons are the errors that a child reports, by their index.
var reasons = []error{nil, ErrDamaged, ErrLocked, ErrPictures, ErrEmpty}

// Header is the beginning of a PDF.
const Header = "%PDF-"

// Is reports whether data is a PDF. Its header may follow up to 1,024 other bytes, as the
// format's own reader allows, if the file's name says that it is a PDF.
func Is(name string, data []byte) bool {
	if bytes.HasPrefix(data, []byte(Header)) {
		return true
	}
	named := strings.HasSuffix(strings.ToLower(name), ".pdf")
	return named && bytes.Contains(data[:min(len(data), 1024)], []byte(Header))
}

// Limits of the time.
const (
	startTime = 2 * time.Minute // to start a child; the first one compiles PDFium, some seconds of processor time
	pageTime  = 20 * time.Second
	fileTime  = 2 * time.Minute
)

// Document is what was read of a PDF.
type Document struct {
	Text  string // with "[page 3]" before each page; it ends by saying which pages are missing and why
	Pages int    // that the PDF has
	Read  int    // the first of them: those in Text
}

// Reader reads PDFs, one after the other, in one child. It starts one with the first PDF, and
// another one after a PDF that ended it. The zero value is ready. Close ends the child.
type Reader struct {
	// Progress, if it isn't nil, is called after each page, and with zeros when the reader has to
	// be made first, which happens once and takes some seconds.
	Progress func(read, pages int)

	child   *exec.Cmd
	kill    context.CancelFunc
	stderr  bytes.Buffer // belongs to the child until it ended
	stdin   io.WriteCloser
	answers chan answer // closed when the child ends

	start, page, file time.Duration // limits of a test; 0: the usual ones
}

// Read returns the text of a PDF, at most most bytes of it. Without any text the error is
// one of those above.
func (r *Reader) Read(ctx context.Context, data []byte, most int) (Document, error) {
	if err := r.begin(ctx); err != nil {
		return Document{}, err
	}
	late := time.NewTimer(or(r.file, fileTime))
	defer late.Stop()
	go func(stdin io.Writer) { // a child that was killed ends it
		_, _ = fmt.Fprintf(stdin, "%d %d\n", len(data), most)
		_, _ = stdin.Write(data)
	}(r.stdin)
	var d Document
	var text strings.Builder
	missing := "" // why
	for missing == "" {
		a, err := r.next(ctx, or(r.page, pageTime), late.C)
		switch {
		case err != nil && ctx.Err() != nil:
			r.Close()
			return Document{}, err
		case err != nil && d.Read == 0:
			r.Close()
			return Document{}, err
		case err != nil:
			r.Close()
			missing = err.Error()
			if errors.Is(err, ErrDamaged) {
				missing = "the next one can't be read"
			}
		case a.Done && a.Why > 0 && a.Why < len(reasons):
			return Document{Pages: d.Pages}, reasons[a.Why]
		case a.Done && a.Full:
			missing = "it has more text than fits"
		case a.Done:
			d.Text = strings.TrimSpace(text.String()) + "\n"
			return d, nil
		case a.Page == 0:
			d.Pages = a.Pages
		default:
			d.Read = a.Page
			text.WriteString(a.Text)
			if r.Progress != nil {
				r.Progress(d.Read, d.Pages)
			}
		}
	}
	fmt.Fprintf(&text, "[the first %d of %d pages: %s]", d.Read, d.Pages, missing)
	d.Text = strings.TrimSpace(text.String()) + "\n"
	return d, nil
}

// or returns a, or b if a is 0.
func or(a, b time.Duration) time.Duration {
	if a > 0 {
		return a
	}
	return b
}

// begin starts the child, if there is none, and waits until it can read.
func (r *Reader) begin(ctx context.Context) error {
	if r.child != nil {
		return nil
	}
	if !hasChild {
		return fmt.Errorf("%w: this program can't be its own child", ErrNoReader)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoReader, err)
	}
	life, kill := context.WithCancel(context.Background())
	r.kill = kill
	r.child = exec.CommandContext(life, self, childArg)
	r.child.WaitDelay = time.Second // after it was killed
	r.stderr.Reset()
	r.child.Stderr = &r.stderr
	hide(r.child)
	stdout, err := r.child.StdoutPipe()
	if err == nil {
		if r.stdin, err = r.child.StdinPipe(); err == nil {
			err = r.child.Start()
		}
	}
	if err != nil {
		kill()
		r.child = nil
		return fmt.Errorf("%w: %w", ErrNoReader, err)
	}
	r.answers = make(chan answer)
	go func(child *exec.Cmd, answers chan<- answer) {
		defer close(answers)
		in := json.NewDecoder(bufio.NewReader(stdout))
		for {
			var a answer
			if in.Decode(&a) != nil {
				kill() // whatever it printed, it isn't one of ours
				_ = child.Wait()
				return
			}
			select {
			case answers <- a:
			case <-life.Done():
			}
		}
	}(r.child, r.answers)
	a, err := r.next(ctx, or(r.start, startTime), nil)
	if err == nil && a.Making {
		if r.Progress != nil {
			r.Progress(0, 0)
		}
		_, err = r.next(ctx, or(r.start, startTime), nil)
	}
	if err != nil {
		r.Close()
		if ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("%w: %v", ErrNoReader, err) //nolint:errorlint // no PDF was damaged
	}
	return nil
}

// next returns the child's next answer. It waits no longer than patience and until late.
func (r *Reader) next(ctx context.Context, patience time.Duration, late <-chan time.Time) (answer, error) {
	if ctx.Err() != nil {
		return answer{}, fmt.Errorf("reading the PDF: %w", context.Cause(ctx))
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case a, ok := <-r.answers:
		if !ok {
			why, _, _ := strings.Cut(r.stderr.String(), "\n")
			return answer{}, fmt.Errorf("%w (its reader ended: %s)", ErrDamaged, why)
		}
		return a, nil
	case <-timer.C:
		return answer{}, ErrTooLong
	case <-late:
		return answer{}, ErrTooLong
	case <-ctx.Done():
		return answer{}, fmt.Errorf("reading the PDF: %w", context.Cause(ctx))
	}
}

// Close ends the child, if there is one, and waits for its end.
func (r *Reader) Close() {
	if r.child == nil {
		return
	}
	r.kill()
	for range r.answers { // until it ended
	}
	r.child = nil
}

// cutText returns the first bytes of a text, up to a whole letter.
func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}
