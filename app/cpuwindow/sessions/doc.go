// Package sessions shows what conversations there are: the list beside the window, worded
// and grouped by day, and the search over it.
//
// The list is one stop for Tab with a cursor of its own, and makes objects of the screen
// only for what is in sight, so that ten thousand sessions cost little. The search asks
// for every word and, beside it, the index for what comes near; it runs off the UI
// goroutine, and what is typed next ends it.
//
// It reads no file and opens no session: what is done with one is the caller's Actions.
// Its widgets belong to the UI goroutine.
package sessions
