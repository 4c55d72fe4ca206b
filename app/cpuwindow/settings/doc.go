// Package settings shows config.toml as a page: a row for every key with its help, its
// control and a note about its value, and beside them the state of the search index and of
// the Discord bot.
//
// A Writer writes a person's changes, one after the other, in the background; the page then
// shows what the file says. Rows stay the same objects while the page exists, so a change
// from outside never takes the focus or the text being typed. A value that config refuses
// is never written.
//
// The page knows the window as a Host, and no other page. Its widgets belong to the UI
// goroutine.
package settings
