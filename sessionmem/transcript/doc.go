// Package transcript is the file format of a session, mac-stats-session/1: markdown
// with front matter, and for each block a heading, a comment of attributes and the
// text. It reads leniently, keeps what it can't read as text, and writes one form.
// What was written reads back the same.
//
// Rules:
//   - It never opens, locks, renames or removes a file of a session. A Reader reads what it
//     is given; the store decides which files make up a session.
//   - No text can end its block: a line that looks like a heading is escaped.
//   - An attribute it doesn't know is kept and written back.
//   - It imports nothing else of the project.
//
// The store appends blocks, the library reads headings, the recall index reads texts,
// and the window and the commands show them.
package transcript
