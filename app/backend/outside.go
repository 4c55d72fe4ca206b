package backend

import (
	"path/filepath"

	"mac-stats/agents/mcpclient"
	"mac-stats/agents/tools"
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
	b.closers = append(b.closers, b.MCP.Close)
}

// mcpTokens keeps the tokens of MCP servers in the system's keychain.
type mcpTokens struct{ keychain token.Keychain }

func (m mcpTokens) Get(server string) (string, error) {
	return m.keychain.Get("mac-stats", "mcp-"+server)
}

func (m mcpTokens) Set(server, secret string) error {
	return m.keychain.Set("mac-stats", "mcp-"+server, secret)
}
