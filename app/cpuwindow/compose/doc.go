// Package compose is where people write: the composer with the files that go with the
// message, the messages that wait for their turn above it, and the line below it that
// says how full the model's context is.
//
// Field is the field of all messages: Enter sends and Shift+Enter begins a line, the
// reverse of the toolkit's. A long paste and a pasted image are handed on, to become
// files.
//
// Nothing here sends, reads a file or knows a conversation's state beyond what it is
// given to show. Its widgets belong to the UI goroutine.
package compose
