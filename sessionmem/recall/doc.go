// Package recall finds what was said and learnt: a search index over transcripts and
// memory files. It answers questions: the engine (engine) gives candidates, the ranking
// (rank), which is the same for any engine, puts them in order, and their texts are read
// from the files (corpus). In the background it keeps the index in step with the files
// (indexing), makes vectors of what is in it, and brings a server that several machines
// share up to date (Server).
//
// Rules:
//   - Files are the truth. The index is derived, lies in one file of the cache folder
//     (indexfile) and can be deleted at any time.
//   - A query never indexes. Its answer carries the state of the index.
//   - Texts are not kept: what is shown of a hit is read from its file.
//   - What is private or in memory never gets here; what was forgotten leaves no
//     trace, also not in free pages.
//   - A server that is slow or away costs a search its wait and nothing else.
package recall
