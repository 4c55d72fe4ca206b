// Package cmdline is a command line at work: its output, the backend it opens, what it
// is asked on stdin, what completes it, and what is said where it is used wrongly.
//
// stdout holds the answer or JSON alone; states go to stderr. The first error of stdout
// ends the command. A backend is opened by the command that needs it, once the command
// line makes sense, and closed at the command's end.
//
// The packages of the commands, one for each family, build on it and on nothing of each
// other but what their docs say; app/cli puts them into one tree, and says what went
// wrong. It knows no command.
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
	// Source is the first part of the names of sessions made here.
	Source = "cli"
	// Holder is who asks, for people who wait for the same session.
	Holder = "command line"
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
	// HasOllama reports whether Ollama is installed on this machine; where nil, it is looked for.
	HasOllama func() bool
	// ShellWait is how long a shell waits for candidates; 400 ms where 0.
	ShellWait time.Duration
}

// Line is one command line at work.
type Line struct {
	Params
	Out  *Output
	Demo bool // --demo: the built-in scripted server, in a temporary data folder
}

// New makes a command line of p; the first error of its output is given to onError.
func New(p Params, onError func(error)) *Line {
	return &Line{Params: p, Out: &Output{w: p.Stdout, onError: onError}}
}

// getenv reads the environment the commands were given.
func (c *Line) getenv(key string) string {
	value := ""
	for _, kv := range c.Environ {
		if k, v, ok := strings.Cut(kv, "="); ok && k == key {
			value = v
		}
	}
	return value
}

// Paths are where the data folder and the cache are.
func (c *Line) Paths() (config.Paths, error) { return config.FindPaths(c.getenv) }

// OpenSilently opens the backend; what the user should know about it is left unsaid.
func (c *Line) OpenSilently(ctx context.Context) (*backend.Backend, error) {
	return c.Open(ctx, backend.Options{Demo: c.Demo, Environ: c.Environ, Version: c.Version})
}

// WithBackend opens the backend for a command and closes it after. It says what the user
// should know about it: settings that can't be used, a folder that can't be written.
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

// WithMemory is WithBackend for a command that reads or writes the memory: at its end it
// says on stderr which remembered lines are missing.
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

// Do is what a command does with an open backend and the words behind it.
type Do func(ctx context.Context, b *backend.Backend, args []string) error

// OnBackend is a command that does what it does with the backend open.
func (c *Line) OnBackend(do Do) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return c.WithBackend(cmd.Context(), func(b *backend.Backend) error { return do(cmd.Context(), b, args) })
	}
}

// OnMemory is OnBackend for a command that reads or writes the memory, as WithMemory.
func (c *Line) OnMemory(do Do) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return c.WithMemory(cmd.Context(), func(b *backend.Backend) error { return do(cmd.Context(), b, args) })
	}
}

// Changed tells the running app that a session changed; "" for anything else.
func (c *Line) Changed(b *backend.Backend, session string) {
	if c.Poke != nil && !b.Demo {
		c.Poke(b, session)
	}
}

// AppWorks reports whether the app does in the background what a command would let
// people wait for.
func (c *Line) AppWorks(ctx context.Context, b *backend.Backend) bool {
	return c.AppRuns != nil && c.Poke != nil && !b.Demo && c.AppRuns(ctx, b)
}

// UnreadableConfig reports whether the settings that keep all private are not the
// user's but those of a file that can't be read.
func (c *Line) UnreadableConfig(b *backend.Backend) bool {
	_, findings := config.Load(b.Paths.ConfigFile(), c.Environ)
	return slices.ContainsFunc(findings, func(f config.Finding) bool { return f.Unreadable })
}

// Note is a line for people on stderr.
func (c *Line) Note(line string) {
	c.ToStderr(words.Clean(strings.ReplaceAll(line, "\n", " ")) + "\n")
}

// ToStderr writes as it is. Where stderr is gone nobody is left to tell.
func (c *Line) ToStderr(text string) { _, _ = io.WriteString(c.Stderr, text) }
