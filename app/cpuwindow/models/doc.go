// Package models shows the models of the Ollama server: the page with the installed models,
// what each can do, how long it stays loaded and which role it plays, and the download of
// another model, which the first run shows too.
//
// The server is asked in the background and its answers are shown at once; while the page
// is on the screen it is refreshed every few seconds. There is one download at a time, a
// Puller, which outlives the page and can be stopped and resumed. Deleting asks first.
//
// The page knows the window as a Host, and no other page. Its widgets belong to the UI
// goroutine.
package models
