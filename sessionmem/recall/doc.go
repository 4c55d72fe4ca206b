// Package recall searches what was said and learned: it keeps an index over transcripts and
// memory files and answers questions from it. The index package finds candidates, the rank
// package orders them, and the corpus package reads their texts from the files. In the
// background recall keeps the index in step with the files (Run), makes vectors of its
// chunks, and copies it to a server if several machines share one (Server, postgres): what the
// others copied there is merged into the hits by its place.
//
// Rules:
//   - The files are the truth. The index is derived from them, is one file in the cache
//     folder and can be deleted at any time.
//   - A query never indexes. Its answer carries the state of the index.
//   - The index stores no texts: the text of a hit is read from its file.
//   - Private sessions and sessions kept in memory only are never indexed. Forgotten text
//     leaves no trace, not even in free pages.
//   - A slow or unreachable server costs a search its waiting time and nothing else.
package recall
