// Package memory keeps the memory files that people edit by hand, with what may be
// written into them: lessons (Append), proposals that wait in the inbox (Propose, Accept),
// edits made in the window (OpenOwned, SaveOwned) and what takes each of them back (Undo).
//
// Rules:
//   - What people edit by hand wins and is never reordered or reformatted. A lesson that
//     meets another program's save waits in the inbox; package sharedfile says how.
//   - No lesson goes in that gives instructions, hides characters or holds a secret, and
//     none that the memory has no room for: nothing is dropped to make room.
//   - What was forgotten is neither read nor written; package forgotten says what that is.
//   - Nothing another program took out comes back by itself: Dropped tells of it.
//
// The package knows no session, no model and no screen. Agents read it for prompts and
// append to it, the window and the commands edit it, forgetting cleans it (Forget).
package memory
