// Package index is the search index: one SQLite file in which the words of all passages stand as
// rows, and the search over it. It finds candidates for a question, with the features that rank
// orders them by. It reads no transcripts: its input is passages with their texts and the places
// of these texts in files; it keeps the places, and no text.
//
// The tables:
//
//	posting  bucket, term, list: in which passages of a bucket of sources a term occurs
//	source   a session or a memory file, its stamp, and its passages without their words
//	vocabulary  words that are new to a bucket (see similar.go)
//	vector   the vector of a text by the text's hash; model says who made it
//	meta     the versions, and counters by which a process sees that another has written
//
// A posting row is explained by an example. The sources with the IDs 0 to 255 are bucket 0. Each
// has two strands of passages, the talk and the work for it: source 3 has the strands 6 and 7. If
// the stem "otter" occurs in the second passage of strand 6, and twice in its fifth, then the row
// (0, "otter") says: strand 6, passage 1 once, passage 4 twice. The list holds the differences
// between numbers that follow one another, and the count only where it isn't one (see list). A
// row is small, so a new message rewrites the rows of its own words and nothing else.
//
// What every question needs is in memory: the heads of all passages (length, flags, time, hash), as
// one slice for each strand. They are read from the source rows when a question finds that somebody
// has written, only those of the sources that changed, and Unload drops them. A search reads the
// rows of its terms with one statement and scores strand by strand: the neighbours of a passage
// never belong to another strand. If the question has a vector too, the passages nearest to it
// join those that share words with it.
//
// The text of a hit comes from its file: Passage says which file, where in it, and the hash of the
// text. If the text at that place has another hash, the file has changed and is searched. Each row
// has a checksum of its contents and its key. So damage is noticed when the row is read; damage to
// a key can hide a hit, but nothing can show a wrong text.
//
// Rules:
//   - A source is indexed again if its stamp differs. Update writes some of them in one
//     transaction; what is written stays written when the rest is stopped.
//   - A writer reads, changes and writes rows in one transaction that no other writer enters.
//     A reader sees one moment and waits for nobody.
//   - What was erased is in none of the files when Erase returns nil. While a reader still holds
//     an older moment, Erase returns ErrPending; the next Update, Erase or Open finishes it.
//   - A vector belongs to a text and goes with the last passage that has it. So vectors survive a
//     new version of the analysis: the new file takes them from the old one (TakeVectors).
//
// File is what processes share: it opens the file when it is used and closes it when it is idle, and has
// an index of another version or a damaged one built again beside the old one.
//
// Used by recall, which fills it and asks it.
package index
