// Package sessionmem keeps what was said: sessions, their transcripts on disk, and the
// short-term window that goes into a prompt. Making its Summaries and learning from it is
// package compact's, the memory files are package memory's, what was forgotten is package
// forgotten's.
//
// Rules:
//   - A transcript is append-only markdown (format mac-stats-session/1). One
//     write and one fsync per block; nothing that was said is rewritten.
//   - Files are the truth. Every in-memory state can be rebuilt from them, and a
//     restart gives exactly the context the running app had.
//   - Two locks a session, both files of their own: one held for each append
//     (milliseconds), one held for a whole turn. A transcript is never locked
//     itself: editors save by rename.
//   - What people edit by hand wins: an edited file is read again, never
//     overwritten, reordered or reformatted.
//   - The package knows no Ollama, no Fyne, no Discord and no screen. Where it
//     needs a model it declares a one-method interface that others implement.
package sessionmem
