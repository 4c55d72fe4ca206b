// Package textfold compares texts by their words, whatever way they are written: without
// case and diacritics (Folder), and in every reading that a text has (Readings): as it
// stands, as it is shown, with marks and hyphens taken out, with escapes resolved.
//
// It gives the place of what it finds in the original text (Mark), never changes a text,
// and knows no file and no session. Search folds with it, and forgetting finds with it
// what has to go. A Folder is read-only once made: any number of goroutines may use it.
package textfold
