// Package erase removes forgotten text from the files of a session folder: transcripts,
// archive, trash, copies, checkpoints, journals and attached files.
//
// Rules:
//   - It takes no locks. A caller that lets it change the files of a session holds that
//     session's turn and lock. Earlier plans are then checked again.
//   - A file is replaced as a whole, and only if it is as it was read. The rest is copied byte
//     by byte. A file that can't be changed is refused with the reason, and the others go on.
//   - Attached files go first: after a crash the links to them must still be there.
//   - The store cleans what processes hold in memory.
//   - The session store calls this package.
package erase
