// Package places reads transcripts for what derives from them: an index has to read files
// with the places of their blocks, and single blocks again.
//
// Rules:
//   - It only reads, and holds no lock: what is written meanwhile is not part of it.
//   - A place is of the file as it was read. Whoever comes back to one looks whether the
//     block is still the one that was there.
//   - It takes the memory of the largest block, however long a session is.
//   - Called by package recall, by way of Store.Places.
package places
