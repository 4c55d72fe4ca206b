package cmdline_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
)

// program returns a program with one command for each way to count arguments.
func program() *cobra.Command {
	done := func(*cobra.Command, []string) error { return nil }
	root := &cobra.Command{Use: "prog", Args: cmdline.UnknownCommand, SilenceErrors: true, SilenceUsage: true, SuggestionsMinimumDistance: 2, RunE: done}
	root.AddCommand(cmdline.Group("list", "",
		&cobra.Command{Use: "none", Args: cmdline.NoArgs, RunE: done},
		&cobra.Command{Use: "two", Args: cmdline.Exactly(2, "a NAME and a TEXT"), RunE: done},
		&cobra.Command{Use: "some", Args: cmdline.AtLeast(1, "a NAME"), RunE: done},
		&cobra.Command{Use: "most", Args: cmdline.AtMost(1, "one NAME"), RunE: done},
	))
	return root
}

func TestArgumentsAreCounted(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                     "",
		"lits":                 "There is no command \"lits\"; did you mean list? See `prog --help`.",
		"version":              "There is no command \"version\"; `mac-stats --version` tells it. See `prog --help`.",
		"list":                 "Say what to do: none, two, some, most. See `prog list --help`.",
		"list what":            "There is no command \"what\". See `prog list --help`.",
		"list none":            "",
		"list none x":          "`list none` takes no arguments; unexpected argument \"x\". See `prog list none --help`.",
		"list two a":           "`list two` needs a NAME and a TEXT. See `prog list two --help`.",
		"list two a b":         "",
		"list two a b c":       "`list two` takes a NAME and a TEXT; unexpected argument \"c\". See `prog list two --help`.",
		"list some":            "`list some` needs a NAME. See `prog list some --help`.",
		"list some a b":        "",
		"list most":            "",
		"list most a b\x1b[2J": "`list most` takes one NAME; unexpected argument \"b[2J\". See `prog list most --help`.",
	} {
		root := program()
		root.SetArgs(strings.Fields(line))
		err := root.Execute()
		var usage *cmdline.UsageError
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", line, err)
		case want != "" && (!errors.As(err, &usage) || err.Error() != want):
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

// console is a command line whose stdout and stderr a test reads.
type console struct {
	*cmdline.Line
	stdout, stderr strings.Builder
	failed         []error
}

func newConsole(p cmdline.Params) *console {
	c := &console{}
	if p.Stdout == nil {
		p.Stdout = &c.stdout
	}
	p.Stderr = &c.stderr
	c.Line = cmdline.New(p, func(err error) { c.failed = append(c.failed, err) })
	return c
}

type item struct {
	Name string `json:"name"`
}

func TestListsAndTextsForPeopleAndPrograms(t *testing.T) {
	t.Parallel()
	show := func(o *cmdline.Output) error {
		l := o.NewList("NAME", "TITLE")
		l.Add(item{"a"}, "a", "A\x1b[31m title\nin two lines")
		l.AddRow("  of a", "more")
		l.Add(item{"longer"}, "longer", "")
		return errors.Join(l.End("none\n"), o.NewList("NAME").End("none\n"), o.NewList("NAME").End(""), o.Print(item{"x"}, "x\x1b[2J\n"))
	}
	text := newConsole(cmdline.Params{})
	if err := show(text.Out); err != nil || text.stdout.String() != "NAME    TITLE\na       A[31m title in two lines\n  of a  more\nlonger\nnone\nNAME\nx[2J\n" {
		t.Errorf("%v, the text is\n%s", err, text.stdout.String())
	}
	asJSON := newConsole(cmdline.Params{})
	asJSON.Out.AsJSON = true
	if err := show(asJSON.Out); err != nil || asJSON.stdout.String() != "{\"name\":\"a\"}\n{\"name\":\"longer\"}\n{\"name\":\"x\"}\n" {
		t.Errorf("%v, the JSON is\n%s", err, asJSON.stdout.String())
	}
	if err := asJSON.Out.JSON(func() {}); err == nil || !strings.HasPrefix(err.Error(), "write JSON: ") {
		t.Errorf("a function as JSON: %v", err)
	}
}

// failing fails each write and counts them.
type failing struct {
	err   error
	tries int
}

func (f *failing) Write([]byte) (int, error) { f.tries++; return 0, f.err }

func TestTheFirstErrorEndsTheOutput(t *testing.T) {
	t.Parallel()
	for err, gone := range map[error]bool{syscall.ENOSPC: false, syscall.EPIPE: true, io.ErrClosedPipe: true} {
		f := &failing{err: err}
		c := newConsole(cmdline.Params{Stdout: f})
		for range 2 {
			if got := c.Out.Text("x"); !errors.Is(got, err) {
				t.Errorf("%v: wrote with %v", err, got)
			}
		}
		list := c.Out.NewList("A")
		list.Add(item{}, "a")
		if list.End("") == nil || f.tries != 1 || len(c.failed) != 1 || !errors.Is(c.failed[0], err) {
			t.Errorf("%v: %d writes, reported %v", err, f.tries, c.failed)
		}
		if isGone, got := c.Out.Failed(); isGone != gone || !errors.Is(got, err) {
			t.Errorf("%v: gone %v, %v", err, isGone, got)
		}
	}
}

func TestTheStatusLineIsForTerminals(t *testing.T) {
	t.Parallel()
	for terminal, want := range map[bool]string{true: "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[K", false: ""} {
		c := newConsole(cmdline.Params{StderrIsTerminal: terminal})
		s := &cmdline.Status{Line: c.Line}
		s.Erase() // nothing is drawn yet
		s.Draw("one")
		s.Draw("two")
		s.Erase()
		s.Erase()
		if got := c.stderr.String(); got != want {
			t.Errorf("a terminal: %v: %q", terminal, got)
		}
	}
}

func TestReadSecret(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		stdin        io.Reader
		piped        bool
		want, prompt string
		fails        bool
	}{
		{strings.NewReader("a b\r\nc\n"), false, "a b\r\n", "Type it: ", false},
		{strings.NewReader("no line end"), true, "no line end", "", false},
		{strings.NewReader(strings.Repeat("x", 5000)), true, strings.Repeat("x", 4096), "", false},
		{strings.NewReader(""), true, "", "", false},
		{brokenStdin{}, true, "", "", true},
	} {
		c := newConsole(cmdline.Params{Stdin: tt.stdin, StdinIsPipe: tt.piped})
		got, err := c.ReadSecret(t.Context(), "Type it: ", "the token")
		if got != tt.want || c.stderr.String() != tt.prompt || (err != nil) != tt.fails || err != nil && err.Error() != "reading the token: the pipe burst" {
			t.Errorf("got %q, %v, prompt %q", got, err, c.stderr.String())
		}
	}
	c := newConsole(cmdline.Params{Stdin: brokenStdin{}})
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	if _, err := c.ReadMessage(cmd, []string{"-"}, false); err == nil || err.Error() != "read stdin: the pipe burst" {
		t.Errorf("a message: %v", err)
	}
}

