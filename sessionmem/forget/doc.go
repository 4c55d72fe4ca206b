// Package forget removes what a person wants forgotten from every place where the product
// keeps it: transcripts, memory files, the inbox, checkpoints, archive, trash, drafts,
// logs, the search index, caches.
//
// Rules:
//   - First a plan shows what would go and changes nothing. Its finds are then recorded as
//     keyed hashes (forgotten.Traces), never as text. From that moment on the forgetting binds
//     all programs, and after a crash the next start finishes it.
//   - Nothing is sent anywhere except to a memory server that holds the text anyway (Board).
//     The server loses the text and passes sealed hashes to the person's other machines, which
//     forget it too. A forgetting is complete only when every server has been informed.
//   - What can't be removed is reported, with the next step, and tried again.
//   - Every place where a part of a conversation may be kept is a Place. Register new ones in
//     Params.Places.
package forget
