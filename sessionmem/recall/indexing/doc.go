// Package indexing keeps the index in step with the transcripts and memory files: it finds
// out which of them changed, reads what is new in them, and writes that into the index file;
// it builds the index anew where there is none that can be used; and it tells how much of what
// there is the index covers.
//
// It never answers a question, and never changes a transcript.
//
// Rules:
//   - What was told to have changed is taken up without a look at the rest (told); where it
//     isn't clear what changed, all entries are compared.
//   - What was forgotten is never taken up again.
//   - A session that only grew is read from its last block on; any is read in bounded memory.
//   - A file that can't be read stays as it was indexed, and is no reason to leave the others.
//   - In the background half of the processors are left to others.
//
// Called by recall.
package indexing
