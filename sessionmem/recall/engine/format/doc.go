// Package format encodes and decodes the rows of the index file: passages as heads and
// details, dictionaries of terms with their postings, the small changes that will become a
// segment, and the state in which each source was indexed. It also removes erased passages
// from such rows.
//
// It knows no tables, files or questions and keeps no state: every function works on the
// bytes it is given. Everything it writes ends with a checksum (Seal). Decoding bytes that
// weren't written this way returns ErrDamaged and never allocates more than their length
// justifies.
//
// Rules: later versions read what is written here. A change must raise the version of the
// format (tables), so that all indexes are rebuilt.
//
// Used by engine and its subpackages; recall fills in Passage, Name and State.
package format
