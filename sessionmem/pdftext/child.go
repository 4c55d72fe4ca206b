package pdftext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"time"
)

// childArg is the argument of a child; the limit of the text follows.
const childArg = "__pdf"

// Limits of the memory of a child. The first makes it collect garbage, the second ends it,
// where the system has such a limit.
const (
	softMemory = 384 << 20
	hardMemory = 512 << 20
)

// hasChild reports that main called Child, so that this program can be its own child.
var hasChild bool

// answer is what a child prints: the text, or why there is none, as an index of reasons.
type answer struct {
	Text  string `json:"text"`
	Pages int    `json:"pages"`
	Why   int    `json:"why,omitempty"`
	err   error
}

// reasons are the errors that a child reports by their index. A child that ends without an
// answer found the PDF damaged.
var reasons = []error{nil, ErrDamaged, ErrLocked, ErrPictures, ErrTooLong}

// Child reads the PDF on the standard input and exits, if the program's arguments ask for
// that; otherwise it returns at once. main must call it early.
func Child() {
	hasChild = true
	if len(os.Args) != 3 || os.Args[1] != childArg {
		return
	}
	os.Exit(child(os.Args[2]))
}

// child returns the exit code.
func child(argument string) int {
	most, err := strconv.Atoi(argument)
	if err != nil {
		return 2
	}
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 1
	}
	debug.SetMemoryLimit(softMemory)
	limitMemory(hardMemory)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var a answer
	a.Text, a.Pages, err = readHere(ctx, data, most)
	for i, reason := range reasons {
		if i > 0 && errors.Is(err, reason) {
			a.Why = i
		}
	}
	if json.NewEncoder(os.Stdout).Encode(a) != nil {
		return 1
	}
	return 0
}

// readInChild returns the answer of a child.
func readInChild(ctx context.Context, data []byte, most int) (string, int, error) {
	self, err := os.Executable()
	if err != nil {
		return "", 0, fmt.Errorf("starting the reader of PDFs: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, childArg, strconv.Itoa(most))
	cmd.Stdin = bytes.NewReader(data)
	cmd.WaitDelay = time.Second // after it was killed
	out, err := cmd.Output()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", 0, ErrTooLong
	case errors.As(err, &ended):
		return "", 0, fmt.Errorf("%w (its reader ended: %w)", ErrDamaged, err)
	case err != nil:
		return "", 0, fmt.Errorf("starting the reader of PDFs: %w", err)
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil || a.Why < 0 || a.Why >= len(reasons) {
		return "", 0, fmt.Errorf("%w (its reader gave no answer)", ErrDamaged)
	}
	return a.Text, a.Pages, reasons[a.Why]
}
