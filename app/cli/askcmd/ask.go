// Package askcmd implements `mac-stats ask`: it sends one message and shows the turn on a terminal.
//
// The answer streams to stdout and the agents' activity goes to stderr. A turn's questions
// are asked on the terminal even if stdin is something else. With --json every event of the
// turn is a line on stdout, and nothing is asked. A message without -c or --session starts
// a session, unless the agent or the model doesn't exist.
//
// This package starts the turn and shows its events; agents decides what happens in it.
// app/cli calls it.
package askcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/sessioncmd"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// askGrowth is how far the heap may grow before a garbage collection, in percent: the
// process ends soon, and the question should be sent by then.
const askGrowth = 400

// flags holds the flags of ask.
type flags struct {
	again   bool
	session string
	agent   string
	model   string
	noTools bool
	think   string
	files   []string
}

// Command returns ask.
func Command(c *cmdline.Line) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "ask [flags] TEXT | -",
		Short: "Ask one question; the answer streams to stdout",
		Long: `ask sends one message and streams the answer to stdout. What the agents do
meanwhile goes to stderr. The conversation is a session: its transcript is under
~/.mac-stats/session, and -c continues the last one.

A - among the words stands for stdin. With text beside it, what is piped in is
attached like a file. --file attaches a text file, a PDF (its text), a folder of both,
or an image (PNG, JPEG, GIF; for models that can see). It is kept in
~/.mac-stats/session/files and sent again when the session continues. Ctrl-C stops
the answer and keeps what has arrived.

Only text that you type can be remembered at once. With a file, a pipe or a page,
memories wait in the inbox, and ask asks on the terminal before it reads an address
that you didn't type. With --json or without a terminal, such an address isn't read.`,
		Example: `  mac-stats ask "why is my fan loud?"
  mac-stats ask -c "and in one sentence?"
  git diff | mac-stats ask "review this" -
  mac-stats ask --file shot.png --file notes.txt "what is wrong here?"
  mac-stats ask --agent coder --json "a quicksort in Go"
  mac-stats ask --session notes "what did we decide?"`,
		RunE: func(cmd *cobra.Command, args []string) error { return ask(c, cmd, f, args) },
	}
	fs := cmd.Flags()
	fs.BoolVarP(&f.again, "continue", "c", false, "continue the last session of the command line")
	fs.StringVar(&f.session, "session", "", "the session: a bare NAME means cli-NAME; created if there is none")
	fs.StringVar(&f.agent, "agent", "", "the agent: slug, name or id")
	fs.StringVar(&f.model, "model", "", "the model, by its name in models list")
	fs.BoolVar(&c.Out.AsJSON, "json", false, "print events, one JSON object a line")
	fs.StringVar(&f.think, "think", "", "on or off: whether the model thinks before it answers, where it can")
	fs.BoolVar(&f.noTools, "no-tools", false, "let the agent use no tools and no other agents")
	fs.StringArrayVar(&f.files, "file", nil, "attach a text file, a PDF, an image or a folder; may be given several times")
	c.CompleteFlag(cmd, "agent", cmdline.UsableAgentNames)
	c.CompleteFlag(cmd, "session", cmdline.SessionNames)
	c.CompleteFlag(cmd, "model", modelNames)
	return cmd
}

func ask(c *cmdline.Line, cmd *cobra.Command, f flags, args []string) error {
	if cmd.Flags().Changed("session") && strings.TrimSpace(f.session) == "" {
		return cmdline.WrongUsage(cmd, "--session needs a NAME")
	}
	if f.again && f.session != "" {
		return cmdline.WrongUsage(cmd, "-c and --session exclude each other")
	}
	if f.again && c.Demo {
		return cmdline.WrongUsage(cmd, "the demo has no session to go on with: its data folder is a temporary one that is removed at the end; ask without -c")
	}
	think, err := switchOf(f.think)
	if err != nil {
		return cmdline.WrongUsage(cmd, err.Error())
	}
	files, err := readFiles(cmd.Context(), c, f.files)
	if err != nil {
		return err
	}
	said, err := c.ReadMessage(cmd, args, len(files) > 0)
	if err != nil {
		return err
	}
	files = append(files, said.Piped...)
	view := newView(c)
	defer view.close()
	ctx := cmd.Context()
	debug.SetGCPercent(askGrowth)
	return c.WithMemory(ctx, func(b *backend.Backend) error {
		if err := checkChoice(ctx, b, f); err != nil {
			logFailure(b, "none", err)
			return refused(c, f, err)
		}
		session, err := sessionToAsk(ctx, c, b, f)
		if err != nil {
			return err
		}
		sessioncmd.ReportRemoved(ctx, c, b, session)
		run := b.Engine.Start(ctx, agents.Request{
			Session: session, Text: said.Text, From: said.From, Files: files, Agent: f.agent, Model: f.model, Think: think, NoTools: f.noTools, Holder: cmdline.Holder,
			AppCompacts: c.AppWorks(ctx, b), CanAsk: view.canAsk(),
		})
		view.answer = run.Answer
		for e := range view.events(ctx, run) {
			view.show(e)
		}
		result, err := run.Wait()
		view.end(result)
		if err == nil {
			err = keepModel(ctx, b, session, f.model)
		}
		c.Asked(b, session)
		logFailure(b, session, err)
		if errors.Is(err, fault.ErrOnDisk) && c.UnreadableConfig(b) {
			return cmdline.Problem("config.toml can't be read, so nothing may be written, and this conversation is kept in a file.",
				"Fix config.toml (`mac-stats doctor` says where), or leave -c and --session out: a new conversation stays in memory.")
		}
		return err
	})
}

