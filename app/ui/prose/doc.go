// Package prose shows text that wraps, can be selected, and shows the matches of a search.
//
// A Text consists of runs, each in one style. It splits itself into words and these into
// lines, draws only the visible lines, and maps a point on the screen to an offset in its
// text. The cost is linear in the text; for a text that grows at its end, only new text
// costs. LinePaint draws lines of text for code and tables, which wrap in other ways.
//
// The package knows nothing of scrolling or neighbouring rows: the owner of a Text measures
// it for a width and sets which part is visible. Everything is called on the UI goroutine.
package prose
