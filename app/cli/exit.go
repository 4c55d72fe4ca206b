package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mac-stats/agents/fault"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/app/config"
	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // the shells' code for Ctrl-C
	exitBrokenPipe  = 141 // the shells' code for SIGPIPE
)

// failure is an error of a command that was used correctly.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// markFailures wraps the errors of the commands themselves in failure, so that all others
// count as wrong usage.
func markFailures(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		markFailures(child)
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		var usage *cmdline.UsageError
		if err == nil || errors.As(err, &usage) {
			return err
		}
		return &failure{err}
	}
}

// flagError words an unknown flag. If a subcommand later in args has that flag, it says
// where the flag belongs.
func flagError(cmd *cobra.Command, args []string, err error) error {
	text := words.OneLine(flagWords(err), 2*words.MostQuoted)
	_, flag, found := strings.Cut(text, "unknown flag: --")
	if !found || !cmd.HasSubCommands() {
		return cmdline.WrongUsage(cmd, text)
	}
	target := cmd
	for _, word := range args {
		for _, child := range target.Commands() {
			if child.Name() == word {
				target = child
				break
			}
		}
	}
	if target == cmd || target.Flags().Lookup(flag) == nil {
		return cmdline.WrongUsage(cmd, text)
	}
	return cmdline.WrongUsage(target, fmt.Sprintf("--%s goes behind the command: `%s --%s`", flag, target.CommandPath(), flag))
}

// flagWords describes what is wrong with a flag without naming a function of the program.
func flagWords(err error) string {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err.Error()
	}
	needs := map[string]string{"int": "a whole number", "duration": "a time such as 30s or 5m", "bool": "true or false"}[bad.GetFlag().Value.Type()]
	if needs == "" {
		return err.Error()
	}
	return fmt.Sprintf("--%s needs %s, and %q is none", bad.GetFlag().Name, needs, words.OneLine(bad.GetValue(), words.MostQuoted))
}

// exitCode prints an error in one line and returns the exit code.
func exitCode(ctx context.Context, c *cmdline.Line, err error) int {
	var usage *cmdline.UsageError
	var failed *failure
	gone, writing := c.Out.Failed()
	switch {
	case gone:
		return exitBrokenPipe
	case writing != nil:
		c.Note("mac-stats: The output can't be written: " + writing.Error() + ". Check where it goes and the free space.")
		return exitFailed
	case err == nil:
		return exitDone
	case errors.As(err, &usage), !errors.As(err, &failed):
		c.Note("mac-stats: " + strings.TrimSpace(err.Error()))
		return exitUsage
	case errors.Is(err, cmdline.ErrFindings):
		return exitFailed
	case ctx.Err() != nil && cmdline.IsStop(err):
		if errors.Is(err, fault.ErrLocked) { // otherwise the transcript has the message
			c.Note("mac-stats: " + explain(c, failed.err))
		}
		return exitInterrupted
	}
	c.Note("mac-stats: " + explain(c, failed.err))
	return exitFailed
}

// explain words an error as a sentence with a next step.
func explain(c *cmdline.Line, err error) string {
	var plain *cmdline.PlainError
	var folder *backend.FolderError
	if errors.As(err, &plain) {
		return plain.Error()
	}
	switch {
	case errors.Is(err, session.ErrNotFound), errors.Is(err, transcript.ErrBadName):
		return words.CutQuotes(words.Sentence(err.Error()))
	case errors.Is(err, session.ErrBusy):
		return words.Sentence(err.Error()) + " Wait until it has ended, or stop it, then try again."
	case errors.Is(err, config.ErrNoHome):
		return "The home folder is not known. Set HOME, or MAC_STATS_HOME to the folder to use."
	case errors.Is(err, memory.ErrNoProposal), errors.Is(err, memory.ErrNothingToUndo):
		return words.Sentence(err.Error())
	case errors.Is(err, memory.ErrNoLine), errors.Is(err, memory.ErrFull):
		return words.Sentence(err.Error()) + " `mac-stats memory list` shows the lines."
	case errors.Is(err, memory.ErrDuplicate):
		return words.CutQuotes(words.Sentence(err.Error())) + " `mac-stats memory list` shows it."
	case errors.Is(err, lesson.ErrRejected):
		return words.CutQuotes(words.Sentence(err.Error()))
	case errors.As(err, &folder) && errors.Is(err, fs.ErrNotExist): // no folder can be created in its parent
		return "The data folder " + folder.Folder + " can't be made. Set MAC_STATS_HOME to another folder."
	}
	e := c.Explain(err)
	return strings.TrimSpace(words.CutQuotes(e.Sentence) + " " + e.Next)
}
