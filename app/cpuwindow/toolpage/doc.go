// Package toolpage is the page of what agents may do besides talking: the permissions that a
// person gave for more than one call, the MCP servers with their state, tools and log, and
// whether agents may run programs.
//
// Everything is in files that people may edit as well: permissions.toml, mcp.json and
// config.toml. While the page is on the screen it checks the servers every second; a sheet
// being filled in isn't touched. Nothing here decides whether a call may run. Files and
// servers are used off the UI goroutine.
package toolpage