// brokenStdin can't be read.
type brokenStdin struct{}

func (brokenStdin) Read([]byte) (int, error) { return 0, errors.New("the pipe burst") }

func TestExplainNamesTheServerThatIsDown(t *testing.T) {
	t.Parallel()
	c := newConsole(cmdline.Params{Environ: []string{"HOME=/home/x"}, HasOllama: func() bool { return true }})
	down := func(host string) fault.Explanation {
		return c.Explain(&ollama.Error{Err: ollama.ErrOllamaDown, Host: host})
	}
	if e := down("192.0.2.7:11434"); !strings.HasPrefix(e.Next, "Start it there, or put ollama.host in config.toml") {
		t.Errorf("on another machine: %+v", e)
	}
	if e := down("127.0.0.1:11434"); !strings.Contains(e.Next, "`ollama serve`") {
		t.Errorf("installed here: %+v", e)
	}
	if e := c.Explain(errors.New("odd")); !strings.Contains(e.Next, "~/.mac-stats/logs") {
		t.Errorf("without MAC_STATS_HOME: %+v", e)
	}
	for err, want := range map[error]bool{context.Canceled: true, ollama.ErrCancelled: true, errors.New("odd"): false} {
		if got := cmdline.IsStop(err); got != want {
			t.Errorf("IsStop(%v) = %v", err, got)
		}
	}
	if got := cmdline.ProblemOf(errors.New("it is gone"), "Look for it.").Error(); got != "It is gone. Look for it." {
		t.Errorf("a problem: %q", got)
	}
}

func TestABackendThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	want := errors.New("no folder")
	c := newConsole(cmdline.Params{Open: func(context.Context, backend.Options) (*backend.Backend, error) { return nil, want }})
	if err := c.WithBackend(t.Context(), func(*backend.Backend) error { t.Error("the command ran"); return nil }); !errors.Is(err, want) {
		t.Error(err)
	}
}
