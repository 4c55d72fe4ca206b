// Package settings shows config.toml as a page: a row for every key with its help, its
// control and what is to be said of its value, and beside them how the search index and
// the Discord bot are.
//
// What a person changes is written by a Writer, one change after the other, off the UI
// goroutine; what the file says afterwards is what the page shows. Rows stay the same
// objects while the page is there, so a change from outside never takes the focus or
// what is being typed. A value that config refuses is never written.
//
// The page knows the window as a Host, and no other page. Its widgets belong to the UI
// goroutine.
package settings
