// Package background does work with small models behind the scenes: it summarises and
// names sessions, grades search results, and makes the vectors that the search compares.
//
// Nobody waits for most of it. SmallModel makes the calls, with the settings' model for
// small work; Embedder makes vectors, and RerankServer calls a separate server. Work does
// what is due on a session after its turn, and yields to the next turn at once, because
// the user comes first.
//
// The package writes only titles to transcripts. sessionmem/compact and
// sessionmem/summary decide on the content of a Summary and on its lessons; an unusable
// answer is an error here and never repaired by guessing. The engine and app/backend call
// the package.
package background
