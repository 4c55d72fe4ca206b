// Package sessionmem keeps what was said: it writes sessions to disk and knows what this
// process holds of each.
//
// What works on files and takes no lock lies below it: finding sessions (catalog), opening
// them without what was forgotten (sieve), the trash, erasing, attached files; what a
// context is made of is package branch's. Making Summaries and learning from a session is
// package compact's, above it.
//
// Rules:
//   - A transcript is append-only markdown (format mac-stats-session/1). One
//     write and one fsync per block; nothing that was said is rewritten.
//   - Files are the truth. Every in-memory state can be rebuilt from them, and a
//     restart gives exactly the context the running app had.
//   - Two locks a session, both files of their own: one held for each append
//     (milliseconds), one held for a whole turn. A transcript is never locked
//     itself: editors save by rename. No lock is taken from outside.
//   - What people edit by hand wins: an edited file is read again, never
//     overwritten, reordered or reformatted.
//   - The package knows no Ollama, no Fyne, no Discord and no screen. Where it
//     needs a model it declares a one-method interface that others implement.
package sessionmem
