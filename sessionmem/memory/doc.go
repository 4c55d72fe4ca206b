// Package memory reads and writes the memory files that people also edit by hand. It
// appends lessons (Append), keeps proposals in the inbox (Propose, Accept), saves edits
// made in the window (OpenOwned, SaveOwned), and undoes each of these changes (Undo).
//
// Rules:
//   - What people write by hand wins, and is never reordered or reformatted. If another
//     program is saving the file, a new lesson waits in the inbox; see package sharedfile.
//   - A lesson that gives instructions, hides characters, holds a secret or exceeds the
//     memory's limit is refused. No line is dropped to make room.
//   - Forgotten text is neither read nor written; package forgotten defines what that is.
//   - A line that another program removed doesn't come back by itself: Dropped lists it.
//
// The package doesn't know sessions, models or the screen. Agents read it for prompts and
// append to it, the window and the commands edit it, and forgetting cleans it (Forget).
package memory
