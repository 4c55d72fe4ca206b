package backend

import (
	"context"
	"path/filepath"

	"mac-stats/agents/command"
	"mac-stats/agents/mcpclient"
	"mac-stats/agents/tools"
	"mac-stats/app/osopen"
	"mac-stats/app/secret"
)

// openOutside prepares the tools that act outside the app, and starts none of them.
func (b *Backend) openOutside() {
	p := mcpclient.Params{
		File: filepath.Join(b.Paths.Home, "mcp.json"), State: filepath.Join(b.Paths.Home, "mcp-tools.json"), Logs: filepath.Join(b.Paths.Home, "logs"),
		Environ: b.environ, Version: b.Version, Logger: b.Logger,
		Browse: func(address string) {
			if err := osopen.Open(b.ctx, address); err != nil {
				b.Logger.Warn("the sign-in page can't be opened", "error", err)
			}
		},
	}
	if k := secret.NewKeychain(lookup(b.environ)); k != nil {
		p.Tokens = mcpTokens{k}
	}
	b.Outside = &Outside{app: b.base, MCP: mcpclient.New(p), Answers: tools.OpenAnswers(filepath.Join(b.Paths.Home, "permissions.toml"))}
	b.Outside.command = command.New(command.Params{Settings: b.Outside.settings, Data: b.Paths.Home, Environ: b.environ})
	b.closers = append(b.closers, b.Outside.MCP.Close)
}

// Outside holds the tools that act outside the app, and the permissions for them.
type Outside struct {
	Answers *tools.Answers    // what was allowed for longer than one call
	MCP     *mcpclient.Client // the tools of other programs

	app     *base
	command *command.Tool
}

// all returns the tools that are currently available, and what is missing. Without waiting,
// it starts no MCP server.
func (ot *Outside) all(ctx context.Context, waiting func(server string)) (list []tools.Guarded, missing []string) {
	if waiting == nil && !ot.MCP.Known() {
		return nil, []string{"An MCP server isn't started yet."}
	}
	list, missing = ot.MCP.Tools(ctx, waiting)
	if ot.app.Config().Tools.Commands {
		list = append(list, ot.command)
	}
	return list, missing
}

func (ot *Outside) settings() command.Settings {
	cfg := ot.app.Config().Tools
	return command.Settings{Folder: ot.app.commandFolder(cfg.CommandFolder), Time: cfg.CommandTime, Network: cfg.CommandNetwork}
}

// stamp returns the stamp of a tool's current description, which a permission given in
// advance is tied to.
func (ot *Outside) stamp(tool string) string {
	list, _ := ot.MCP.Tools(ot.app.ctx, nil)
	for _, t := range list {
		if t.Doc().Name == tool {
			return t.(interface{ Stamp() string }).Stamp()
		}
	}
	return ""
}

// mcpTokens keeps the tokens of MCP servers in the system's keychain.
type mcpTokens struct{ keychain secret.Keychain }

func (m mcpTokens) Get(server string) (string, error) {
	return m.keychain.Get("mac-stats", "mcp-"+server)
}

func (m mcpTokens) Set(server, secret string) error {
	return m.keychain.Set("mac-stats", "mcp-"+server, secret)
}
