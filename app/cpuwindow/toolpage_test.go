package cpuwindow

import (
	"os"
	"path/filepath"

	"mac-stats/agents/mcpclient"
	"mac-stats/agents/tools"
	"mac-stats/app/cpuwindow/toolpage"
)

// toolParts returns the parts of the page in a folder.
func toolParts(home string) toolpage.Parts {
	servers := mcpclient.New(mcpclient.Params{File: filepath.Join(home, "mcp.json"), State: filepath.Join(home, "mcp-tools.json"), Logs: home})
	return toolpage.Parts{Allowed: tools.OpenAnswers(filepath.Join(home, "permissions.toml")), Servers: servers}
}

// onTools shows the page with one permission and one server.
func (b *bench) onTools() {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.home, "mcp.json"), []byte(`{"mcpServers": {"files": {"command": "no-such-program"}}}`), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if err := b.parts.tools.Allowed.(*tools.Answers).Keep(tools.Permission{Agent: "coder", Tool: tools.RunCmd, Covers: "git", Answer: tools.AnswerAlways}, false); err != nil {
		b.t.Fatal(err)
	}
	b.w.goToPage(pageTools)
	b.Settle()
}
