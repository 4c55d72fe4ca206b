// Package indexfile is the index in the cache folder, as several goroutines and processes
// share it: it opens the file when it is needed and lets it go when it is idle, has one writer
// at a time, puts an index that was built anew in the place of the old one, and tells others
// how far a long indexing is, and that somebody found damage.
//
// It knows no transcript and no search. What the file holds is the engine's.
//
// Rules:
//   - Whoever writes holds Lock, in all processes. A reader sees one moment (Read) and waits
//     for nobody.
//   - An index that is damaged, of another version or missing is as good as none; it is said
//     once, and answers until another one is there, where it can.
//   - What was erased is not left in the remains of a building that was stopped.
//
// Called by indexing, which keeps it up to date, and by recall, which reads it.
package indexfile
