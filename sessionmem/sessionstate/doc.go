// Package sessionstate stores what is marked about sessions outside their transcripts: pins,
// what was read, where a session was exported to, what was deleted by age. The file is
// session/state.json; losing it loses no message.
//
// What this version doesn't know of the file is kept. A file that can't be read is moved
// aside; one of a newer version is left alone.
package sessionstate
