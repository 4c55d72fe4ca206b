// Package postgres mirrors the search indexes of several machines in a PostgreSQL database: each
// machine copies the passages of its own index there, with their text, so that every machine
// finds what was said on the others. A search is one statement: PostgreSQL ranks the passages of
// the other machines by words and, if it has pgvector, by meaning.
//
// Rules:
//   - A machine writes only its own rows. Its files are the truth; the rows are copies and can be
//     dropped at any time.
//   - What one machine forgets is removed from the rows of all (Sweep), and its ID is kept: no
//     machine copies it there again, and its owner forgets it when Put refuses it. An ID is a
//     hash with a key that only the owner of the row has.
//   - No SQL is built from text: what people say is always a parameter. Statements contain
//     only numbers, in places where PostgreSQL accepts no parameters.
//   - No call waits longer than its context allows. The caller has another source of answers.
//   - The schema only moves forward. A newer one is refused.
//
// Used by recall through recall.Server, and by forget.
package postgres
