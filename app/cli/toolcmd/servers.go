package toolcmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"mac-stats/agents/mcpclient"
	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
)

// mcpServerLine is a line of `mcp list --json`.
type mcpServerLine struct {
	Type  string     `json:"type"`  // server
	Name  string     `json:"name"`  // as in mcp.json
	Where string     `json:"where"` // the command, or the address
	State string     `json:"state"` // off, idle, running or failed
	Error string     `json:"error"` // why it can't be used
	Log   string     `json:"log"`   // what a program wrote to stderr
	Tools []toolLine `json:"tools"`
	Left  []string   `json:"left"` // what is missing from tools, or not right with the server
}

type toolLine struct {
	Name        string `json:"name"` // server.tool
	Description string `json:"description"`
	Changed     string `json:"changed"` // the server's new description, if it changed
	On          bool   `json:"on"`
}

func serversCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "list", Short: "List the servers of mcp.json and the tools last seen on them", Args: cmdline.NoArgs,
		RunE: c.OnBackend(func(_ context.Context, b *backend.Backend, _ []string) error {
			return printServers(c, b, "")
		}),
	})
}

func testCommand(c *cmdline.Line) *cobra.Command {
	return c.WithJSON(&cobra.Command{
		Use: "test NAME", Short: "Start a server and list its tools", Args: cmdline.Exactly(1, "one server's NAME; `mcp list` shows them"),
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
			if err := b.Outside.MCP.Test(ctx, args[0]); err != nil {
				return serverProblem(args[0], err)
			}
			return printServers(c, b, args[0])
		}),
	})
}

func loginCommand(c *cmdline.Line) *cobra.Command {
	return &cobra.Command{
		Use: "login NAME", Short: "Sign in to a server on the web, in your browser", Args: cmdline.Exactly(1, "one server's NAME; `mcp list` shows them"),
		Long: "login opens the server's page in your browser and waits until you have signed in.\nThe token is kept in the system's keychain.",
		RunE: c.OnBackend(func(ctx context.Context, b *backend.Backend, args []string) error {
			if err := b.Outside.MCP.SignIn(ctx, args[0]); err != nil {
				return serverProblem(args[0], err)
			}
			return c.Out.Text("Signed in to " + args[0] + ".\n")
		}),
	}
}

func switchCommand(c *cmdline.Line, on bool) *cobra.Command {
	use, short, said := "off TOOL", "Switch a tool off: agents don't see it", " is off.\n"
	if on {
		use, short, said = "on TOOL", "Switch a tool on again", " is on.\n"
	}
	return &cobra.Command{
		Use: use, Short: short, Args: cmdline.Exactly(1, "one TOOL, such as files.read_file; `mcp list` shows them"),
		RunE: c.OnBackend(func(_ context.Context, b *backend.Backend, args []string) error {
			if err := b.Outside.MCP.Switch(args[0], on); err != nil {
				return serverProblem(args[0], err)
			}
			return c.Out.Text(words.OneLine(args[0], words.MostQuoted) + said)
		}),
	}
}

// serverProblem words an error about a server.
func serverProblem(name string, err error) error {
	if errors.Is(err, mcpclient.ErrNoServer) {
		return cmdline.Problem("mcp.json has no server for "+words.OneLine(name, words.MostQuoted)+".", "`mac-stats mcp list` shows those it has.")
	}
	return cmdline.ProblemOf(err, "")
}

// printServers prints all servers, or the one with this name.
func printServers(c *cmdline.Line, b *backend.Backend, name string) error {
	list, err := b.Outside.MCP.Servers()
	if err != nil {
		return cmdline.ProblemOf(err, "Put "+b.Outside.MCP.File()+" right.")
	}
	lines := c.Out.NewList("NAME", "STATE", "WHERE OR WHAT")
	for _, s := range list {
		if name != "" && s.Name != name {
			continue
		}
		line := mcpServerLine{Type: "server", Name: s.Name, Where: s.Where, State: string(s.State), Log: s.Log, Tools: []toolLine{}, Left: append([]string{}, s.Left...)}
		about := s.Where
		if s.Err != nil {
			line.Error = s.Err.Error()
			about = words.OneLine(line.Error, 160)
		}
		for _, t := range s.Tools {
			line.Tools = append(line.Tools, toolLine(t))
		}
		lines.Add(line, s.Name, line.State, about)
		for _, t := range line.Tools {
			state := "on"
			if !t.On {
				state = "off"
			}
			if t.Changed != "" {
				state += ", changed"
			}
			lines.AddRow("  "+t.Name, state, words.OneLine(t.Description, 100))
		}
		for _, left := range line.Left {
			lines.AddRow("  left out", "", words.OneLine(left, 160))
		}
	}
	return lines.End("There are no servers: name them in " + b.Outside.MCP.File() + ", as `mac-stats mcp --help` shows.\n")
}
