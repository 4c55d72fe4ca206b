package cmdline

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/app/cli/words"
)

// UsageError is an error in the command line.
type UsageError struct{ text string }

func (e *UsageError) Error() string { return e.text }

// WrongUsage returns the error of a wrong command line: what is wrong and where to find help.
func WrongUsage(cmd *cobra.Command, text string) error {
	return &UsageError{fmt.Sprintf("%s See `%s --help`.", words.Sentence(text), cmd.CommandPath())}
}

// Named returns a command as people type it, without the program's name.
func Named(cmd *cobra.Command) string {
	return "`" + strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ") + "`"
}

// UnknownCommand refuses words that name no command and suggests the nearest one.
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

// Group returns a command that only has subcommands.
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

// ListGroup is Group for a command that lists, like its first subcommand, list; short
// describes that one.
func (c *Line) ListGroup(use, about, short string, list func(*cobra.Command, []string) error, children ...*cobra.Command) *cobra.Command {
	first := c.WithJSON(&cobra.Command{Use: "list", Short: short, Args: NoArgs, RunE: list})
	g := c.WithJSON(Group(use, about, append([]*cobra.Command{first}, children...)...))
	g.RunE = list
	return g
}

// WithJSON adds the flag --json to a command.
func (c *Line) WithJSON(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&c.Out.AsJSON, "json", false, "print one JSON object a line")
	return cmd
}

// NoArgs refuses arguments.
func NoArgs(cmd *cobra.Command, args []string) error { return Exactly(0, "no arguments")(cmd, args) }

// Exactly requires n arguments; what describes them.
func Exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := AtLeast(n, what)(cmd, args); err != nil {
			return err
		}
		return AtMost(n, what)(cmd, args)
	}
}

// AtLeast requires n or more arguments; see Exactly.
func AtLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return WrongUsage(cmd, Named(cmd)+" needs "+what)
		}
		return nil
	}
}

// AtMost allows up to n arguments; see Exactly.
func AtMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return WrongUsage(cmd, fmt.Sprintf("%s takes %s; unexpected argument %q", Named(cmd), what, words.OneLine(args[n], words.MostQuoted)))
	}
}
