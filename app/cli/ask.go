package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/app/backend"
	"mac-stats/app/config"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

const (
	// source is the first part of the names of sessions made here.
	source = "cli"
	// holder is who asks, for people who wait for the same session.
	holder = "command line"
	// askGrowth is how far the heap may grow before it is collected, in percent: the
	// process is over soon, and the question should be on its way by then.
	askGrowth = 400
	// maxStdin is how much is read from stdin, in bytes: more fits no model.
	maxStdin = 8 << 20
)

type askFlags struct {
	again   bool
	session string
	agent   string
	model   string
	json    bool
	noTools bool
	think   string
	files   []string
}

func (c *commands) askCommand() *cobra.Command {
	var f askFlags
	cmd := &cobra.Command{
		Use:   "ask [flags] TEXT | -",
		Short: "Ask one question; the answer streams to stdout",
		Long: `ask sends one message and streams the answer to stdout. What the agents do
meanwhile goes to stderr. The conversation is a session: its transcript is under
~/.mac-stats/session, and -c goes on with the last one.

A - among the words stands for stdin; with text beside it, what is piped in is
attached like a file. --file attaches a text file or an image (PNG, JPEG, GIF; for
models that can see): it is kept in ~/.mac-stats/session/files and sent again when
the session goes on. Ctrl-C stops and keeps what there is of the answer.

Only what you type may have something remembered at once. Beside a file, a pipe or
a page a memory waits in the inbox, and before an address is read that you didn't
type, ask asks on the terminal; with --json or without a terminal it isn't read.`,
		Example: `  mac-stats ask "why is my fan loud?"
  mac-stats ask -c "and in one sentence?"
  git diff | mac-stats ask "review this" -
  mac-stats ask --file shot.png --file notes.txt "what is wrong here?"
  mac-stats ask --agent coder --json "a quicksort in Go"
  mac-stats ask --session notes "what did we decide?"`,
		RunE: c.guard(func(cmd *cobra.Command, args []string) error { return c.ask(cmd, f, args) }),
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.again, "continue", "c", false, "go on with the last session of the command line")
	flags.StringVar(&f.session, "session", "", "the session: a bare NAME means cli-NAME; made where there is none")
	flags.StringVar(&f.agent, "agent", "", "the agent: slug, name or id")
	flags.StringVar(&f.model, "model", "", "the model, by its name in models list")
	flags.BoolVar(&f.json, "json", false, "print events, one JSON object a line")
	flags.StringVar(&f.think, "think", "", "on or off: whether the model thinks before it answers, where it can")
	flags.BoolVar(&f.noTools, "no-tools", false, "let the agent use no tools and no other agents")
	flags.StringArrayVar(&f.files, "file", nil, "attach a file; may be given several times")
	c.completeFlag(cmd, "agent", usableAgentNames)
	c.completeFlag(cmd, "session", sessionNames)
	c.completeFlag(cmd, "model", modelNames)
	return cmd
}

func (c *commands) ask(cmd *cobra.Command, f askFlags, args []string) error {
	if cmd.Flags().Changed("session") && strings.TrimSpace(f.session) == "" {
		return wrongUsage(cmd, "--session needs a NAME")
	}
	if f.again && f.session != "" {
		return wrongUsage(cmd, "-c and --session exclude each other")
	}
	if f.again && c.options.Demo {
		return wrongUsage(cmd, "the demo has no session to go on with: its data folder is a temporary one that is removed at the end; ask without -c")
	}
	think, err := switchOf(f.think)
	if err != nil {
		return wrongUsage(cmd, err.Error())
	}
	files, err := readFiles(f.files)
	if err != nil {
		return err
	}
	said, err := c.textOf(cmd, args, len(files) > 0)
	if err != nil {
		return err
	}
	files = append(files, said.piped...)
	view := c.newView(f.json)
	defer view.close()
	ctx := cmd.Context()
	debug.SetGCPercent(askGrowth)
	return c.withMemory(ctx, func(b *backend.Backend) error {
		if err := checkChoice(ctx, b, f); err != nil {
			logFailure(b, "none", err)
			return c.refused(f, err)
		}
		session, err := c.sessionToAsk(ctx, b, f)
		if err != nil {
			return err
		}
		c.tellRemoved(ctx, b, session)
		run := b.Engine.Start(ctx, agents.Request{
			Session: session, Text: said.text, From: said.from, Files: files, Agent: f.agent, Model: f.model, Think: think, NoTools: f.noTools, Holder: holder,
			AppCompacts: c.appRuns(ctx, b), CanAsk: view.canAsk(),
		})
		view.answer = run.Answer
		for e := range view.events(ctx, run) {
			view.show(e)
		}
		result, err := run.Wait()
		view.end(result)
		c.poke(b, session)
		logFailure(b, session, err)
		if errors.Is(err, agents.ErrOnDisk) && c.unreadableConfig(b) {
			return &plainError{
				"config.toml can't be read, so nothing may be written, and this conversation is kept in a file.",
				"Fix config.toml (`mac-stats doctor` says where), or leave -c and --session out: a new conversation stays in memory.",
			}
		}
		return err
	})
}

// switchOf reads the value of --think; nil where it isn't given.
func switchOf(value string) (*bool, error) {
	on := value == "on"
	switch value {
	case "":
		return nil, nil
	case "on", "off":
		return &on, nil
	}
	return nil, fmt.Errorf("--think is on or off, not %q", value)
}

