// Package chat draws a conversation: messages, answers, thinking, calls, notes with what
// can be decided about them, errors with what can be done.
//
// It is given a conversation.View and keeps the rows it built for each entry, so that
// only what changed is made anew; what is expanded, and which message is being edited,
// is its own state. The transcript viewer draws with the same rows.
//
// It changes nothing by itself: all that a person can do goes out through Actions. Its
// widgets, and Thumbs, belong to the UI goroutine.
package chat
