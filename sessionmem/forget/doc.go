// Package forget removes what a person wants forgotten from every place where the product
// keeps it: transcripts, memory files, the inbox, checkpoints, archive, trash, drafts,
// logs, the search index, caches.
//
// Rules:
//   - First a plan shows what would go and changes nothing. Its finds are then recorded as
//     keyed hashes (forgotten.Traces), never as text. From that moment on the forgetting binds
//     all programs, and after a crash the next start finishes it.
//   - Nothing is sent anywhere except to a memory server (Server), and nothing to that
//     but which of its texts go. The other machines forget what it refuses to take from them
//     again. A forgetting is complete only when every server has lost the text.
//   - What can't be removed is reported, with the next step, and tried again.
//   - Every place where a part of a conversation may be kept is a Place. Register new ones in
//     Params.Places.
package forget
