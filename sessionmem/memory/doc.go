// Package memory keeps the memory files that people edit by hand, with what may be
// written into them: lessons (Append), proposals that wait in the inbox (Propose, Accept),
// edits made in the window (OpenOwned, SaveOwned) and what takes each of them back (Undo).
//
// Rules:
//   - What people edit by hand wins: a file is read again before each write, and never
//     reordered or reformatted. A write that meets another program's save waits for it.
//   - No lesson goes in that gives instructions, hides characters or holds a secret, and
//     none that the memory has no room for: nothing is dropped to make room.
//   - What was forgotten is neither read nor written; package forgotten says what that is.
//   - One lock for all memory files, held for milliseconds, by one process at a time.
//
// The package knows no session, no model and no screen. Agents read it for prompts and
// append to it, the window and the commands edit it, forgetting cleans it (Forget).
package memory
