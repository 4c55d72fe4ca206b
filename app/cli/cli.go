// Package cli is the commands: ask, sessions, memory, agents, models, doctor.
//
// stdout holds the answer or JSON alone; states go to stderr when it is a
// terminal. Exit 0 done, 1 failed (one line on stderr, with the next step), 2
// wrong usage, 130 interrupted, 141 the reader of stdout has gone.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/agents"
	"mac-stats/app/backend"
	"mac-stats/app/config"
)

// Params is what the commands need. Stdin, Stdout, Stderr and Open are required.
type Params struct {
	Version string
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	// Environ is the environment, os.Environ() where nil.
	Environ []string
	// StderrIsTerminal and StdinIsPipe are found by main.
	StderrIsTerminal bool
	StdinIsPipe      bool
	// Terminal opens what a person types on, also where stdin is a pipe; optional:
	// without it no question can be asked.
	Terminal func() (io.ReadCloser, error)
	// Open opens the backend, once, when a command needs it.
	Open func(ctx context.Context, o backend.Options) (*backend.Backend, error)
	// Poke tells the running app (if any) that a session changed; optional.
	Poke func(b *backend.Backend, session string)
	// AppRuns reports whether the app runs for the same folder: then it summarises
	// sessions in the background, once it is poked; optional.
	AppRuns func(ctx context.Context, b *backend.Backend) bool
	// RunApp starts the tray app; nil in a build that has none.
	RunApp func(ctx context.Context, o AppOptions) error

	probes *probes // what doctor asks the system; the real one where nil
	// completing is how long a shell waits for candidates; completeTimeout where 0.
	completing time.Duration
}

// AppOptions are the flags of the plain command.
type AppOptions struct {
	Window   bool
	Demo     bool
	Headless bool
}

// commands is one command line at work.
type commands struct {
	p       Params
	args    []string
	out     *output
	options AppOptions
}

// Run runs a command line (without the program's name) and returns its exit code.
func Run(ctx context.Context, p Params, args []string) int {
	if p.Stdin == nil || p.Stdout == nil || p.Stderr == nil || p.Open == nil {
		panic("cli: Params needs Stdin, Stdout, Stderr and Open")
	}
	if p.Environ == nil {
		p.Environ = os.Environ()
	}
	// A reader that goes away is an error of the write then, not the end of the
	// process: the partial answer is kept first.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)

	work, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := &commands{p: p, args: args, out: &output{w: p.Stdout, onError: stop}}
	root := c.root()
	if args == nil {
		args = []string{} // nil would mean os.Args
	}
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetErr(p.Stderr)
	return c.exitCode(ctx, root.ExecuteContext(work))
}

func (c *commands) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "mac-stats",
		Short: "A menu-bar app: the machine's vitals and a chat with a team of agents on your own Ollama server",
		Long: `mac-stats without a command starts the menu-bar app; a second start shows the
first one's window. The commands work with the app running or not: they use the
same files under ~/.mac-stats (MAC_STATS_HOME moves them).`,
		Example: `  mac-stats                              start the app
  mac-stats --demo                       try it without a model
  mac-stats ask "why is my fan loud?"    one question, answered here
  mac-stats doctor                       what is wrong, and the fix`,
		Version:       c.version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		RunE:          c.guard(c.startApp),
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(c.flagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return c.checkDemo(cmd) }
	flags := root.Flags()
	flags.BoolVar(&c.options.Window, "window", false, "open the window at the start")
	flags.BoolVar(&c.options.Headless, "headless", false, "run without a screen")
	root.PersistentFlags().BoolVar(&c.options.Demo, "demo", false, "talk to the built-in scripted server, in a temporary data folder")
	root.AddCommand(c.askCommand(), c.sessionsCommand(), c.memoryCommand(), c.agentsCommand(), c.modelsCommand(), c.scheduleCommand(), c.discordCommand(), c.mcpCommand(), c.permissionsCommand(), c.doctorCommand())
	c.completeStrictly(root)
	hideDemo(root)
	return root
}

