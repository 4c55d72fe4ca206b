// Package journal stores the blocks of a session that the app has acknowledged, as they were
// written, in a file of the transcript's own format beside the transcripts. Whoever saves the
// transcript in an editor decides what is in the session. What such a save removed leaves all
// lists, contexts and searches, but stays in the journal until the user restores it
// or accepts the removal. Package session is its caller.
//
// Rules:
//   - A block is added after it is safe in the transcript. That costs no second fsync, and if
//     it fails the turn goes on: the next block makes up for it.
//   - The journal holds each block once. If it grows beyond maxBytes, it is cut to the newest
//     keptBytes.
//   - What was removed and not decided about leaves the journal after RemovedKept. A session
//     goes to the archive or the trash without its journal. In-memory sessions have none.
//   - It takes no lock and changes nothing but journals: its caller holds the session's lock.
package journal
