package cli

import (
	"github.com/spf13/cobra"

	"mac-stats/app/cli/cmdline"
)

// takesDemo reports whether --demo makes sense with a command.
func takesDemo(cmd *cobra.Command) bool {
	switch cmd.CommandPath() {
	case "mac-stats", "mac-stats ask", "mac-stats doctor", "mac-stats agents list", "mac-stats agents show", "mac-stats models list":
		return true
	}
	return false
}

// checkDemo refuses --demo where it would only mislead.
func checkDemo(c *cmdline.Line, cmd *cobra.Command) error {
	switch {
	case !c.Demo || takesDemo(cmd):
		return nil
	case cmd.CommandPath() == "mac-stats agents test":
		return cmdline.WrongUsage(cmd, "the demo has no model to test an agent with: its script answers the same whatever the agent's files say")
	}
	return cmdline.WrongUsage(cmd, cmdline.Named(cmd)+" does nothing with --demo: the demo's data folder is a temporary one that is removed at the end")
}

// hideDemo removes --demo from the help of commands that refuse it.
func hideDemo(root *cobra.Command) {
	flag := root.PersistentFlags().Lookup("demo")
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		flag.Hidden = !takesDemo(cmd)
		help(cmd, args)
	})
}
