package toolcmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mac-stats/agents/tools"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
)

// permissionLine is a line of `permissions list --json` and of revoked permissions.
type permissionLine struct {
	Type     string `json:"type"` // permission
	ID       string `json:"id"`   // for revoke
	Agent    string `json:"agent"`
	Tool     string `json:"tool"`
	Covers   string `json:"covers"` // the program or host it is limited to; "" means any argument
	Answer   string `json:"answer"` // always, chat or never
	Session  string `json:"session"`
	Schedule string `json:"schedule"`
	Time     string `json:"time"`
}

// revokedLine is the line of `permissions revoke --json` and `permissions clear --json`.
type revokedLine struct {
	Permissions int    `json:"permissions"` // their number
	Type        string `json:"type"`        // revoked
}

// PermissionsCommand returns permissions.
func PermissionsCommand(c *cmdline.Line) *cobra.Command {
	group := c.ListGroup("permissions", "Show and revoke what your agents may do without asking",
		"List what is allowed and what is never allowed, the oldest first", listPermissions(c), revokeCommand(c), clearCommand(c))
	group.Long = `A tool that acts outside mac-stats asks before it runs. The answers always, in this
chat and never are kept in permissions.toml, which you can edit. Without a command,
permissions lists them.`
	return group
}

func listPermissions(c *cmdline.Line) func(*cobra.Command, []string) error {
	return c.OnBackend(func(_ context.Context, b *backend.Backend, _ []string) error {
		list, err := b.Outside.Answers.List()
		if err != nil {
			return unreadablePermissions(err)
		}
		lines := c.Out.NewList("ID", "AGENT", "TOOL", "ANSWER", "WHERE", "SINCE")
		for _, p := range list {
			where := p.Session
			if p.Schedule != "" {
				where = "schedule " + p.Schedule
			}
			line := permissionLine{
				Type: "permission", ID: p.ID(), Agent: p.Agent, Tool: p.Tool, Covers: p.Covers, Answer: string(p.Answer),
				Session: p.Session, Schedule: p.Schedule, Time: words.Stamp(p.Time),
			}
			lines.Add(line, p.ID(), p.Agent, p.Tool+" "+p.Covers, string(p.Answer), where, words.When(p.Time))
		}
		return lines.End("Nothing is allowed for good: tools that act outside mac-stats ask each time.\n")
	})
}

func unreadablePermissions(err error) error {
	return cmdline.ProblemOf(err, "Nothing is allowed until it is put right.")
}

func revokeCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{Use: "revoke ID", Short: "Revoke one: you are asked again", Args: cmdline.Exactly(1, "one ID; `permissions list` shows them")}
	c.WithJSON(cmd)
	cmd.RunE = c.OnBackend(func(_ context.Context, b *backend.Backend, args []string) error {
		switch err := b.Outside.Answers.Revoke(args[0]); {
		case errors.Is(err, tools.ErrNoPermission):
			return cmdline.Problem("There is no permission "+words.OneLine(args[0], words.MostQuoted)+".", "`mac-stats permissions list` shows their IDs.")
		case err != nil:
			return unreadablePermissions(err)
		}
		return c.Out.Print(revokedLine{1, "revoked"}, "Revoked; you are asked again.\n")
	})
	return cmd
}

func clearCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "clear", Short: "Revoke all of them", Args: cmdline.NoArgs,
		RunE: c.OnBackend(func(_ context.Context, b *backend.Backend, _ []string) error {
			n, err := b.Outside.Answers.Clear()
			if err != nil {
				return unreadablePermissions(err)
			}
			return c.Out.Print(revokedLine{n, "revoked"}, fmt.Sprintf("Revoked %s.\n", words.Count(n, "permission")))
		}),
	})
}
