// Package pages shows the files that people and agents write together: the page of the
// memory, with its inbox of proposals, and the page of the agents, with a prompt to try.
//
// A page reads in the background and shows everything it read at once. Files are edited in
// place: what is typed is an edit of Edits, which outlives the page, the window and the
// app, and is lost only by Discard. If the file changed outside meanwhile, both versions
// are shown and a person chooses; nothing is written before Save.
//
// A page knows the window as a Host, and no other page. Its widgets, and Edits, belong to
// the UI goroutine.
package pages
