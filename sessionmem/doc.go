// Package sessionmem stores conversations. Its Store holds the sessions of one data folder and
// does what concerns whole sessions: names and titles, forks, the archive, the trash, deleting
// by age, forgetting.
// Package session reads and writes the messages of a session. Below it are packages that work on
// files and take no lock: catalog finds sessions, sieve opens them without what was forgotten,
// and others handle the trash, erasing and attached files. Package compact, above, makes
// Summaries and learns from a session.
//
// Rules:
//   - A transcript is append-only markdown (format mac-stats-session/1). Each block takes one
//     write and one fsync; no message is ever rewritten.
//   - Files are the truth. All state in memory can be rebuilt from them, and a restart
//     restores exactly the context the running app had.
//   - What people edit by hand wins: an edited file is read again, never overwritten,
//     reordered or reformatted.
//   - The package knows nothing of Ollama, Fyne, Discord or a screen. If it needs a model,
//     it declares a one-method interface that others implement.
package sessionmem
