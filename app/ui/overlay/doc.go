// Package overlay is what lies over a window: a card that waits for an answer, a search
// with what it found, a picture, and the toast that offers to undo.
//
// Each takes the canvas of the window, lies over all of it and takes itself away; Esc
// closes it. What lies below is dimmed and gets no press. A toast alone lets the window
// be used, and goes by itself.
//
// Nothing here decides what is asked or done: the caller gives words and functions.
// Everything is called on the UI goroutine.
package overlay
