package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/config"
	"mac-stats/app/mcpserver"
	"mac-stats/sessionmem/recall"
)

func (c *commands) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "mcp", Short: "Let another assistant search your memory; and the tools of other programs", Args: unknownCommand, SuggestionsMinimumDistance: 2,
		Long: `mcp serves your memory to another assistant by the Model Context Protocol on stdin
and stdout; that assistant starts it. It can search what was said, list what is
remembered and read the vitals. A line it wants remembered waits in the inbox for
you. The settings under [mcp] say what it may ask for; nothing from Discord is given
unless mcp.discord is true.

Add it to the assistant's mcp.json:

  {"mcpServers": {"mac-stats": {"command": "mac-stats", "args": ["mcp"]}}}

The other way round, your agents can use the tools of other programs: name their
servers in ~/.mac-stats/mcp.json, in the same form. The commands below are about those.`,
	}
	cmd.AddCommand(c.mcpList(), c.mcpTest(), c.mcpLogin(), c.mcpSwitch(true), c.mcpSwitch(false))
	cmd.RunE = c.guard(func(cmd *cobra.Command, _ []string) error {
		return c.withBackend(cmd.Context(), func(b *backend.Backend) error { return c.serveMCP(cmd.Context(), b) })
	})
	return cmd
}

func (c *commands) serveMCP(ctx context.Context, b *backend.Backend) error {
	err := mcpserver.Serve(ctx, mcpserver.Params{
		Version: c.version(),
		Settings: func() config.MCP {
			b.Reread()
			return b.Config().MCP
		},
		Search: func(ctx context.Context, q recall.Query) (recall.Answer, error) {
			index, err := b.Recall()
			if err != nil {
				return recall.Answer{}, err
			}
			answer, err := index.Search(ctx, q)
			if err != nil || answer.State.Behind == 0 && !answer.State.Building || c.appRuns(ctx, b) {
				return answer, err
			}
			if _, err := index.Sync(ctx); err != nil { // nobody else brings it up to date
				return answer, nil //nolint:nilerr // it says how far it is behind
			}
			return index.Search(ctx, q)
		},
		Memory:   b.Memory,
		Stats:    b.Stats,
		Proposed: func() { c.poke(b, "") },
		Logger:   b.Logger,
	}, c.p.Stdin, c.out)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || err != nil && strings.Contains(err.Error(), "invalid character") {
		return &plainError{"What came on stdin is not the Model Context Protocol.", "Let your assistant start mac-stats: `mac-stats mcp --help` shows how."}
	}
	return err
}
