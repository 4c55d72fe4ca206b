package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mac-stats/agents"
	"mac-stats/app/backend"
	"mac-stats/app/config"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // as shells say it for Ctrl-C
	exitBrokenPipe  = 141 // as shells say it where the reader of stdout has gone
)

// failure is an error of a command that was used rightly.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// usageError is a command line that makes no sense.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func wrongUsage(cmd *cobra.Command, text string) error {
	return &usageError{fmt.Sprintf("%s See `%s --help`.", sentence(text), cmd.CommandPath())}
}

// named is a command as people type it, without the program's name.
func named(cmd *cobra.Command) string {
	return "`" + strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ") + "`"
}

// flagError is a flag that is not known where it stands. One of a command that
// follows it is told where it goes.
func (c *commands) flagError(cmd *cobra.Command, err error) error {
	text := oneLine(flagWords(err), 2*mostQuoted)
	_, flag, found := strings.Cut(text, "unknown flag: --")
	if !found || !cmd.HasSubCommands() {
		return wrongUsage(cmd, text)
	}
	target := cmd
	for _, word := range c.args {
		for _, child := range target.Commands() {
			if child.Name() == word {
				target = child
				break
			}
		}
	}
	if target == cmd || target.Flags().Lookup(flag) == nil {
		return wrongUsage(cmd, text)
	}
	return wrongUsage(target, fmt.Sprintf("--%s goes behind the command: `%s --%s`", flag, target.CommandPath(), flag))
}

// flagWords is what is wrong with a flag, in words that name no function of the program.
func flagWords(err error) string {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err.Error()
	}
	needs := map[string]string{"int": "a whole number", "duration": "a time such as 30s or 5m", "bool": "true or false"}[bad.GetFlag().Value.Type()]
	if needs == "" {
		return err.Error()
	}
	return fmt.Sprintf("--%s needs %s, and %q is none", bad.GetFlag().Name, needs, oneLine(bad.GetValue(), mostQuoted))
}

// plainError is an error whose words are fit for people as they are.
type plainError struct{ sentence, next string }

func (e *plainError) Error() string { return strings.TrimSpace(e.sentence + " " + e.next) }

// errFindings: the command has said what is wrong on stdout; the code says it to
// scripts.
var errFindings = errors.New("findings")

// unknownCommand refuses words that name no command, with the nearest that does.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("there is no command %q", oneLine(args[0], mostQuoted))
	if args[0] == "version" && !cmd.HasParent() {
		return wrongUsage(cmd, text+"; `mac-stats --version` tells it")
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return wrongUsage(cmd, text)
}

// exact, atMost and atLeast count the words behind a command.
func exact(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return wrongUsage(cmd, named(cmd)+" needs "+what)
		}
		return tooMany(cmd, args, n, what)
	}
}

func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return wrongUsage(cmd, fmt.Sprintf("%s needs %s", named(cmd), what))
		}
		return nil
	}
}

func atMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		return tooMany(cmd, args, n, what)
	}
}

func tooMany(cmd *cobra.Command, args []string, n int, what string) error {
	if len(args) <= n {
		return nil
	}
	return wrongUsage(cmd, fmt.Sprintf("%s takes %s; unexpected argument %q", named(cmd), what, oneLine(args[n], mostQuoted)))
}

// exitCode says what went wrong, in one line, and gives the code.
func (c *commands) exitCode(ctx context.Context, err error) int {
	var usage *usageError
	var failed *failure
	switch {
	case c.out.broken():
		return exitBrokenPipe
	case c.out.err != nil:
		c.note("mac-stats: The output can't be written: " + c.out.err.Error() + ". Check where it goes and the free space.")
		return exitFailed
	case err == nil:
		return exitDone
	case errors.As(err, &usage), !errors.As(err, &failed):
		c.note("mac-stats: " + strings.TrimSpace(err.Error()))
		return exitUsage
	case errors.Is(err, errFindings):
		return exitFailed
	case ctx.Err() != nil && isStop(err):
		if errors.Is(err, agents.ErrLocked) { // else the message is in the transcript
			c.note("mac-stats: " + c.explain(failed.err))
		}
		return exitInterrupted
	}
	c.note("mac-stats: " + c.explain(failed.err))
	return exitFailed
}

func isStop(err error) bool {
	return errors.Is(err, context.Canceled) || agents.Explain(err).Kind == agents.KindCancelled
}

// explain is an error in a sentence with a next step.
func (c *commands) explain(err error) string {
	var plain *plainError
	var folder *backend.FolderError
	if errors.As(err, &plain) {
		return plain.Error()
	}
	switch {
	case errors.Is(err, sessionmem.ErrNotFound), errors.Is(err, transcript.ErrBadName):
		return cutQuotes(sentence(err.Error()))
	case errors.Is(err, sessionmem.ErrBusy):
		return sentence(err.Error()) + " Wait until it has ended, or stop it, then try again."
	case errors.Is(err, config.ErrNoHome):
		return "The home folder is not known. Set HOME, or MAC_STATS_HOME to the folder to use."
	case errors.Is(err, memory.ErrNoProposal), errors.Is(err, memory.ErrNothingToUndo):
		return sentence(err.Error())
	case errors.Is(err, memory.ErrNoLine), errors.Is(err, memory.ErrFull):
		return sentence(err.Error()) + " `mac-stats memory list` shows the lines."
	case errors.Is(err, memory.ErrDuplicate):
		return cutQuotes(sentence(err.Error())) + " `mac-stats memory list` shows it."
	case errors.Is(err, lesson.ErrRejected):
		return cutQuotes(sentence(err.Error()))
	case errors.As(err, &folder) && errors.Is(err, fs.ErrNotExist): // its parent takes no folders
		return "The data folder " + folder.Folder + " can't be made. Set MAC_STATS_HOME to another folder."
	}
	e := c.explanation(err)
	return strings.TrimSpace(cutQuotes(e.Sentence) + " " + e.Next)
}

// sentence begins with a capital (but for the program's name) and ends with a full
// stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if !strings.HasPrefix(text, "mac-stats") {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "!") {
		return text
	}
	return text + "."
}
