// Package transcripts shows a whole transcript to read: branches that were left, calls,
// notes and Summaries too, with a line to find words in it.
//
// A readout is the transcript without a screen: it knows all blocks, and which part of
// them is built. Rows are the chat's, for a part of the file at a time, so that what is
// held does not grow with the transcript. Reading and finding go on off the UI
// goroutine.
//
// It reads no file: it is given transcripts, and what is done with one goes out through
// Actions. Its widgets belong to the UI goroutine.
package transcripts
