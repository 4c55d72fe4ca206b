package toolpage

// errorTexts returns the texts of errors about servers and their files, in the words of packages
// mcpclient and tools.
func errorTexts() []string {
	return []string{
		"the MCP server {{.Server}} doesn't start: {{.Why}}",
		"the MCP server {{.Server}} is being started: {{.Why}}",
		"it sent more than {{.Limit}} MB and was ended",
		"it didn't answer in time",
		"it ended by itself",
		"it ended with {{.Text}}; more may be in {{.File}}",
		"it ended without a word; try its command in a terminal: {{.Command}}",
		"{{.Program}} isn't installed or not in PATH",
		"{{.Server}} is disabled in mcp.json",
		"{{.Server}} was changed in mcp.json, or mac-stats is quitting",
		"mcp.json has no such server",
		"read mcp.json: {{.Why}}; correct the file first",
		"read mcp.json: {{.Why}}",
		"read permissions.toml: {{.Why}}; correct the file, or move it away",
		"read permissions.toml: {{.Why}}",
		"entry {{.Number}} is incomplete: it needs agent, tool and an answer: always, never, or chat with a session",
		"there is no such permission",
		"it needs either a command or a url, not both",
		"url {{.Address}} is not an http or https address",
		"it has a ${input:…}, which VS Code asks for; write the value itself, or ${NAME} for a variable of the environment",
		"{{.Field}} in line {{.Line}} must be text",
		"{{.Field}} in line {{.Line}} must be text, or a list of texts",
		"{{.Field}} in line {{.Line}} must be a list of texts",
		"{{.Field}} in line {{.Line}} must be names and texts, in braces",
		"{{.Field}} in line {{.Line}} must be true or false",
		"{{.Field}} in line {{.Line}} must be an object, in braces",
		"it must be an object, in braces, in line {{.Line}}",
		"type sse is the old transport, which isn't supported; use the server's streamable HTTP address",
		"its name looks like that of {{.Server}}; call it something else",
		"a server's name can have up to 32 characters: letters (a to z), digits, - and _; {{.Name}} has others",
		"{{.Name}} can't be a server's name: models put it before other tools; call it something else",
		"{{.Server}} can't be used: {{.Why}}",
		"mcp.json has a server {{.Server}} already; call this one something else, or edit the file",
		"it isn't JSON ({{.Why}}); paste all of it, from { to }",
		`it contains no server; paste all of it, such as {"mcpServers": {"files": {"command": "npx", "args": ["…"]}}}`,
		`the server has no name; write one before it: {"files": {"command": …}}`,
		"{{.Server}} is a program on this machine: there is nothing to sign in to",
		"there is no keychain to keep the token in (a data folder that MAC_STATS_HOME names uses none), so nobody can sign in here; put a token into the server's headers in mcp.json",
		"the sign-in was refused: {{.Why}}",
		"the server's sign-in page is not an https address",
		"the sign-in couldn't be renewed; try again later: {{.Why}}",
	}
}

// Texts returns the texts that the page translates without spelling them out.
func Texts() []string { return errorTexts() }
