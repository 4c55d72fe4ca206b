package cmdline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

const (
	// maxStdin is how much is read from stdin, in bytes; no model takes more.
	maxStdin = 8 << 20
	// maxSecret is the longest secret, in bytes.
	maxSecret = 4096
)

// Message is a command's message and its origin.
type Message struct {
	Text  string
	From  transcript.Sources
	Piped []attach.File // what was piped in addition to words
}

// ReadMessage returns the words of the command line. It reads stdin if a - asks for it, or
// if something is piped in and there are neither words nor attached files. With words,
// piped text is a file of the user's, whoever wrote it; alone it is the message, but still
// counts as a file.
func (c *Line) ReadMessage(cmd *cobra.Command, args []string, attached bool) (Message, error) {
	var typed []string
	piped := len(args) == 0 && c.StdinIsPipe && !attached
	for _, a := range args {
		if a == "-" {
			piped = true
			continue
		}
		typed = append(typed, a)
	}
	m := Message{Text: strings.TrimSpace(strings.Join(typed, " "))}
	if piped {
		input, err := c.readStdin(cmd.Context())
		switch {
		case err != nil:
			return m, err
		case strings.TrimSpace(input) == "" && m.Text == "":
			return m, Problem("There was nothing on stdin.", "Pipe something in, or give the text on the command line.")
		case strings.TrimSpace(input) == "": // an empty pipe is a mistake, not a question
			return m, WrongUsage(cmd, "stdin was empty: pipe something in, or leave the - out")
		case m.Text == "":
			m.Text, m.From = strings.TrimSpace(input), transcript.FromFile
		default:
			u, err := attach.New(cmd.Context(), "stdin", []byte(strings.Trim(input, "\r\n")))
			if err != nil {
				return m, Problem(err.Error(), "Nothing was sent.")
			}
			m.Piped = []attach.File{u}
		}
	}
	if m.Text == "" && !attached {
		return m, WrongUsage(cmd, "there is no text")
	}
	if !utf8.ValidString(m.Text) {
		return m, Problem("The text is not UTF-8.", "Send text, not a binary file.")
	}
	return m, nil
}

// readStdin reads all of stdin; Ctrl-C ends it.
func (c *Line) readStdin(ctx context.Context) (string, error) {
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() { // may outlive a Ctrl-C; the process ends then
		data, err := io.ReadAll(io.LimitReader(c.Stdin, maxStdin+1))
		done <- read{data, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-done:
		if r.err != nil {
			return "", fmt.Errorf("read stdin: %w", r.err)
		}
		if len(r.data) > maxStdin {
			return "", Problem("There is too much on stdin: "+words.Size(maxStdin)+" is the limit.", "Send a part of it.")
		}
		return string(r.data), nil
	}
}

// ReadSecret reads a line from stdin, including its line end. If a person types it, ask is
// the prompt and a terminal doesn't show it; what names it ("the token").
func (c *Line) ReadSecret(ctx context.Context, ask, what string) (string, error) {
	if !c.StdinIsPipe {
		c.ToStderr(ask)
	}
	type read struct {
		text string
		err  error
	}
	done := make(chan read, 1)
	file, ok := c.Stdin.(*os.File)
	if ok && term.IsTerminal(int(file.Fd())) {
		before, err := term.GetState(int(file.Fd()))
		if err != nil {
			return "", fmt.Errorf("reading %s: %w", what, err)
		}
		defer func() {
			_ = term.Restore(int(file.Fd()), before) // after a Ctrl-C; the process ends then
			c.ToStderr("\n")
		}()
		go func() {
			text, err := term.ReadPassword(int(file.Fd()))
			done <- read{string(text), err}
		}()
	} else {
		go func() {
			text, err := bufio.NewReader(io.LimitReader(c.Stdin, maxSecret)).ReadString('\n')
			done <- read{text, err}
		}()
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-done:
		if r.err != nil && !errors.Is(r.err, io.EOF) {
			return "", fmt.Errorf("reading %s: %w", what, r.err)
		}
		return r.text, nil
	}
}
