// Package cli is the table of commands, and how each ends.
//
// A line of it is a family of commands in a package below: ask, sessions, memory, agents,
// models, schedule, discord, mcp and permissions, doctor. What they share is in cmdline,
// the words they print in words. A new command goes into its family; a new family gets a
// package and a line in newRoot.
//
// stdout holds the answer or JSON alone; states go to stderr when it is a
// terminal. Exit 0 done, 1 failed (one line on stderr, with the next step), 2
// wrong usage, 130 interrupted, 141 the reader of stdout has gone. Package main calls Run.
package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"mac-stats/agents/fault"
	"mac-stats/app/cli/agentcmd"
	"mac-stats/app/cli/askcmd"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/discordcmd"
	"mac-stats/app/cli/doctorcmd"
	"mac-stats/app/cli/memorycmd"
	"mac-stats/app/cli/modelcmd"
	"mac-stats/app/cli/schedulecmd"
	"mac-stats/app/cli/sessioncmd"
	"mac-stats/app/cli/toolcmd"
	"mac-stats/app/cli/words"
	"mac-stats/app/config"
)

// Params is what the commands need.
type Params struct {
	cmdline.Params
	// RunApp starts the tray app; nil in a build that has none.
	RunApp func(ctx context.Context, o AppOptions) error
	// Probes is what doctor asks the system; the real one where nil.
	Probes *doctorcmd.Probes
}

// AppOptions are the flags of the plain command.
type AppOptions struct {
	Window   bool
	Demo     bool
	Headless bool
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
	c := cmdline.New(p.Params, stop)
	if args == nil {
		args = []string{} // nil would mean os.Args
	}
	root := newRoot(c, p, args)
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetErr(p.Stderr)
	return exitCode(ctx, c, root.ExecuteContext(work))
}

// newRoot is the plain command, with all the others below it.
func newRoot(c *cmdline.Line, p Params, args []string) *cobra.Command {
	var o AppOptions
	root := &cobra.Command{
		Use:   "mac-stats",
		Short: "A menu-bar app: the machine's vitals and a chat with a team of agents on your own Ollama server",
		Long: `Without a command, mac-stats starts the menu-bar app. A second start shows the
window of the first. The commands work whether the app runs or not: they use the
same files under ~/.mac-stats (MAC_STATS_HOME moves them).`,
		Example: `  mac-stats                              start the app
  mac-stats --demo                       try it without a model
  mac-stats ask "why is my fan loud?"    one question, answered here
  mac-stats doctor                       what is wrong, and the fix`,
		Version:       p.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cmdline.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Demo = c.Demo
			return startApp(cmd, p.RunApp, o)
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, args, err) })
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return checkDemo(c, cmd) }
	flags := root.Flags()
	flags.BoolVar(&o.Window, "window", false, "open the window at the start")
	flags.BoolVar(&o.Headless, "headless", false, "run without a screen")
	root.PersistentFlags().BoolVar(&c.Demo, "demo", false, "talk to the built-in scripted server, in a temporary data folder")
	root.AddCommand(
		askcmd.Command(c),
		sessioncmd.Command(c),
		memorycmd.Command(c),
		agentcmd.Command(c),
		modelcmd.Command(c),
		schedulecmd.Command(c),
		discordcmd.Command(c),
		toolcmd.MCPCommand(c),
		toolcmd.PermissionsCommand(c),
		doctorcmd.Command(c, p.Probes),
	)
	markFailures(root)
	root.SetOut(c.Out)
	completeStrictly(root)
	hideDemo(root)
	return root
}

// completeStrictly makes the completion command refuse shells it does not know. Its
// output is that of the root when it is made.
func completeStrictly(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Args = cmdline.UnknownCommand
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			return cmdline.WrongUsage(cmd, "name a shell: bash, zsh, fish, powershell")
		}
	}
}

// startApp is the plain command.
func startApp(cmd *cobra.Command, run func(context.Context, AppOptions) error, o AppOptions) error {
	if o.Window && o.Headless {
		return cmdline.WrongUsage(cmd, "--headless runs without a window, and --window opens one: give one of them")
	}
	if run == nil {
		return cmdline.Problem("This build has no window.", "Start it with --headless, or use a command: mac-stats --help lists them.")
	}
	err := run(cmd.Context(), o)
	if fault.Explain(err).Kind == fault.KindInternal && !errors.Is(err, config.ErrNoHome) { // its own words say it best: no display, no window
		return cmdline.Problem(words.Sentence(err.Error()), "")
	}
	return err
}
