// Package textfold compares texts by their words, however they are written: without case
// and diacritics (Folder), and in every reading of a text (Readings): as written, as
// displayed, with marks and hyphens removed, and with escapes resolved.
//
// It returns the place of each match in the original text (Mark), never changes a text, and
// knows no files or sessions. Search uses it for folding, and forgetting uses it to find
// matching text. A Folder is read-only, so any number of goroutines may use it.
package textfold
