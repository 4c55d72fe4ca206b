package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mac-stats/agents/tools"
	"mac-stats/app/backend"
)

// permissionLine is a line of `permissions list --json`, and of what was revoked.
type permissionLine struct {
	Type     string `json:"type"` // permission
	ID       string `json:"id"`   // for revoke
	Agent    string `json:"agent"`
	Tool     string `json:"tool"`
	Covers   string `json:"covers"` // the program or host it is limited to; "" any argument
	Answer   string `json:"answer"` // always, chat or never
	Session  string `json:"session"`
	Schedule string `json:"schedule"`
	Time     string `json:"time"`
}

func (c *commands) permissionsCommand() *cobra.Command {
	group := c.group("permissions", "Show what your agents may do without asking, and take it back", c.permissionsList(), c.permissionsRevoke(), c.permissionsClear())
	group.Long = `A tool that acts outside mac-stats asks before it runs. What you answer with always,
in this chat or never is kept in permissions.toml, a file that is yours to edit.
Without a word more, permissions lists it.`
	asJSON := jsonFlag(group)
	group.RunE = c.guard(func(cmd *cobra.Command, _ []string) error { return c.listPermissions(cmd, *asJSON) })
	return group
}

func (c *commands) permissionsList() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List what is allowed and what never, the oldest first", Args: exact(0, "no arguments")}
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error { return c.listPermissions(cmd, *asJSON) })
	return cmd
}

func (c *commands) listPermissions(cmd *cobra.Command, asJSON bool) error {
	return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
		list, err := b.Answers.List()
		switch {
		case err != nil:
			return unreadablePermissions(err)
		case asJSON:
			for _, p := range list {
				if err := c.out.json(newPermissionLine(p)); err != nil {
					return err
				}
			}
			return nil
		case len(list) == 0:
			return c.out.text("Nothing is allowed for good: tools that act outside mac-stats ask each time.\n")
		}
		rows := [][]string{{"ID", "AGENT", "TOOL", "ANSWER", "WHERE", "SINCE"}}
		for _, p := range list {
			where := p.Session
			if p.Schedule != "" {
				where = "schedule " + p.Schedule
			}
			rows = append(rows, []string{p.ID(), p.Agent, p.Tool + " " + p.Covers, string(p.Answer), where, when(p.Time)})
		}
		return c.out.table(rows)
	})
}

func newPermissionLine(p tools.Permission) permissionLine {
	return permissionLine{
		Type: "permission", ID: p.ID(), Agent: p.Agent, Tool: p.Tool, Covers: p.Covers, Answer: string(p.Answer),
		Session: p.Session, Schedule: p.Schedule, Time: stamp(p.Time),
	}
}

func unreadablePermissions(err error) error {
	return &plainError{sentence(err.Error()), "Nothing is allowed until it is put right."}
}

func (c *commands) permissionsRevoke() *cobra.Command {
	cmd := &cobra.Command{Use: "revoke ID", Short: "Take one back: you are asked again", Args: exact(1, "one ID; `permissions list` shows them")}
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, args []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			switch err := b.Answers.Revoke(args[0]); {
			case errors.Is(err, tools.ErrNoPermission):
				return &plainError{"There is no permission " + oneLine(args[0], mostQuoted) + ".", "`mac-stats permissions list` shows their IDs."}
			case err != nil:
				return unreadablePermissions(err)
			case *asJSON:
				return c.out.json(map[string]any{"type": "revoked", "permissions": 1})
			}
			return c.out.text("Revoked; you are asked again.\n")
		})
	})
	return cmd
}

func (c *commands) permissionsClear() *cobra.Command {
	cmd := &cobra.Command{Use: "clear", Short: "Take all of them back", Args: exact(0, "no arguments")}
	asJSON := jsonFlag(cmd)
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error {
			n, err := b.Answers.Clear()
			switch {
			case err != nil:
				return unreadablePermissions(err)
			case *asJSON:
				return c.out.json(map[string]any{"type": "revoked", "permissions": n})
			}
			return c.out.text(fmt.Sprintf("Revoked %s.\n", count(n, "permission")))
		})
	})
	return cmd
}
