// Package compose is the place for writing messages: the composer with the attached files,
// the queue of messages above it, and the foot below it, which shows how full the model's
// context is.
//
// Field is the field for all messages: Enter sends and Shift+Enter starts a new line, the
// reverse of the toolkit's. A long paste and a pasted image are passed on, to become files.
//
// Nothing here sends, reads a file, or knows more of a conversation than it is given to
// show. The widgets belong to the UI goroutine.
package compose
