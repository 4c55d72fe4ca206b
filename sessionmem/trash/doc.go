// Package trash moves the files of deleted sessions to the trash and back.
//
// Rules:
//   - Each deletion has a folder of its own, whose name says when and which session; the
//     files in it have the paths they had. Nothing in the trash is ever overwritten.
//   - An attached file goes along when no other session links it.
//   - It takes no lock: the caller holds the session's turn and lock.
//   - Called by the session store.
package trash
