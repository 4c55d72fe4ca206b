// Package recall finds what was said and learnt: a search index over transcripts and
// memory files. It holds the engine of the index, in one SQLite file, and gives its
// candidates to the ranking (rank), which is the same for any engine.
//
// Rules:
//   - Files are the truth. The index is derived, lies in one file of the cache folder
//     and can be deleted at any time.
//   - A query never indexes. Its answer carries the state of the index.
//   - Texts are not kept: what is shown of a hit is read from its file.
//   - What is private or in memory never gets here; what was forgotten leaves no
//     trace, also not in free pages.
package recall
