// Package cpuwindow is the CPU window: it puts its parts together.
//
// Each part is a package below it with a state of its own: chatpane (the chat, with the
// conversations of chats), library (the sessions), transcripts (the viewer), setup (the model
// server and the first run), notices, the pages, appearance. None of them knows Window: each
// declares what it needs as a Host, and hosts.go is what Window is to each. Here is what ties
// them: which page is shown, the keys and the menus, where a link leads, what follows a notice
// of the backend, and the look at files that other programs write.
//
// Window's methods are called on the UI goroutine. Nothing is refreshed while it is hidden.
// Events of a run arrive on other goroutines, are turned into view data there and swapped in
// by one Do.
package cpuwindow
