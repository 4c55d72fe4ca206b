// Package sessions draws the list of conversations, grouped by day, and the search over the
// window.
//
// The list is one Tab stop with a cursor of its own. It creates canvas objects only for visible
// rows, so that ten thousand sessions cost little. The search looks for conversations that
// contain every word and also asks the index for related ones. It runs off the UI goroutine
// and ends when the user types again.
//
// The package reads no file and opens no session; it calls the caller's Actions. Its widgets
// belong to the UI goroutine.
package sessions
