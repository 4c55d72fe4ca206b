// Package compact summarises sessions: it decides when a Summary is due, has a model make it,
// and learns lessons from the messages it replaces.
//
// Rules:
//   - Lessons first, then the Summary: if lessons can't be saved, the context isn't cut.
//   - One compaction per session at a time, across all processes.
//   - A Summary is appended only if the conversation still contains what it covers and none of
//     that was forgotten meanwhile; the store decides that under its lock.
//   - If the model's answer is unusable, package summary makes a Summary without one. With no
//     model at all the session is left unchanged.
//   - It rewrites nothing and knows no model: callers pass a Summarizer.
package compact
