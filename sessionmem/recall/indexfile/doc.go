// Package indexfile manages the index file in the cache folder, which goroutines and
// processes share: it opens the file on demand and closes it when idle, allows one writer at
// a time, replaces an index with a rebuilt one, and informs other processes of the progress
// of a long indexing run and of damage.
//
// It knows nothing of transcripts or searches. The index package owns the file's contents.
//
// Rules:
//   - A writer holds Lock, which covers all processes. A reader sees one moment (Read) and
//     waits for nobody.
//   - An index that is damaged, of another version or missing counts as none. File reports
//     it once, and if the file is readable it answers until it is replaced.
//   - Erased text doesn't stay in the remains of an interrupted rebuild.
//
// Used by indexing, which keeps the index up to date, and by recall, which reads it.
package indexfile
