// Package cpuwindow is the CPU window: it puts the window's parts together.
//
// Each part is a package below this one with its own state: chatpane (the chat, with the
// conversations of chats), library (the session list), transcripts (the viewer), setup (the
// model server and the first run), notices, appearance and the pages. No part knows Window;
// each declares a Host interface, which hosts.go implements. This package holds what ties the
// parts together: the current page, commands and menus, links from one part to another, and
// the checks for files that other programs change. Window has a field for each part, and
// therefore more fields and methods than other types.
//
// Window's methods are called on the UI goroutine. Nothing is redrawn while the window is
// hidden. Events of a run arrive on other goroutines, where they become view data; one call of
// Do then swaps that in.
package cpuwindow
