// Package summary checks what a model makes of a conversation, and does the same without a
// model: the Summary that quotes the messages, the identifiers that must survive letter by
// letter, what a Summary lacks, and which lessons are the user's own words.
// It works on texts alone: no files, no model, no session. The same input produces the
// same output. Called by package compact, by the agents, and by forgetting, which makes a Summary
// of what is left.
package summary
