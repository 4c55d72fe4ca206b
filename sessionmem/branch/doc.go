// Package branch follows a session block by block and knows what its context is made of:
// the blocks of the current branch since the last reset.
//
// Rules:
//   - It is the one place for what a reset, a rewind, a version, a correction and a Summary
//     do to a context, whether a transcript is read or a running session goes on.
//   - It keeps places and hashes of ids, no text: about 30 bytes a block, so that a session
//     of any length fits in memory. Texts are read by their places.
//   - It does no I/O and has no lock: the store guards it with the session's.
//   - Called by the session store.
package branch
