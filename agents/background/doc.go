// Package background is what small models do behind the scenes: they summarise sessions,
// name them, grade what a search found and make the vectors it compares.
//
// Nobody waits for most of it. SmallModel makes the calls, by the model that the settings
// name for small work; Embedder makes vectors and RerankServer asks a server of its own.
// Work does what is due on a session after its turn, and gives way to the next one at
// once: the user goes first.
//
// The package writes to no transcript but a title. What a Summary says and where its
// lessons go is decided by sessionmem/compact and sessionmem/summary; an answer that can't
// be used is an error here and never repaired by guessing. The engine and app/backend
// call it.
package background
