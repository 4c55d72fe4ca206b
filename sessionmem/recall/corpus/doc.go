// Package corpus provides what can be searched: the transcripts and memory files of a data
// folder, as sources of chunks. It lists them as they are now (Sources), splits their text
// into chunks (Chunker, MemoryPieces), reports whether a chunk was forgotten (IsForgotten),
// and reads the text of a chunk again from its file (Texts).
//
// It stores and writes nothing; an index holds a chunk without its text (ChunkOf,
// Piece.Passage).
//
// Rules: private sessions and copies are no sources. The ID and parts of a chunk stay the same
// when the index is rebuilt: a change to how texts are split must raise analysis.Version so
// that all indexes are rebuilt. A text is returned only if the file still holds it, and its
// sources always come from the file, never from the index.
//
// Used by recall and the packages below it; code that shows hits uses Chunk and Kind.
package corpus
