// Package forget takes what a person wants forgotten out of every place where the
// product keeps it: transcripts, memory files, the inbox, checkpoints, archive, trash,
// drafts, logs, the search index, caches.
//
// Rules:
//   - First a plan, that says what would go and changes nothing. What it finds is then
//     noted as keyed hashes (forgotten.Traces), never as text; from that moment on the
//     forgetting binds all programs, and the next start finishes what a crash cut off.
//   - Nothing is sent anywhere but to a memory server that holds the text anyway (Board):
//     it loses the text and passes sealed hashes on to the person's other machines, which
//     forget it too. A forgetting is not over before each server was told.
//   - What can't be taken out is told, with the next step, and tried again.
//   - A place where something of a conversation may be kept is a Place: a new one is
//     registered in Params.Places.
package forget
