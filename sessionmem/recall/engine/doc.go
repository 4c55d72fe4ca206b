// Package engine is the search index in a file: it stores passages with their words and
// vectors and finds candidates for a question, with the features that rank orders them by.
// It doesn't read transcripts: its input is passages with their places in files, and their
// terms (analysis).
//
// To put another store below the same ranking, provide these operations:
//   - Writer.Put adds passages of a source, replacing those at the same places; Drop removes
//     a whole source; Erase removes passages without a trace.
//   - Snapshot.Candidates finds passages that share words or meaning with a question;
//     Snapshot.Passage returns the details for an answer.
//   - PutVectors adds vectors of passages; Unembedded returns passages without one.
//
// The file consists of a list of small changes (delta) and segments of many passages, which
// are merged over time (commit, merge). A segment is a dictionary of terms with their
// postings and the heads and details of its passages, encoded by format into the rows of
// tables. Data that every question needs is in memory, arranged so that neighbouring passages
// are adjacent (view, layout), and is scored there term by term (score, slide). Vectors have
// a package of their own (vectors).
//
// Rules: one process writes at a time, any number may read, and a reader sees one moment.
// Everything written has a checksum: damaged data leads to an error, never to an answer.
//
// Used by recall, which holds the writers' lock and reads the texts.
package engine
