// Package find looks for words in what is shown: the bar one types them into, and the
// search of a chat. A place is marked where it stands; the messages that are not built
// yet are searched too, and built when the reader comes to them.
//
// It works on the UI goroutine, reads no file and knows no conversation: its Host gives
// it text. The transcript viewer uses the bar alone, for it searches the whole file.
package find
