package format

// Lookup is a term to look up, and the reader to set.
type Lookup struct {
	Term string
	List *ListReader
}

// LookUp finds terms, in order, in a block without its checksum.
func LookUp(block []byte, wanted []Lookup) (err error) {
	r := newBlockReader(block)
	matched := 0 // length of the prefix that wanted[0] shares with the last entry, which sorts before it
	var e entry
	for len(wanted) > 0 && r.next(&e) {
		if e.shared > matched {
			continue // the same order as the last entry
		}
		if wanted, matched, err = compare(&r, &e, wanted); err != nil {
			return err
		}
	}
	return r.err()
}

// compare removes the wanted terms that an entry equals or sorts after. It returns the length
// of the prefix that the entry shares with the first remaining term.
func compare(r *blockReader, e *entry, wanted []Lookup) (left []Lookup, matched int, err error) {
	for same := e.shared; ; {
		term := wanted[0].Term
		if same > len(term) {
			return nil, 0, ErrDamaged
		}
		same += sharedPrefix(e.rest[same-e.shared:], term[same:])
		rest := e.rest[same-e.shared:]
		switch {
		case same == len(term) && len(rest) == 0:
			*wanted[0].List = e.postings(r.width)
		case same < len(term) && (len(rest) == 0 || rest[0] < term[same]):
			return wanted, same, nil
		}
		if wanted = wanted[1:]; len(wanted) == 0 {
			return nil, 0, nil
		}
		// The entry shares at least as much with the next term as this one does.
		if same = min(same, sharedPrefix(term, wanted[0].Term)); same < e.shared {
			return wanted, same, nil
		}
	}
}
