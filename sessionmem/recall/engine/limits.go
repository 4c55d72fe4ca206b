package engine

// Limits decide when the index is reorganised. Every change adds a row to the delta, or a
// segment. To keep both few, a grown delta becomes a segment, and small segments are merged
// into larger ones, which also removes their dead passages.
type Limits struct {
	BulkDocs  int // passages in a segment written while more are to come,
	BulkTerms int // or their terms
	DeltaDocs int // a change of fewer passages goes into the delta

	DeltaRows  int // rows of the delta
	DeltaGrown int // or passages in it that turn it into a segment

	FanIn     int // segments of similar size that are merged
	Smallest  int // up to this many passages segments count as of one size
	Segment   int // most passages of a segment: an erasure reads one segment, a query all
	DeadShare int // a segment is rewritten when one passage in this many is dead

	Vectors int // bytes of vectors kept in memory while in use
	Pages   int // most pages of the file; 0: no limit
}

// DefaultLimits returns the limits that measured best.
func DefaultLimits() Limits {
	return Limits{
		BulkDocs: 48 << 10, BulkTerms: 4 << 20, DeltaDocs: 128, DeltaRows: 256, DeltaGrown: 2 << 10,
		FanIn: 4, Smallest: 4 << 10, Segment: 64 << 10, DeadShare: 5, Vectors: 64 << 20,
	}
}
