// Package toolcmd implements `mac-stats mcp` and `mac-stats permissions`: tools for and from
// other programs, and the permissions that let agents use tools without asking.
//
// mcp without a subcommand serves the memory to another assistant on stdin and stdout;
// app/mcpserver decides what it may ask for. Its subcommands are about the servers in
// mcp.json, which are other people's programs: a new or changed tool is marked. permissions
// lists and revokes the answers "always", "in this chat" and "never"; it grants nothing.
//
// The servers belong to agents/mcpclient, the answers to agents/tools. app/cli calls
// MCPCommand and PermissionsCommand.
package toolcmd

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/config"
	"mac-stats/app/mcpserver"
	"mac-stats/sessionmem/recall"
)

// MCPCommand returns mcp.
func MCPCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "mcp", Short: "Let another assistant search your memory, and manage MCP servers", Args: cmdline.UnknownCommand, SuggestionsMinimumDistance: 2,
		Long: `mcp serves your memory to another assistant through the Model Context Protocol on
stdin and stdout. That assistant starts it. It can search your conversations, list what
is remembered and read the vitals. A line that it wants remembered waits in the inbox
for you. The settings under [mcp] say what it may ask for. It gets nothing from Discord
unless mcp.discord is true.

Add it to the assistant's mcp.json:

  {"mcpServers": {"mac-stats": {"command": "mac-stats", "args": ["mcp"]}}}

Conversely, your agents can use the tools of other programs: list their servers in
~/.mac-stats/mcp.json, in the same form. The commands below manage those servers.`,
	}
	cmd.AddCommand(serversCommand(c), testCommand(c), loginCommand(c), switchCommand(c, true), switchCommand(c, false))
	cmd.RunE = c.OnBackend(func(ctx context.Context, b *backend.Backend, _ []string) error {
		return serveMCP(ctx, c, b)
	})
	return cmd
}

func serveMCP(ctx context.Context, c *cmdline.Line, b *backend.Backend) error {
	err := mcpserver.Serve(ctx, mcpserver.Params{
		Version: c.Version,
		Settings: func() config.MCP {
			b.Reread()
			return b.Config().MCP
		},
		Search: func(ctx context.Context, q recall.Query) (recall.Answer, error) {
			index, err := b.Index.Recall()
			if err != nil {
				return recall.Answer{}, err
			}
			answer, err := index.Search(ctx, q)
			if err != nil || answer.State.Behind == 0 && !answer.State.Building || c.AppWorks(ctx, b) {
				return answer, err
			}
			if _, err := index.Sync(ctx); err != nil { // nobody else updates it
				return answer, nil //nolint:nilerr // the answer says how far it is behind
			}
			return index.Search(ctx, q)
		},
		Memory:   b.Memory,
		Stats:    b.Stats,
		Proposed: func() { c.Changed(b, "") },
		Logger:   b.Logger,
	}, c.Stdin, c.Out)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || err != nil && strings.Contains(err.Error(), "invalid character") {
		return cmdline.Problem("What came on stdin is not the Model Context Protocol.",
			"Let your assistant start mac-stats: `mac-stats mcp --help` shows how.")
	}
	return err
}
