// Package sessionmem keeps what was said: its Store is the sessions of one data folder, and what
// is done with whole ones: names and titles, forks, the archive, the trash, deleting by age,
// forgetting.
//
// What is said in a session is read and written by package session. What works on files and
// takes no lock lies below: finding sessions (catalog), opening them without what was forgotten
// (sieve), the trash, erasing, attached files. Making Summaries and learning from a session is
// package compact's, above it.
//
// Rules:
//   - A transcript is append-only markdown (format mac-stats-session/1). One
//     write and one fsync per block; nothing that was said is rewritten.
//   - Files are the truth. Every in-memory state can be rebuilt from them, and a
//     restart gives exactly the context the running app had.
//   - What people edit by hand wins: an edited file is read again, never
//     overwritten, reordered or reformatted.
//   - The package knows no Ollama, no Fyne, no Discord and no screen. Where it
//     needs a model it declares a one-method interface that others implement.
package sessionmem
