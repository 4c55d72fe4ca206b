// Package postgres stores the search index of several machines in a PostgreSQL database: each
// machine puts the passages of its own index there, with their text, so that every machine
// finds what was said on the others. One round trip finds the candidates for a question, by
// words and, if the server has pgvector, by meaning; the same ranking (recall/rank) orders
// them.
//
// Rules:
//   - A machine writes only its own rows. Its files are the truth; the rows are derived from
//     them and can be dropped at any time.
//   - What one machine forgets is removed from the rows of all, and no machine puts anything
//     there before it knows what the others forgot (Note, Put).
//   - No SQL is built from text: what people say is always a parameter. Statements contain
//     only numbers, in places where PostgreSQL accepts no parameters.
//   - No call waits longer than its context allows. The caller has another source of answers.
//   - The schema only moves forward. A newer one is refused.
//
// Used by recall through recall.Server.
package postgres
