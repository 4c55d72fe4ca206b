// Package journal keeps the blocks of a session that the app has acknowledged, as they were
// written: a file in the transcript's own format beside the transcripts. Whoever saves the
// transcript in an editor decides what is in the session. What such a save removed is in no
// list, context or search from then on, but it is still in the journal until the user has it
// put back or agrees. Package session is its caller.
//
// Rules:
//   - A block is added after it is safe in the transcript. That costs no second fsync, and
//     where it fails the turn goes on: the next block makes up for it.
//   - The journal holds each block once. Where it grows beyond maxBytes, it goes down to the
//     newest keptBytes.
//   - What was removed and not decided about leaves it after RemovedKept. It goes with the
//     session: to the archive or the trash a session goes without it. In-memory sessions have none.
//   - It takes no lock, and changes nothing but journals: its caller holds the session's lock.
package journal
