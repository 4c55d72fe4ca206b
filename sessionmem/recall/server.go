package recall

import (
	"context"
	"errors"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/rank"
)

// ErrServer: the server of recall.backend can't be used as it is. What it wraps says why,
// and what to do.
var ErrServer = errors.New("the memory server can't be used")

// Server is an index that several machines keep and search together. Each puts what its own
// files hold. It is safe for use by several goroutines.
type Server interface {
	// Candidates finds what has words of a question or is near in meaning, of all machines.
	Candidates(ctx context.Context, q ServerQuestion) (ServerFound, error)
	// Prints gives the print of each source that this machine put, by its key; "" for one
	// that was not put whole.
	Prints(ctx context.Context) (map[string]string, error)
	// Marks gives the marks of the passages of one of this machine's sources.
	Marks(ctx context.Context, key string) (map[ServerPlace]string, error)
	// Put puts passages, takes others out and notes the prints: all of it, or nothing.
	Put(ctx context.Context, batch []ServerSource) error
	// Drop takes sources of this machine out.
	Drop(ctx context.Context, keys ...string) error
	// Erase takes passages, sessions and files of this machine out, named as Index.Erase
	// names them.
	Erase(ctx context.Context, ids, sessions, files []string) error
	// Cool puts sessions that are silent since a time into the cold tier, and the others
	// back: a time in seconds since 1970, 0 for none.
	Cool(ctx context.Context, before int64) error
	// Unmeant gives passages of this machine that have no vector of a model, from an id on.
	Unmeant(ctx context.Context, m EmbedModel, after int64, limit int) ([]ServerUnmeant, error)
	// PutVectors puts vectors of the passages of these ids, if they are still there.
	PutVectors(ctx context.Context, m EmbedModel, ids []int64, vectors [][]float32) error
	// Status tells how the server is, without waiting for long.
	Status(ctx context.Context) (ServerStatus, error)
	Close()
}

// ServerPlace is where a passage stands in its source.
type ServerPlace struct {
	Strand  uint8
	Message int // of the strand, from 0 on; each that holds nothing to find takes a number too
	Part    int // of the message, from 0 on
}

// ServerPassage is a passage as it goes to the server and comes back.
type ServerPassage struct {
	ServerPlace
	corpus.Chunk // with its text
	Parts        int
	Asks         bool // its message ends with a question
	Length       int  // in words
	Marks        analysis.Marks
	Terms        []string
	Mark         string // of all that is put: what has the same is the same

	place  corpus.Place // in this machine's files, where it is of this machine,
	number uint32       // and its vector's in the index
}

// ServerSource is what is put of a source.
type ServerSource struct {
	format.Name
	Print    string // "": more of it is to come
	Passages []ServerPassage
	Gone     []ServerPlace
}

// ServerUnmeant is a passage on the server that has no vector.
type ServerUnmeant struct {
	ServerPlace
	ID   int64
	Key  string // of its source
	Mark string
}

// ServerQuestion is what candidates are wanted for.
type ServerQuestion struct {
	Terms       analysis.QueryTerms
	Weights     *rank.Weights
	Scope       Scope // without Allow
	ColdBefore  int64 // sessions silent since are cold, in seconds since 1970; 0: none is
	MeaningOnly bool
	Vector      []float32 // of Model; nil: none
	Model       EmbedModel
}

// ServerFound are candidates with their features.
type ServerFound struct {
	Candidates []rank.Candidate // At is the place in Passages
	Then       [][]rank.Candidate
	Passages   []ServerHit
	Meaning    *rank.Meaning
	Cold       int // passages that were left out
	Passing    int // passages that there are
}

// ServerHit is a passage that was found.
type ServerHit struct {
	ServerPassage
	Key, Print string // of its source
	Machine    string // its name; "" for this one
}

// ServerStatus tells how the server is.
type ServerStatus struct {
	Version  string // of the server
	Vectors  string // the version of pgvector; "": there is none, and searches go by words alone
	Bytes    int64
	Machines []ServerMachine
	Took     time.Duration // one question there and back
}

// ServerMachine is a machine that puts what it holds on the server.
type ServerMachine struct {
	Name     string
	Mine     bool
	Passages int
	Vectors  int
	Seen     time.Time // it put something last
}
