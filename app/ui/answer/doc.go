// Package answer draws markdown: the rows of an answer, of a tool's result, of what a
// specialist wrote.
//
// Rows follows a document while it grows. Rows of finished leaves are made once and
// never touched again; those of the tail are changed in place where their shape stayed,
// so that an answer can be drawn a dozen times a second. Code is laid out from its last
// line on, and of code and tables only the lines in sight are on the screen. A table too
// narrow for its columns becomes a list.
//
// It knows nothing of messages and turns: who shows an answer gives it the leaves, and a
// function that copies text. All of it belongs to the UI goroutine.
package answer
