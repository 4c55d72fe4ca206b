// Package tables stores the index in an SQLite file: it creates the tables, opens and closes
// the file with settings that leave no erased data behind, counts changes (Counts), reads
// rows by ID, and explains errors of the file.
//
// It knows the names of the tables but not the contents of their blobs (format, vectors). It
// refuses a file of another format version (ErrOther) and opens one whose terms come from
// another version of the analysis (Older).
//
// Rules: one process writes at a time, under a lock that the caller holds, and each change is
// one transaction (InTx). A missing row is damage, detected by the sum of the rows' marks.
//
// Used by engine and vectors; recall asks it whether an error means damage.
package tables
