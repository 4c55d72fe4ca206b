// Package analysis turns texts and questions into the terms by which texts are found: words
// without case, accents and endings, identifiers as written, and mentioned dates. It also
// recognises what a question asks for (a time, a quantity, what the assistant said).
//
// The same text always yields the same terms; a change to them must change Version. The
// package reads no files and knows nothing of indexes.
package analysis