// keepModel makes the model that has answered the conversation's, so that -c goes on with
// it. A session that wasn't created has none.
func keepModel(ctx context.Context, b *backend.Backend, name, model string) error {
	if model == "" {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	window, err := b.Store.Context(ctx, name)
	if err == nil && !ollama.SameModel(window.Settings.Model, model) {
		window.Settings.Model = model
		err = b.Store.SetSettings(ctx, name, window.Settings)
	}
	if errors.Is(err, session.ErrNotFound) {
		return nil
	}
	return err
}

// switchOf parses the value of --think; nil if it isn't given.
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

// checkChoice reports a missing agent or model before a session is created, because the
// next -c would continue that session. A session that was named keeps the message. A server
// that doesn't answer is left for the turn to report.
func checkChoice(ctx context.Context, b *backend.Backend, f flags) error {
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

// refused ends an ask before its turn; with --json it writes the event that ends a turn.
func refused(c *cmdline.Line, f flags, err error) error {
	if c.Out.AsJSON {
		e := fault.Explain(err)
		_ = c.Out.JSON(agents.Event{Type: agents.EventError, Time: time.Now(), Kind: e.Kind, Text: e.Sentence, Detail: e.Next}) // the output keeps an error, which ends the command
	}
	return err
}

// readFiles reads the files of --file; the first that can't be attached is an error.
// Ctrl-C ends the reading.
func readFiles(ctx context.Context, c *cmdline.Line, paths []string) ([]attach.File, error) {
	var files []attach.File
	status := cmdline.Status{Line: c}
	defer status.Erase()
	for _, p := range paths {
		u, err := attach.Read(ctx, p, func(read, pages int) {
			switch {
			case pages > 0:
				status.Draw(fmt.Sprintf("reading %s: page %d of %d", words.OneLine(filepath.Base(p), 60), read, pages))
			case !c.StderrIsTerminal: // without a status line this would look like a hang
				c.ToStderr(preparing + "\n")
			default:
				status.Draw(preparing)
			}
		})
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if _, statErr := os.Stat(p); err != nil && errors.Is(statErr, os.ErrNotExist) {
			return nil, cmdline.Problem("There is no file "+p+"; nothing was sent.", "Check its path.")
		}
		if err != nil {
			return nil, cmdline.Problem(err.Error(), "Nothing was sent.")
		}
		if u.Charset != "" {
			status.Erase()
			c.ToStderr(fmt.Sprintf("mac-stats: %s isn't Unicode; it was read as %s. If its letters are wrong, save it as UTF-8.\n", u.Name, u.Charset))
		}
		files = append(files, u)
	}
	return files, nil
}

const preparing = "preparing to read PDFs; this happens once and takes some seconds"

// logFailure logs the kind of error that ended a turn, never its text.
func logFailure(b *backend.Backend, session string, err error) {
	if err != nil {
		b.Logger.Info("turn failed", "session", session, "kind", fault.Explain(err).Kind)
	}
}

// sessionToAsk returns the session for the message: the last one, the named one, or a new
// one.
func sessionToAsk(ctx context.Context, c *cmdline.Line, b *backend.Backend, f flags) (string, error) {
	switch {
	case f.again:
		return sessioncmd.Last(ctx, b)
	case f.session == "":
		return b.Store.NewName(cmdline.Source), nil
	}
	name, err := b.Store.Resolve(ctx, cmdline.Source, f.session)
	if errors.Is(err, session.ErrNotFound) {
		return cmdline.Source + "-" + strings.TrimPrefix(strings.ToLower(f.session), cmdline.Source+"-"), nil
	}
	if err == nil && transcript.IsDiscord(name) {
		return "", cmdline.Problem(name+" is a Discord session: what is said here must not go there.", "Read it with `mac-stats sessions show "+name+"`.")
	}
	return name, err
}

// modelNames asks the server only for its list, not about each model.
func modelNames(ctx context.Context, b *backend.Backend) []string {
	list, err := b.Client.Models(ctx)
	if err != nil {
		return nil
	}
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	return names
}
