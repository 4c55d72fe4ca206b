// Package wordsearch finds sessions by their words, as they stand. It reads the transcripts
// anew for each query and keeps nothing: it works without an index, and on words that no
// index cuts so. Finding by meaning and by stems is package recall's.
package wordsearch
