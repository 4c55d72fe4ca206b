package format

// Lookup is a term that is looked for, and where its list goes.
type Lookup struct {
	Term string
	List *ListReader
}

// LookUp looks for terms in a block without its check sum, both in order.
func LookUp(block []byte, wanted []Lookup) (err error) {
	r := newBlockReader(block)
	matched := 0 // how much of the first wanted term the last entry begins with, which is before it
	var e entry
	for len(wanted) > 0 && r.next(&e) {
		if e.shared > matched {
			continue // it goes on as the entry before it
		}
		if wanted, matched, err = compare(&r, &e, wanted); err != nil {
			return err
		}
	}
	return r.err()
}

// compare takes the terms that an entry is, or is behind, off the wanted ones. It gives
// how much of the first one that is left the entry begins with.
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
		// What the next one has in common with this one the entry has too, so far.
		if same = min(same, sharedPrefix(term, wanted[0].Term)); same < e.shared {
			return wanted, same, nil
		}
	}
}
