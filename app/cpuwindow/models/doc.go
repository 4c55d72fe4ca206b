// Package models shows the models of the Ollama server: the page with what is installed,
// what each can do, what is loaded until when and which role it plays, and the download
// of another one, which the first run shows too.
//
// Everything is asked of the server off the UI goroutine and shown as a whole; while the
// page is on the screen it looks again every few seconds. There is one download at a
// time, a Puller, which outlives the page: it can be stopped and resumed. Deleting asks
// first.
//
// The page knows the window as a Host, and no other page. Its widgets belong to the UI
// goroutine.
package models
