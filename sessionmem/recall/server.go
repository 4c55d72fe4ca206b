package recall

import (
	"context"
	"errors"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
)

// ErrServer means that the server of recall.backend can't be used. The error it wraps says
// why, and what to do.
var ErrServer = errors.New("the memory server can't be used")

// Server is an index that several machines fill and search together. Each machine puts what
// its own files hold. It is safe for concurrent use.
type Server interface {
	// Candidates finds passages of all machines that share words or meaning with a question.
	Candidates(ctx context.Context, q ServerQuestion) (ServerFound, error)
	// Prints returns the print of each source that this machine put, by key; "" for one
	// that was put only in part.
	Prints(ctx context.Context) (map[string]string, error)
	// Marks returns the marks of the passages of one of this machine's sources.
	Marks(ctx context.Context, key string) (map[ServerPlace]string, error)
	// Put puts and removes passages and stores the prints: all of it, or nothing.
	Put(ctx context.Context, batch []ServerSource) error
	// Drop removes sources of this machine.
	Drop(ctx context.Context, keys ...string) error
	// Erase removes passages, sessions and files of this machine, named as in
	// Index.Erase.
	Erase(ctx context.Context, ids, sessions, files []string) error
	// Cool moves sessions silent since before a time to the cold tier, and the others
	// back. The time is in seconds since 1970, 0 for none.
	Cool(ctx context.Context, before int64) error
	// Unembedded returns passages of this machine without a vector of a model, with IDs above after.
	Unembedded(ctx context.Context, m EmbedModel, after int64, limit int) ([]ServerUnembedded, error)
	// PutVectors stores the vectors of the passages that still exist.
	PutVectors(ctx context.Context, m EmbedModel, ids []int64, vectors [][]float32) error
	// Status returns the state of the server without waiting long.
	Status(ctx context.Context) (ServerStatus, error)
	Close()
}

// ServerPlace is the position of a passage in its source.
type ServerPlace struct {
	Strand  uint8
	Message int // in the strand, from 0; messages with nothing to find count too
	Part    int // in the message, from 0
}

// ServerPassage is a passage in the form the server stores.
type ServerPassage struct {
	ServerPlace
	corpus.Chunk // with its text
	Parts        int
	Asks         bool // its message ends with a question
	Length       int  // in words
	Marks        analysis.Marks
	Terms        []string
	Mark         string // changes when anything stored changes

	place corpus.Place // in this machine's files, if it is this machine's
}

// ServerSource is the part of a source that one Put changes.
type ServerSource struct {
	index.Name
	Print    string // "": more of it follows
	Passages []ServerPassage
	Gone     []ServerPlace
}

// ServerUnembedded is a passage on the server that has no vector.
type ServerUnembedded struct {
	ServerPlace
	ID   int64
	Key  string // of its source
	Mark string
}

// ServerQuestion is what the server finds candidates for.
type ServerQuestion struct {
	Terms       analysis.QueryTerms
	Weights     *rank.Weights
	Scope       Scope // without Allow
	ColdBefore  int64 // sessions silent since then are cold, in seconds since 1970; 0: none
	MeaningOnly bool
	Vector      []float32 // of Model; nil: none
	Model       EmbedModel
}

// ServerFound holds candidates with their features.
type ServerFound struct {
	Candidates []rank.Candidate // At is an index into Passages
	Then       [][]rank.Candidate
	Passages   []ServerHit
	Meaning    *rank.Meaning
	Cold       int // passages left out because they are cold
}

// ServerHit is a passage that was found.
type ServerHit struct {
	ServerPassage
	Key, Print string // of its source
	Machine    string // its name; "" for this one
}

// ServerStatus describes the server.
type ServerStatus struct {
	Version  string // of the server
	Vectors  string // version of pgvector; "": not installed, and searches use words alone
	Bytes    int64
	Machines []ServerMachine
	Took     time.Duration // one round trip
}

// ServerMachine is a machine that puts its index on the server.
type ServerMachine struct {
	Name     string
	Mine     bool
	Passages int
	Vectors  int
	Seen     time.Time // when it last put something
}
