// Package tables is the index as a file of SQLite: it makes the tables, opens and closes the
// file with the settings that keep nothing of what was erased, counts what changed (Counts),
// reads rows by their ids, and says what an error of the file means and what to do about it.
//
// It knows what the tables are called and not what stands in their blobs (format, vectors).
// A file of another version of the format is refused (ErrOther), one whose terms are of
// another version of the analysis is opened and says so (Older).
//
// Rules: one process writes at a time, and holds a lock for that which is not kept here; the
// whole of a change is one transaction (InTx). A row that is missing is damage, as the sum of
// the rows' marks tells.
//
// Called by engine and vectors; recall asks it whether an error means damage.
package tables