// checkChoice finds an agent or a model that isn't there before a session is made
// for it: the next -c would go on with that. One that is named keeps the message. A
// server that doesn't answer is the turn's to tell of.
func checkChoice(ctx context.Context, b *backend.Backend, f askFlags) error {
	if f.session != "" {
		return nil
	}
	if f.agent != "" {
		if _, err := b.Registry.Find(f.agent); err != nil {
			return err
		}
	}
	if f.model != "" {
		if _, err := b.Models.Resolve(ctx, f.model, ollama.RoleGeneral); errors.Is(err, ollama.ErrModelMissing) {
			return err
		}
	}
	return nil
}

// refused ends an ask before its turn, with --json by the event that ends a turn.
func (c *commands) refused(f askFlags, err error) error {
	if f.json {
		e := agents.Explain(err)
		_ = c.out.json(agents.Event{Type: agents.EventError, Time: time.Now(), Kind: e.Kind, Text: e.Sentence, Detail: e.Next}) // an error is kept and ends the command
	}
	return err
}

// unreadableConfig reports whether the settings that keep all private are not the
// user's but those of a file that can't be read.
func (c *commands) unreadableConfig(b *backend.Backend) bool {
	_, findings := config.Load(b.Paths.ConfigFile(), c.p.Environ)
	return slices.ContainsFunc(findings, func(f config.Finding) bool { return f.Unreadable })
}

// readFiles reads what --file names; the first that can't be attached ends it.
func readFiles(paths []string) ([]attach.File, error) {
	var files []attach.File
	for _, p := range paths {
		u, err := attach.Read(p)
		if _, statErr := os.Stat(p); err != nil && errors.Is(statErr, os.ErrNotExist) {
			return nil, &plainError{sentence: "There is no file " + p + "; nothing was sent."}
		}
		if err != nil {
			return nil, &plainError{sentence: err.Error(), next: "Nothing was sent."}
		}
		files = append(files, u)
	}
	return files, nil
}

// logFailure says in the log that a turn failed: its kind, never its text.
func logFailure(b *backend.Backend, session string, err error) {
	if err != nil {
		b.Logger.Info("turn failed", "session", session, "kind", agents.Explain(err).Kind)
	}
}

// message is what is asked: words, and where they came from.
type message struct {
	text  string
	from  transcript.Sources
	piped []attach.File // what stands on stdin, beside words
}

// textOf gives the words of the command line, and stdin where a - asks for it or
// something is piped in and there are neither words nor files (attached). Beside words
// what is piped in is the user's file, whoever wrote it; alone it is the message, which
// still counts as a file.
func (c *commands) textOf(cmd *cobra.Command, args []string, attached bool) (message, error) {
	var words []string
	piped := len(args) == 0 && c.p.StdinIsPipe && !attached
	for _, a := range args {
		if a == "-" {
			piped = true
			continue
		}
		words = append(words, a)
	}
	m := message{text: strings.TrimSpace(strings.Join(words, " "))}
	if piped {
		input, err := c.readStdin(cmd.Context())
		switch {
		case err != nil:
			return m, err
		case strings.TrimSpace(input) == "" && m.text == "":
			return m, &plainError{"There was nothing on stdin.", "Pipe something in, or give the text on the command line."}
		case strings.TrimSpace(input) == "": // who pipes in nothing by mistake wants no answer about it
			return m, wrongUsage(cmd, "stdin was empty: pipe something in, or leave the - out")
		case m.text == "":
			m.text, m.from = strings.TrimSpace(input), transcript.FromFile
		default:
			u, err := attach.New("stdin", []byte(strings.Trim(input, "\r\n")))
			if err != nil {
				return m, &plainError{sentence: err.Error(), next: "Nothing was sent."}
			}
			m.piped = []attach.File{u}
		}
	}
	if m.text == "" && !attached {
		return m, wrongUsage(cmd, "there is no text")
	}
	if !utf8.ValidString(m.text) {
		return m, &plainError{"The text is not UTF-8.", "Send text, not a binary file."}
	}
	return m, nil
}

// readStdin reads all of stdin; Ctrl-C ends it.
func (c *commands) readStdin(ctx context.Context) (string, error) {
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() { // outlives a Ctrl-C, as the process does not
		data, err := io.ReadAll(io.LimitReader(c.p.Stdin, maxStdin+1))
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
			return "", &plainError{"There is too much on stdin: " + size(maxStdin) + " is the limit.", "Send a part of it."}
		}
		return string(r.data), nil
	}
}

// sessionToAsk is the session the message goes to: the last one, the one named,
// or a new one.
func (c *commands) sessionToAsk(ctx context.Context, b *backend.Backend, f askFlags) (string, error) {
	switch {
	case f.again:
		return c.lastSession(ctx, b)
	case f.session == "":
		return b.Store.NewName(source), nil
	}
	name, err := b.Store.Resolve(ctx, source, f.session)
	if errors.Is(err, sessionmem.ErrNotFound) {
		return source + "-" + strings.TrimPrefix(strings.ToLower(f.session), source+"-"), nil
	}
	if err == nil && transcript.IsDiscord(name) {
		return "", &plainError{
			name + " is a Discord session: what is said here must not go there.",
			"Read it with `mac-stats sessions show " + name + "`.",
		}
	}
	return name, err
}

// lastSession is the session of the command line that was used last.
func (c *commands) lastSession(ctx context.Context, b *backend.Backend) (string, error) {
	list, err := b.Store.List(ctx)
	if err != nil {
		return "", err
	}
	var last transcript.Info
	for _, info := range list {
		if info.Source == source && !info.ReadOnly && info.Err == nil && (last.Name == "" || info.Active.After(last.Active)) {
			last = info
		}
	}
	if last.Name == "" {
		return "", &plainError{"There is no session of the command line yet.", "Begin one with `mac-stats ask TEXT`, or name one: `mac-stats sessions list` shows them."}
	}
	return last.Name, nil
}
