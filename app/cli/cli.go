// Package cli puts the commands together and decides how each ends.
//
// Each family of commands has a package below: ask, sessions, memory, agents, models,
// schedule, discord, mcp and permissions, doctor. They share cmdline, and words for what
// they print. A new command goes into its family; a new family gets a package and a line in
// newRoot.
//
// stdout gets only the answer or JSON; progress goes to stderr if that is a terminal. Exit
// codes: 0 done, 1 failed (one line on stderr, with the next step), 2 wrong usage, 130
// interrupted, 141 the reader of stdout is gone. Package main calls Run.
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

// Params holds what the commands need.
type Params struct {
	cmdline.Params
	// RunApp starts the tray app; nil in a build without one.
	RunApp func(ctx context.Context, o AppOptions) error
	// Probes is how doctor examines the system; nil means the real system.
	Probes *doctorcmd.Probes
}

// AppOptions holds the flags of the command without a subcommand.
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
	// If stdout's reader goes away, the write fails instead of ending the process, so that
	// the partial answer can be saved first.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)

	work, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := cmdline.New(p.Params, stop)
	if args == nil {
		args = []string{} // cobra would take os.Args for nil
	}
	root := newRoot(c, p, args)
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetErr(p.Stderr)
	return exitCode(ctx, c, root.ExecuteContext(work))
}

// newRoot returns the root command with all subcommands.
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

// completeStrictly makes the completion command refuse unknown shells. It writes to the
// output that root has at this time.
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

// startApp runs the root command.
func startApp(cmd *cobra.Command, run func(context.Context, AppOptions) error, o AppOptions) error {
	if o.Window && o.Headless {
		return cmdline.WrongUsage(cmd, "--headless runs without a window, and --window opens one: give one of them")
	}
	if run == nil {
		return cmdline.Problem("This build has no window.", "Start it with --headless, or use a command: mac-stats --help lists them.")
	}
	err := run(cmd.Context(), o)
	if fault.Explain(err).Kind == fault.KindInternal && !errors.Is(err, config.ErrNoHome) { // its own words are clearest: no display, no window
		return cmdline.Problem(words.Sentence(err.Error()), "")
	}
	return err
}
