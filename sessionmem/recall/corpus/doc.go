// Package corpus is what there is to find: the transcripts and memory files of a data folder,
// as sources of chunks. It lists them as they are now (Sources), cuts what they say into
// chunks (Chunker, MemoryPieces), tells whether a chunk was forgotten (IsForgotten), and reads
// the text of one again from its file (Texts).
//
// It keeps nothing and writes nothing; an index holds a chunk without its text (ChunkOf,
// Piece.Passage).
//
// Rules: what is private, or a copy, is no source. A chunk's id stays the same when the index
// is built anew, and so do its parts: whoever changes how texts are cut has all indexes built
// anew (analysis.Version). A text is given only where the file still says it; where its words
// are from is told by the file, never by the index.
//
// Called by recall and what is below it; whoever shows hits knows Chunk and Kind.
package corpus
