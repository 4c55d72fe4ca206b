// Package overlay has what lies over a window: a card that waits for an answer, a search
// with its results, a picture, and the toast that offers to undo.
//
// Each takes the canvas of the window, covers all of it and removes itself; Esc closes it.
// The window below is dimmed and gets no clicks. Only a toast leaves the window usable, and
// disappears by itself.
//
// Nothing here decides what is asked or done: the caller supplies the texts and functions.
// Everything is called on the UI goroutine.
package overlay
