// Package find has the search bar and the search within a chat.
// Matches are marked in place; messages that aren't built yet are searched too, and built
// when the reader gets to them.
//
// It works on the UI goroutine, reads no file and knows no conversation: its Host supplies
// the text. The transcript viewer uses only the bar, because it searches the whole file.
package find
