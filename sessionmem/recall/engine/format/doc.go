// Package format is what stands in the rows of the index file: passages as heads and
// details, dictionaries of terms with their postings, the small changes that wait to become
// a segment, and how each source was indexed. It turns these into bytes and back, and takes
// what was erased out of them.
//
// It knows no table, no file and no question, and keeps nothing: every function works on
// the bytes that it is given. All that it writes ends with a check sum (Seal); bytes that
// are not those that were written are ErrDamaged, and never more memory than they are worth.
//
// Rules: what is written here is read by later versions. Whoever changes it raises the
// version of the format (tables), and all indexes are built anew.
//
// Called by engine and its other parts; recall fills in Passage, Name and State.
package format
