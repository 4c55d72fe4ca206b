// Package column is a column of rows that scrolls: a conversation, a page, a list.
//
// A kit.Row tells its height for a width. A Viewport puts rows below each other and shows
// only those in sight, so its cost doesn't grow with what it holds; what the reader looks
// at stays where it is when rows come, go or change their height. It follows its end while
// the reader is there. Text is selected across rows, and find marks its places in them.
// Here are also the rows that every view uses: a box, a card, prose on a surface, a list
// within a card.
//
// It knows nothing of what the rows are about. Everything is called on the UI goroutine.
package column
