// Package indexing keeps the index in step with the transcripts and memory files: it finds
// the changed files, reads what is new in them, and writes it to the index file; it rebuilds
// an unusable index; and it reports how much of the files the index covers.
//
// It never answers a question and never changes a transcript.
//
// Rules:
//   - Files reported as changed are indexed without checking the others (reported.go). If it
//     isn't clear what changed, all directory entries are compared.
//   - Forgotten text is never indexed again.
//   - A source that changed is read whole, which takes five milliseconds a megabyte; only what is
//     new in it is analysed and written.
//   - A file that can't be read keeps its previous index and doesn't hold up the others.
//   - In the background, half of the processors are left to other work.
//
// Used by recall.
package indexing
