// Package cmdline is what all commands share: output, opening the backend, reading stdin,
// completion, and errors of usage.
//
// stdout gets only the answer or JSON; progress goes to stderr. The first error of stdout
// ends the command. A command that needs the backend opens it after the command line was
// checked, and it is closed when the command ends.
//
// Each family of commands has its own package, which builds on this one and uses the others
// only as their docs say. app/cli puts them together and reports errors. This package knows
// no command.
package cmdline

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/words"
	"mac-stats/app/config"
)

const (
	// Source is the first part of the names of sessions that commands start.
	Source = "cli"
	// Holder is the name shown to others who wait for a session that a command uses.
	Holder = "command line"
)

// Params holds what the commands need. Stdin, Stdout, Stderr and Open are required.
type Params struct {
	Version string
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	// Environ is the environment; os.Environ() if nil.
	Environ []string
	// StderrIsTerminal and StdinIsPipe are detected by main.
	StderrIsTerminal bool
	StdinIsPipe      bool
	// Terminal opens the terminal for typed input even if stdin is a pipe. Optional:
	// without it no question can be asked.
	Terminal func() (io.ReadCloser, error)
	// Open opens the backend. It is called at most once, when a command needs it.
	Open func(ctx context.Context, o backend.Options) (*backend.Backend, error)
	// Poke notifies the running app (if any) that a session changed, and whether it was
	// asked. Optional.
	Poke func(b *backend.Backend, session string, asked bool)
	// AppRuns reports whether the app runs for the same folder; if so, it summarises
	// sessions in the background after a Poke. Optional.
	AppRuns func(ctx context.Context, b *backend.Backend) bool
	// HasOllama reports whether Ollama is installed on this machine; if nil, the command
	// checks.
	HasOllama func() bool
	// ShellWait is how long a shell waits for completions; 0 means 400 ms.
	ShellWait time.Duration
}

// Line is a running command line.
type Line struct {
	Params
	Out  *Output
	Demo bool // --demo: the built-in scripted server, in a temporary data folder
}

// New returns a command line for p. onError gets the first error of its output.
func New(p Params, onError func(error)) *Line {
	return &Line{Params: p, Out: &Output{w: p.Stdout, onError: onError}}
}

// getenv reads the commands' environment.
func (c *Line) getenv(key string) string {
	value := ""
	for _, kv := range c.Environ {
		if k, v, ok := strings.Cut(kv, "="); ok && k == key {
			value = v
		}
	}
	return value
}

// Paths returns the data and cache folders.
func (c *Line) Paths() (config.Paths, error) { return config.FindPaths(c.getenv) }

// OpenSilently opens the backend without printing its notices.
func (c *Line) OpenSilently(ctx context.Context) (*backend.Backend, error) {
	return c.Open(ctx, backend.Options{Demo: c.Demo, Environ: c.Environ, Version: c.Version})
}

// WithBackend opens the backend for a command and closes it afterwards. It prints the
// backend's notices: settings that can't be used, a folder that can't be written.
func (c *Line) WithBackend(ctx context.Context, do func(b *backend.Backend) error) error {
	b, err := c.OpenSilently(ctx)
	if err != nil {
		return err
	}
	if c.Demo {
		c.Note("demo, no model: the built-in scripted server answers, in a temporary data folder")
	}
	for _, n := range b.Notices() {
		c.Note("mac-stats: " + n.Text)
	}
	err = do(b)
	if closeErr := b.Close(); err == nil {
		return closeErr
	}
	return err
}

// WithMemory is WithBackend for a command that reads or writes memory: at its end it
// reports missing remembered lines on stderr.
func (c *Line) WithMemory(ctx context.Context, do func(b *backend.Backend) error) error {
	return c.WithBackend(ctx, func(b *backend.Backend) error {
		err := do(b)
		if ctx.Err() != nil || b.Demo {
			return err
		}
		if missing := backend.MissingWords(b.Memory.Dropped()); missing != "" {
			c.Note("mac-stats: " + missing + ". `mac-stats memory restore` puts back what another program's save took out; --keep-removed leaves it out.")
		}
		return err
	})
}

// Do is the work of a command, with an open backend and the command's arguments.
type Do func(ctx context.Context, b *backend.Backend, args []string) error

// OnBackend returns a command's run function that calls do with the backend open.
func (c *Line) OnBackend(do Do) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return c.WithBackend(cmd.Context(), func(b *backend.Backend) error { return do(cmd.Context(), b, args) })
	}
}

// OnMemory is OnBackend for a command that reads or writes memory; see WithMemory.
func (c *Line) OnMemory(do Do) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return c.WithMemory(cmd.Context(), func(b *backend.Backend) error { return do(cmd.Context(), b, args) })
	}
}

// Changed notifies the running app that a session changed; "" stands for anything else.
func (c *Line) Changed(b *backend.Backend, session string) { c.poke(b, session, false) }

// Asked is Changed after a message that somebody sent in a terminal.
func (c *Line) Asked(b *backend.Backend, session string) { c.poke(b, session, true) }

// poke tells the app nothing of a conversation that is only in this process's memory.
func (c *Line) poke(b *backend.Backend, session string, asked bool) {
	if c.Poke != nil && !b.Demo && !b.Store.IsPrivate(session) {
		c.Poke(b, session, asked)
	}
}

// AppWorks reports whether the app does the background work, so that the user needn't wait
// for it.
func (c *Line) AppWorks(ctx context.Context, b *backend.Backend) bool {
	return c.AppRuns != nil && c.Poke != nil && !b.Demo && c.AppRuns(ctx, b)
}

// UnreadableConfig reports whether everything is kept private only because config.toml
// can't be read.
func (c *Line) UnreadableConfig(b *backend.Backend) bool {
	_, findings := config.Load(b.Paths.ConfigFile(), c.Environ)
	return slices.ContainsFunc(findings, func(f config.Finding) bool { return f.Unreadable })
}

// Note prints a line for people on stderr.
func (c *Line) Note(line string) {
	c.ToStderr(words.Clean(strings.ReplaceAll(line, "\n", " ")) + "\n")
}

// ToStderr writes text unchanged. If stderr is gone, nobody is left to notify.
func (c *Line) ToStderr(text string) { _, _ = io.WriteString(c.Stderr, text) }
