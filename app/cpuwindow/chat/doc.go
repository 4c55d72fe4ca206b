// Package chat draws a conversation: messages, answers, thinking, calls, notes with the
// decisions they ask for, and errors with what can be done about them.
//
// It receives a conversation.View and keeps the rows it built for each entry, so that only
// changed entries are rebuilt. What is expanded, and which message is being edited, is its
// own state. The transcript viewer uses the same rows.
//
// It changes no data: every action of a person goes out through Actions. Its widgets and
// Thumbs belong to the UI goroutine.
package chat
