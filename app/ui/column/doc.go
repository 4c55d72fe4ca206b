// Package column is a column of rows that scrolls: a conversation, a page, a list.
//
// A kit.Row reports its height for a width. A Viewport places rows below each other and
// shows only the visible ones, so its cost doesn't grow with the number of rows. What the
// reader looks at stays in place when rows come, go or change their height. The column
// follows its end while the reader is there. Text can be selected across rows, and find
// marks matches in them. The package also has the rows that every view uses: a box, a card,
// prose on a surface, a list within a card.
//
// It doesn't know what the rows are about. Viewport has more than thirty methods because
// the toolkit wants one for every kind of event. Everything is called on the UI goroutine.
package column
