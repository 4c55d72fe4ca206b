package engine

// Limits say when the index takes another form. Every change adds a little to the
// delta, or a segment. So that a question has few of them to look into, the delta
// becomes a segment when it has grown, and small segments become larger ones; what was
// dead in them is gone then.
type Limits struct {
	BulkDocs  int // passages of a segment that is written while there are more to come,
	BulkTerms int // or their terms
	DeltaDocs int // a change of fewer passages goes into the delta

	DeltaRows  int // rows of the delta,
	DeltaGrown int // or passages in it, that make it a segment

	FanIn     int // segments of about a size that become one
	Smallest  int // up to so many passages they count as of one size
	Segment   int // passages of a segment: an erasure looks through one, a query through all
	DeadShare int // a segment is written anew when one of so many passages is dead

	Vectors int // bytes of vectors that are held in memory while they are used
	Pages   int // of the file, at most; 0: as many as there is room for
}

// DefaultLimits are those that were measured.
func DefaultLimits() Limits {
	return Limits{
		BulkDocs: 48 << 10, BulkTerms: 4 << 20, DeltaDocs: 128, DeltaRows: 256, DeltaGrown: 2 << 10,
		FanIn: 4, Smallest: 4 << 10, Segment: 64 << 10, DeadShare: 5, Vectors: 64 << 20,
	}
}
