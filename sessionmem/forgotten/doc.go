// Package forgotten records what was forgotten in a data folder, as keyed hashes, so that
// an editor's late save, a backup or a synced copy can't bring it back.
//
// Traces are what one or more forgettings match: words, blocks, sessions, authors, spans of
// time, lines of a memory. They are collected in a Draft, and find matches in a text
// (Holds), in a file's bytes (FindRaw) and in a block (Clean). A Record keeps the traces of
// all forgettings in forgotten.jsonl, and the key in a separate file. Only one process at a
// time can forget (Lock).
//
// The machines of one person share no traces: each looks for its own in what the others copied to
// their server (HasElsewhere), which tells them by ID what was found.
//
// The package holds no forgotten text, not even in a log, and changes no transcript and no
// memory: the owner of a file asks this package and cleans the file. Store and memory ask
// before they read and write, recall before it returns a passage.
package forgotten
