// Package session reads and writes single sessions: blocks go into a session's files with one
// write and one fsync, and come back as the context of the next turn.
//
// A Folder holds the sessions of one folder. A Session knows what is in its files (files.go),
// the position of each block (blocks.go, package branch), what waits for the disk (waiting.go)
// and what an editor's save removed (package journal). Package sessionmem calls it and hands
// out sessions.
//
// Rules:
//   - Everything a Session knows can be read again from its files, and is read again as soon
//     as they change: whoever saves a transcript by hand decides what is in it.
//   - Exported methods take the session's lock; the methods of state work under it. The lock
//     is never taken from outside. Session and state have about forty methods each, because
//     all of them work on the same state under this one lock; the types Summaries, Removals
//     and Moves group the methods of one subject.
//   - A session has two lock files: one for each append, one for a whole turn. The transcript
//     itself is never locked: editors save by rename.
//   - It knows no lists, no trash and no age rules: those belong to the store.
package session
