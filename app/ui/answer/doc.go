// Package answer draws markdown: the rows of an answer, of a tool's result, of a
// specialist's text.
//
// Rows follows a document while it grows. Rows of finished leaves are built once and never
// touched again; those of the tail are changed in place if their kind is the same, so that
// an answer can be drawn a dozen times a second. Code is laid out from its last line on,
// and only visible lines of code and tables are on the screen. A table too narrow for its
// columns becomes a list.
//
// The package knows nothing of messages and turns: its user supplies the leaves, and a
// function that copies text. Everything belongs to the UI goroutine.
package answer
