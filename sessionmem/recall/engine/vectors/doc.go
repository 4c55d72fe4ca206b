// Package vectors keeps the vectors of passages in pages of the index file and compares a
// question's with them. A vector is found by its passage's number alone; whose passage that is,
// and whether it may be found, the engine knows.
//
// A vector takes one byte a dimension, with a scale. In memory each has its signs too, by which
// those that point another way are told at a tenth of the cost; of very many the signs alone
// are held, and the others are read of those that are worth it. What nobody uses for a while
// is let go.
//
// Rules: vectors of different models are never compared. A Set is never changed: a transaction
// sees its own. Pages have a check sum, and what is erased leaves its page with the
// transaction that erases it.
//
// Called by engine; recall names models and makes directions of questions.
package vectors