// completeStrictly makes the completion command refuse shells it does not know.
func (c *commands) completeStrictly(root *cobra.Command) {
	root.SetOut(c.out) // the command looks it up when it is made
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Args = unknownCommand
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			return wrongUsage(cmd, "name a shell: bash, zsh, fish, powershell")
		}
	}
}

// getenv reads the environment the commands were given.
func (c *commands) getenv(key string) string {
	value := ""
	for _, kv := range c.p.Environ {
		if k, v, ok := strings.Cut(kv, "="); ok && k == key {
			value = v
		}
	}
	return value
}

func (c *commands) version() string {
	if c.p.Version == "" {
		return "development build"
	}
	return c.p.Version
}

// startApp is the plain command.
func (c *commands) startApp(cmd *cobra.Command, _ []string) error {
	if c.options.Window && c.options.Headless {
		return wrongUsage(cmd, "--headless runs without a window, and --window opens one: give one of them")
	}
	if c.p.RunApp == nil {
		return &plainError{
			sentence: "This build has no window.",
			next:     "Start it with --headless, or use a command: mac-stats --help lists them.",
		}
	}
	err := c.p.RunApp(cmd.Context(), c.options)
	if agents.Explain(err).Kind == agents.KindInternal && !errors.Is(err, config.ErrNoHome) { // its own words say it best: no display, no window
		return &plainError{sentence: sentence(err.Error())}
	}
	return err
}

// guard marks what a command itself fails with, so that the rest is wrong usage.
func (c *commands) guard(run func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		var usage *usageError
		if err == nil || errors.As(err, &usage) {
			return err
		}
		return &failure{err}
	}
}

// group is a command that only holds others.
func (c *commands) group(use, short string, children ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short, Args: unknownCommand, SuggestionsMinimumDistance: 2}
	g.RunE = func(cmd *cobra.Command, _ []string) error {
		var names []string
		for _, child := range children {
			names = append(names, child.Name())
		}
		return wrongUsage(cmd, "say what to do: "+strings.Join(names, ", "))
	}
	g.AddCommand(children...)
	return g
}

// open opens the backend and says what the user should know about it: settings
// that can't be used, a folder that can't be written.
func (c *commands) open(ctx context.Context) (*backend.Backend, error) {
	b, err := c.p.Open(ctx, backend.Options{Demo: c.options.Demo, Environ: c.p.Environ, Version: c.p.Version})
	if err != nil {
		return nil, err
	}
	if c.options.Demo {
		c.note("demo, no model: the built-in scripted server answers, in a temporary data folder")
	}
	for _, n := range b.Notices() {
		c.note("mac-stats: " + n.Text)
	}
	return b, nil
}

// withBackend opens the backend for a command and closes it after.
func (c *commands) withBackend(ctx context.Context, do func(b *backend.Backend) error) error {
	b, err := c.open(ctx)
	if err != nil {
		return err
	}
	err = do(b)
	if closeErr := b.Close(); err == nil {
		return closeErr
	}
	return err
}

// poke tells the running app of a change.
func (c *commands) poke(b *backend.Backend, session string) {
	if c.p.Poke != nil && !b.Demo {
		c.p.Poke(b, session)
	}
}

// appRuns reports whether the app does in the background what a command would let
// people wait for.
func (c *commands) appRuns(ctx context.Context, b *backend.Backend) bool {
	return c.p.AppRuns != nil && c.p.Poke != nil && !b.Demo && c.p.AppRuns(ctx, b)
}

// note is a line for people on stderr.
func (c *commands) note(line string) {
	c.toStderr(clean(strings.ReplaceAll(line, "\n", " ")) + "\n")
}

// toStderr writes as it is. Where stderr is gone nobody is left to tell.
func (c *commands) toStderr(text string) { _, _ = io.WriteString(c.p.Stderr, text) }
