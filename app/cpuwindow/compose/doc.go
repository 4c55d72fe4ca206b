// Package compose is the place for writing messages: the composer with the attached files,
// the queue of messages above it, and the foot below it, which shows how full the model's
// context is.
//
// Field is the field for all messages: Enter sends and Shift+Enter starts a new line, the
// reverse of the toolkit's. A long paste and a pasted image are passed on, to become files.
//
// Nothing here sends a message or reads a file; what is shown of a conversation is passed in.
// Composer has more than twenty fields: its controls, and a function for each thing a person
// can do with them. The widgets belong to the UI goroutine.
package compose
