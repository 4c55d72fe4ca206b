package recall

// limits say when the index takes another form. Every change adds a little to the
// delta, or a segment. So that a question has few of them to look into, the delta
// becomes a segment when it has grown, and small segments become larger ones; what was
// dead in them is gone then.
type limits struct {
	bulkDocs  int // documents of a segment that is written while there are more to come,
	bulkTerms int // or their terms
	deltaDocs int // a change of fewer documents goes into the delta

	deltaRows  int // rows of the delta,
	deltaGrown int // or documents in it, that make it a segment

	fanIn     int // segments of about a size that become one
	smallest  int // up to so many documents they count as of one size
	segment   int // documents of a segment: an erasure looks through one, a query through all
	deadShare int // a segment is written anew when one of so many documents is dead

	vectors int // bytes of vectors that are held in memory while they are used
}

func defaultLimits() limits {
	return limits{
		bulkDocs: 48 << 10, bulkTerms: 4 << 20, deltaDocs: 128, deltaRows: 256, deltaGrown: 2 << 10,
		fanIn: 4, smallest: 4 << 10, segment: 64 << 10, deadShare: 5, vectors: 64 << 20,
	}
}
