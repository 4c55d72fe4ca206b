// Package sieve prevents forgotten text from being read. It finds the text in transcripts
// and returns them without it.
//
// Rules:
//   - Transcripts of the session folder are read only through Sieve.Open. It returns
//     ErrHoldsForgotten for one that holds forgotten text, and the holder of the session's
//     locks cleans that file.
//   - A Cleaner changes bytes, never files. The rest is copied byte by byte. A Summary or
//     title made from removed text is made again or removed.
//   - A checked file is known by its stamp and a keyed hash of its path. While it doesn't
//     change it is checked once, whichever process asks.
//   - The session store, its catalog and the packages that forget call this package.
package sieve
