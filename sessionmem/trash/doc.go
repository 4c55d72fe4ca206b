// Package trash moves the files of deleted sessions to the trash and back.
//
// Rules:
//   - Each deletion has a folder of its own, named after the time and the session; the files
//     in it keep their paths. Nothing in the trash is ever overwritten.
//   - An attached file goes along if no other session links it.
//   - It takes no lock: the caller holds the session's turn and lock.
//   - Called by the session store.
package trash
