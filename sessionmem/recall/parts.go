package recall

// Parts gives the parts of a block's text as chunks have them: part n of its chunks'
// ids is the n-th of these.
func Parts(text string) []string { return splitText(text, maxPart) }
