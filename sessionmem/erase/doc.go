// Package erase takes what is to be forgotten out of the files of a session folder:
// transcripts, archive, trash, copies, checkpoints, journals and attached files.
//
// Rules:
//   - It takes no lock: whoever lets it change the files of a session holds that session's
//     turn and lock. What it planned before is looked at again then.
//   - A file is replaced whole, and only as it was read. What stays is copied byte by byte;
//     what can't be changed is refused with the reason, and the others go on.
//   - Attached files go first: a crash must leave the links to them.
//   - What a process holds in memory is the store's to clean.
//   - Called by the session store.
package erase
