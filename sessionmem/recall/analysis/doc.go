// Package analysis turns texts and questions into the terms that they are found by: words
// without case, accents and endings, identifiers as they are written, dates that are
// mentioned; and it tells what a question asks for (a time, a quantity, what the other one
// said).
//
// The same text always gives the same terms; where it would give others than before,
// Version changes. The package reads no files and knows of no index.
package analysis
