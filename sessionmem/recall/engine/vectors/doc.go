// Package vectors stores the vectors of passages in pages of the index file and compares them
// with a question's vector. It identifies a vector only by its passage's number; the engine
// knows which passage that is and whether it may be found.
//
// A vector takes one byte per dimension, plus a scale. In memory each also has its signs,
// which rule out most distant vectors at a tenth of the cost; if there are very many, only
// the signs stay in memory and the promising vectors are read. Unused vectors leave memory
// after a while.
//
// Rules: vectors of different models are never compared. A Set never changes: a transaction
// sees its own. Pages have a checksum, and an erased vector leaves its page in the transaction
// that erases it.
//
// Used by engine; recall names models and prepares the directions of questions.
package vectors
