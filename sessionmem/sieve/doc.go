// Package sieve keeps what was forgotten from being read: it finds it in transcripts and
// says how they read without it.
//
// Rules:
//   - No transcript of the session folder is read but through Sieve.Open. One that holds
//     what was forgotten gives ErrHoldsForgotten; who holds the session's locks cleans it.
//   - A Cleaner changes bytes, never files. What stays is copied byte by byte; a Summary or
//     title made of what goes is made anew or goes too.
//   - What was looked through is known by its stamp and a keyed hash of its path: a file
//     that doesn't change is looked through once, whatever process asks.
//   - Called by the session store and its catalog, and by the way of a forgetting.
package sieve
