// Package forgotten remembers what a data folder was told to forget, as keyed hashes, so
// that it is not taken in again from an editor's late save, a backup or a synced copy.
//
// Traces are what one forgetting means, or several: words, blocks, sessions, authors, spans
// of time, lines of a memory. They are collected in a Draft, and find what is meant in a
// text (Holds), in a file's bytes (FindRaw) and in a block (Clean). A Record keeps the traces of all forgettings in forgotten.jsonl, the key
// in a file of its own, and serves one process at a time (Lock).
//
// Machines of one person share their forgettings (Share, Open): sealed by the key of the
// hashes, which goes from machine to machine sealed to each one's public key. See exchange.go
// for what a server between them learns, and why.
//
// The package holds no text that was forgotten, not even in a log, and changes no
// transcript and no memory: whoever owns a file cleans it by asking here first. Store and
// memory ask before they read and write, recall before it gives a passage.
package forgotten
