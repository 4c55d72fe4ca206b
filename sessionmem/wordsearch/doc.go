// Package wordsearch finds sessions by their exact words. It reads the transcripts for each
// query and stores nothing: it works without an index, and for words that an index would
// split differently. Package recall finds by meaning and by stems.
package wordsearch
