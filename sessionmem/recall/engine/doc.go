// Package engine is the search index in a file: passages with their words and vectors, from
// which it gives candidates for a question, with the features that they are ranked by (rank).
// It knows of no transcript and reads none: what is put in are passages with their places
// in files, and their terms (analysis).
//
// The seam, for whoever puts another store below the same ranking:
//   - Writer.Put adds the passages of a source and takes out those whose places they take or
//     that are gone; Drop takes a whole source out, Erase does it without a trace.
//   - Snapshot.Candidates gives what has words of a question or is near in meaning to it,
//     Snapshot.Passage what an answer tells of it.
//   - PutVectors adds vectors of passages, and Unembedded says which have none.
//
// Inside: a row of small changes (delta) and segments of many passages that are merged
// (commit, merge), each a dictionary of terms with their postings and the passages' heads and
// details, as format writes them into the rows of tables. What all questions need is in
// memory, laid out so that neighbours stand beside each other (view, layout), and is scored
// there term by term (score, slide). The vectors are a package of their own (vectors).
//
// Rules: one process writes at a time, and any may read; a reader sees one moment. All that
// is written has a check sum: what is damaged is an error, not an answer.
//
// Called by recall, which holds the lock of writers and reads the texts.
package engine
