// Package postgres keeps the search index of several machines in a PostgreSQL database:
// what each machine's own index holds, with its text, so that every one finds what was said
// at the others. The candidates for a question come in one round trip, by words and, where
// the server has pgvector, by meaning; the same ranking (recall/rank) puts them in order.
//
// Rules:
//   - Each machine writes its own rows alone. Its files are the truth; what the server holds
//     of them is derived, and can be dropped at any time.
//   - What one machine forgets is taken out of the rows of all, and none puts anything there
//     before it knows what the others forgot (Note, Put).
//   - No SQL is built from text: what people say is always a parameter. Only numbers stand in
//     statements, where PostgreSQL takes no parameters.
//   - Nothing here waits for longer than its context says. Whoever asks has another answer.
//   - The schema only moves forward. A newer one is refused.
//
// Called by recall through recall.Server.
package postgres
