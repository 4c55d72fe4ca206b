// Package session reads and writes single sessions: what is said in one goes into its files
// by one write and one fsync, and comes back as the context of the next turn.
//
// A Folder is the sessions of one folder; a Session knows what is in its files (files.go), the
// place of each block (index, fold), what waits for the disk (waiting.go) and what an editor's
// save took out (journal.go). Package sessionmem is its caller, and gives callers sessions.
//
// Rules:
//   - Everything a Session knows can be read anew from its files, and is, as soon as they
//     change: whoever saves a transcript by hand decides what is in it.
//   - Exported methods take the session's lock, and no other method does: state is what
//     they work on. The lock is never taken from outside.
//   - Two lock files a session: one for each append, one for a whole turn. The transcript
//     itself is never locked: editors save by rename.
//   - It knows no lists, no trash and no rules of age: those are the store's.
package session
