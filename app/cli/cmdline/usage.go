package cmdline

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/app/cli/words"
)

// UsageError is a command line that makes no sense.
type UsageError struct{ text string }

func (e *UsageError) Error() string { return e.text }

// WrongUsage says what is wrong with a command line, and where its help is.
func WrongUsage(cmd *cobra.Command, text string) error {
	return &UsageError{fmt.Sprintf("%s See `%s --help`.", words.Sentence(text), cmd.CommandPath())}
}

// Named is a command as people type it, without the program's name.
func Named(cmd *cobra.Command) string {
	return "`" + strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ") + "`"
}

// UnknownCommand refuses words that name no command, with the nearest that does.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("there is no command %q", words.OneLine(args[0], words.MostQuoted))
	if args[0] == "version" && !cmd.HasParent() {
		return WrongUsage(cmd, text+"; `mac-stats --version` tells it")
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return WrongUsage(cmd, text)
}

// Group is a command that only holds others.
func Group(use, short string, children ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short, Args: UnknownCommand, SuggestionsMinimumDistance: 2}
	g.RunE = func(cmd *cobra.Command, _ []string) error {
		var names []string
		for _, child := range children {
			names = append(names, child.Name())
		}
		return WrongUsage(cmd, "say what to do: "+strings.Join(names, ", "))
	}
	g.AddCommand(children...)
	return g
}

// WithJSON gives a command the flag --json.
func (c *Line) WithJSON(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&c.Out.AsJSON, "json", false, "print one JSON object a line")
	return cmd
}

// NoArgs refuses words behind a command.
func NoArgs(cmd *cobra.Command, args []string) error { return Exactly(0, "no arguments")(cmd, args) }

// Exactly lets so many words stand behind a command; what says which those are.
func Exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := AtLeast(n, what)(cmd, args); err != nil {
			return err
		}
		return AtMost(n, what)(cmd, args)
	}
}

// AtLeast lets so many words or more stand behind a command, as Exactly.
func AtLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return WrongUsage(cmd, Named(cmd)+" needs "+what)
		}
		return nil
	}
}

// AtMost lets so many words or fewer stand behind a command, as Exactly.
func AtMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return WrongUsage(cmd, fmt.Sprintf("%s takes %s; unexpected argument %q", Named(cmd), what, words.OneLine(args[n], words.MostQuoted)))
	}
}
