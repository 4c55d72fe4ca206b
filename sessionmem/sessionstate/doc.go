// Package sessionstate keeps what is marked of sessions and stands in no transcript: pins,
// what was read, where it was exported to, what was deleted by its age. It is
// session/state.json; it can be lost without losing anything that was said.
//
// What this version doesn't know of the file is kept. A file that can't be read is moved
// aside; one of a newer version is left as it is.
package sessionstate
