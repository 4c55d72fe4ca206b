// Package toolpage is the page of what agents may do beside talking: what the person
// allowed for longer than a call, the servers of other programs' tools with their state,
// tools and log, and whether agents may run programs.
//
// All of it is in files that people may edit as well: permissions.toml, mcp.json and
// config.toml. While the page is on the screen it looks each second how the servers are;
// a sheet that is being filled in stays as it is meanwhile. Nothing here decides whether
// a call may run. Files and servers are worked on off the UI goroutine.
package toolpage
