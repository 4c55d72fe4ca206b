// Package summary judges what a model makes of a conversation, and does the same without
// one: the Summary that quotes the messages, the identifiers that have to survive letter
// by letter, what a Summary lacks, which lessons are the user's own words.
//
// It works on texts alone: no files, no model, no session. The same input gives the same
// output. Package compact and the agents call it, and a forgetting does, which makes a
// Summary of what is left.
package summary
