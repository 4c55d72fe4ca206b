// Package prose is text on the screen that wraps, can be selected and shows what find
// found.
//
// A Text is made of runs, each in one style. It breaks itself into words and these into
// lines, draws only the lines in sight, and answers where a point of the screen is in its
// text. What it costs is linear in the text; a text that grows at its end pays for what
// is new. LinePaint draws lines of text for those who wrap them in another way, as code
// and tables do.
//
// It knows no scrolling and no row beside it: who holds a Text measures it for a width
// and tells it which part is in sight. Everything is called on the UI goroutine.
package prose
