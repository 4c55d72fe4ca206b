package backend

import (
	"cmp"
	"context"
	"path/filepath"

	"mac-stats/agents/command"
	"mac-stats/agents/mcpclient"
	"mac-stats/agents/tools"
	"mac-stats/app/config"
	"mac-stats/app/discord/token"
	"mac-stats/app/osopen"
)

// openOutside opens what acts outside the app: the tools of other programs. It starts
// none of them.
func (b *Backend) openOutside() {
	b.Answers = tools.OpenAnswers(filepath.Join(b.Paths.Home, "permissions.toml"))
	p := mcpclient.Params{
		File: filepath.Join(b.Paths.Home, "mcp.json"), State: filepath.Join(b.Paths.Home, "mcp-tools.json"), Logs: filepath.Join(b.Paths.Home, "logs"),
		Environ: b.environ, Version: b.Version, Logger: b.Logger,
		Browse: func(address string) {
			if err := osopen.Open(b.ctx, address); err != nil {
				b.Logger.Warn("the sign-in page can't be opened", "error", err)
			}
		},
	}
	if k := token.NewKeychain(lookup(b.environ)); k != nil {
		p.Tokens = mcpTokens{k}
	}
	b.MCP = mcpclient.New(p)
	b.command = command.New(command.Params{Settings: b.commandSettings, Data: b.Paths.Home, Environ: b.environ})
	b.closers = append(b.closers, b.MCP.Close)
}

// outside are the tools that act outside the app, as they are now.
func (b *Backend) outside(ctx context.Context) []tools.Guarded {
	list := b.MCP.Tools(ctx)
	if b.Config().Tools.Commands {
		list = append(list, b.command)
	}
	return list
}

func (b *Backend) commandSettings() command.Settings {
	cfg := b.Config().Tools
	return command.Settings{Folder: b.commandFolder(cfg.CommandFolder), Time: cfg.CommandTime, Network: cfg.CommandNetwork}
}

// commandFolder is the folder that programs run in: the one that a person named, or else
// one in the data folder.
func (b *Backend) commandFolder(named string) string {
	return cmp.Or(config.Expand(named, lookup(b.environ)), filepath.Join(b.Paths.Home, "work"))
}

// stamp is that of a tool's description as it is now: a permission given beforehand is
// for that.
func (b *Backend) stamp(tool string) string {
	for _, t := range b.MCP.Tools(b.ctx) {
		if t.Name() == tool {
			return t.(interface{ Stamp() string }).Stamp()
		}
	}
	return ""
}

// mcpTokens keeps the tokens of MCP servers in the system's keychain.
type mcpTokens struct{ keychain token.Keychain }

func (m mcpTokens) Get(server string) (string, error) {
	return m.keychain.Get("mac-stats", "mcp-"+server)
}

func (m mcpTokens) Set(server, secret string) error {
	return m.keychain.Set("mac-stats", "mcp-"+server, secret)
}
