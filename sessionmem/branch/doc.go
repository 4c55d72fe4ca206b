// Package branch follows a session block by block and computes its context: the blocks of
// the current branch since the last reset.
//
// Rules:
//   - It alone decides what a reset, a rewind, a version, a correction and a Summary do to a
//     context, whether a transcript is read or a running session continues.
//   - It keeps positions and hashes of IDs but no text: about 30 bytes a block, so that a
//     session of any length fits in memory. Texts are read by position.
//   - It does no I/O and has no lock: the session's lock guards it.
//   - Called by package session.
package branch
