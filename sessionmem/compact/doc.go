// Package compact summarises sessions: it says when one is due, has a model make the
// Summary, and learns lessons from the messages that it takes the place of.
//
// Rules:
//   - Lessons first, then the Summary: where they can't be kept, no context is cut.
//   - One compaction a session at a time, in all processes.
//   - A Summary is appended only if what it covers is still the conversation and nothing of
//     it was forgotten meanwhile; the store decides that under its lock.
//   - Where the model gives nothing usable, package summary makes one without a model. No
//     model at all leaves the session as it is.
//   - It rewrites nothing and knows no model: callers give it a Summarizer.
package compact
