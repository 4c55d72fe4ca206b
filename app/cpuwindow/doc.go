// Package cpuwindow is the CPU window: it puts its rooms together and does what a person
// asks of them.
//
// What is seen is drawn by the packages below it (chat, compose, sessions, transcripts,
// pages, settings, vitals); none of them knows Window, each declares the Host or the
// Actions it needs. Here are the turns of the chat (sending, queueing, answering again),
// what is done with sessions, the keys, the first run, and the watching of files.
//
// Events of a run arrive on other goroutines, are turned into view data there and
// swapped in by one Do. Nothing is refreshed while the window is hidden.
//
// It is still larger than one head holds, and Window has some 200 methods: what sends and
// answers, the first run and the sheet of a forgetting share its state, and are the next
// to be parted.
package cpuwindow
