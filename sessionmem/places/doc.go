// Package places reads transcripts for what is derived from them: an index must read files with
// the positions of their blocks, and later read single blocks again.
//
// Rules:
//   - It only reads and holds no lock: what is written meanwhile is not included.
//   - A place belongs to the file as it was read. Whoever returns to one checks whether the
//     block there is still the same.
//   - It needs the memory of the largest block, however long a session is.
//   - Called by package recall through Store.Places.
package places
