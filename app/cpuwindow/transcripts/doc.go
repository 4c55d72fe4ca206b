// Package transcripts is the viewer of a whole transcript, including abandoned branches, calls,
// notes and Summaries, with a find bar.
//
// A readout is the transcript without a screen. It holds all blocks and which of them have rows.
// The rows are those of the chat. Only a part of the file has rows at a time, so memory doesn't
// grow with the transcript. Reading and finding run off the UI goroutine.
//
// The package reads no file itself: it is given a function for that, and it calls Actions. Its
// widgets belong to the UI goroutine.
package transcripts
