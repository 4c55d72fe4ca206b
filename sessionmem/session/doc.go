// Package session reads and writes single sessions: blocks go into a session's files with one
// write and one fsync, and come back as the context of the next turn.
//
// A Folder holds the sessions of one folder. A Session knows what is in its files (files.go), the
// place of each block (index, fold), what waits for the disk (waiting.go) and what an editor's
// save took out (package journal). Package sessionmem calls it and hands out sessions.
//
// Rules:
//   - Everything a Session knows can be read again from its files, and is as soon as they
//     change: whoever saves a transcript by hand decides what is in it.
//   - Exported methods take the session's lock; the methods of state work under it. The lock
//     is never taken from outside. Both types have more methods than others because every one
//     works on the same state under this one lock; Summaries, Removals and Moves group what
//     belongs to one subject.
//   - A session has two lock files: one for each append, one for a whole turn. The transcript
//     itself is never locked: editors save by rename.
//   - It knows no lists, no trash and no age rules: those belong to the store.
package session
